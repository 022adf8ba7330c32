"""Many profiles together: Parquet tables, and SQL over them.

>>> import tfprof.fleet
>>> tfprof.fleet.index('runs', 'tables')            # doctest: +SKIP
>>> db = tfprof.fleet.connect('tables')             # doctest: +SKIP
>>> db.sql('SELECT * FROM regressions').show()      # doctest: +SKIP

Needs ``pip install tfprof[fleet]`` (pyarrow and duckdb). docs/fleet.md has the tables and
views.
"""

from tfprof.fleet._index import Summary, index
from tfprof.fleet._keys import Keys, find, label_names
from tfprof.fleet._read import read, tables_of
from tfprof.fleet._report import render as report
from tfprof.fleet._schema import DEFAULT_TABLES, TABLES, schema
from tfprof.fleet._sql import VIEWS, connect, views_sql

__all__ = ["DEFAULT_TABLES", "Keys", "Summary", "TABLES", "VIEWS", "connect", "find", "index",
           "label_names", "read", "report", "schema", "tables_of", "views_sql"]
