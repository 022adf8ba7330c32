"""Profiles in Spark (pyspark 4 or later).

    import tfprof.spark
    tfprof.spark.register(spark)
    ops = spark.read.format('tfprof').option('table', 'ops').load('/mnt/runs')

Files are read in Python workers, each with its own share of the bytes. Options:

    table       one of tfprof.fleet.TABLES (default ops)
    mode        fail at the first file that cannot be read (default), or skip it
    key         a regular expression whose named groups are labels
    manifest    a CSV file with the column path and labels
    partitions  how many tasks (default: the parallelism of the session, at least a task
                for each 256 MB)
    pushdown    true: filters on labels choose files before they are opened; needs
                spark.sql.python.filterPushdown.enabled=true

The workers need this package, and paths that mean the same to all of them. With
spark.executorEnv.TFPROF_THREADS=1 a worker does not start threads of its own.
"""

from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple

import tfprof
from tfprof._need import need
from tfprof.fleet import _index, _keys, _read, _schema, _sql
from tfprof.fleet._keys import Keys, Source

_sources = need("pyspark", "tfprof.spark", "sql.datasource")
_TASK_BYTES = 256 << 20


def _spark_schema(table: str, keys: Sequence[str]) -> Any:
    """Plain types, all nullable: Spark takes only an exact match."""
    types = need("pyspark", "tfprof.spark", "sql.pandas.types")
    return types.from_arrow_schema(_schema.schema(table, keys))


class _Share(_sources.InputPartition):
    """What one task reads."""

    def __init__(self, sources: List[Source]):
        self.sources = [tuple(source) for source in sources]


class _Reader(_sources.DataSourceReader):
    def __init__(self, found: List[Source], table: str, keys: List[str], mode: str, n_tasks: int):
        self.found, self.table, self.keys, self.mode = found, table, keys, mode
        self.n_tasks = n_tasks

    def partitions(self) -> Sequence[Any]:
        n_bytes = sum(max(source.size, 0) for source in self.found)
        wanted = max(self.n_tasks, n_bytes // _TASK_BYTES + 1)
        return [_Share(one) for one in _index.bins(self.found, wanted)] or [_Share([])]

    def read(self, partition: Any) -> Iterator[Any]:
        for fields in partition.sources:
            for rows in _read.batch_of(Source(*fields), self.table, self.keys, self.mode):
                yield from rows.to_batches()


class _PruningReader(_Reader):
    def pushFilters(self, filters: List[Any]) -> Iterable[Any]:
        for one in filters:
            name = one.attribute[0] if len(one.attribute) == 1 else ""
            if isinstance(one, _sources.EqualTo) and name in self.keys:
                self.found = _keys.select(self.found, {name: one.value})
            elif isinstance(one, _sources.In) and name in self.keys:
                wanted = {str(value) for value in one.value}
                self.found = [source for source in self.found if source.keys.get(name) in wanted]
            else:
                yield one  # Spark applies it


class TfprofDataSource(_sources.DataSource):
    """The format 'tfprof'."""

    @classmethod
    def name(cls) -> str:
        return "tfprof"

    def _find(self) -> Tuple[List[Source], List[str]]:
        path = self.options.get("path")
        if not path:
            raise tfprof.ArgumentError("load: give the directory of the profiles")
        found = _keys.find(path, Keys(self.options.get("key"), self.options.get("manifest")))
        return found, _keys.label_names(found)

    def _table(self) -> str:
        table = self.options.get("table", "ops")
        _schema.check_tables([table])
        return table

    def schema(self) -> Any:
        return _spark_schema(self._table(), self._find()[1])

    def reader(self, schema: Any) -> Any:
        found, keys = self._find()
        wants_pushdown = self.options.get("pushdown", "false").lower() == "true"
        kind = _PruningReader if wants_pushdown else _Reader
        return kind(found, self._table(), keys, self.options.get("mode", "fail"),
                    int(self.options.get("partitions") or _parallelism()))


def _parallelism() -> int:
    session = need("pyspark", "tfprof.spark", "sql").SparkSession.getActiveSession()
    return session.sparkContext.defaultParallelism if session else 8


def register(spark: Any) -> None:
    """Makes the format 'tfprof' known to a session."""
    spark.dataSource.register(TfprofDataSource)


def index(spark: Any, source: str, out: str, *, tables: Iterable[str] = _schema.DEFAULT_TABLES,
          keys: Optional[Keys] = None, partitions: Optional[int] = None,
          checksum: bool = False) -> _index.Summary:
    """tfprof.fleet.index() with Spark's workers: they read files and write Parquet, and only
    the list of what was done moves. Source and out are paths that all workers can reach. A
    task that is run again writes the same files."""
    wanted = _schema.check_tables(tables)
    found = _keys.find(source, keys)
    names = _keys.label_names(found)
    todo, stale, bad = _index.plan(found, out, wanted)
    _index._remove(out, stale)
    n_bytes = sum(max(one.size, 0) for one in todo)
    context = spark.sparkContext
    n_tasks = partitions or max(2 * context.defaultParallelism, n_bytes // _TASK_BYTES + 1)

    def put_share(shares: Iterator[List[Any]]) -> Iterator[Tuple[str, Optional[str]]]:
        for share in shares:
            for fields in share:
                one = Source(*fields)
                yield one.path, _index.put(one, out, wanted, names, checksum)

    shares = [[tuple(one) for one in share] for share in _index.bins(todo, n_tasks)] if todo else []
    if shares:
        done = context.parallelize(shares, len(shares)).mapPartitions(put_share).collect()
        bad.update({path: error for path, error in done if error})
    n_gone = len(set(stale) - {one.file_id for one in todo})
    return _index.Summary(len(todo), len(found) - len(todo), n_gone, n_bytes, sorted(bad.items()),
                          _schema.renamed(names))


def views(spark: Any, source: str, *, tables: Iterable[str] = _schema.TABLES, **options: Any) -> None:
    """Temporary views with the tables of a directory, of profiles or of what index() wrote,
    and the shipped questions: spark.sql('SELECT * FROM regressions')."""
    import os
    wanted = _schema.check_tables(tables)
    is_index = os.path.isdir(os.path.join(source, "files"))
    for table in wanted + [one for one in _schema.TABLES if one not in wanted]:
        if table not in wanted or (is_index and not os.path.isdir(os.path.join(source, table))):
            rows = spark.createDataFrame([], _spark_schema(table, []))
        elif is_index:
            rows = spark.read.option("recursiveFileLookup", "true").option(
                "mergeSchema", "true").parquet(os.path.join(source, table))
        else:
            register(spark)
            rows = spark.read.format("tfprof").options(table=table, **options).load(source)
        rows.createOrReplaceTempView(f"{table}_rows")
        query = _sql.base_query(table, f"{table}_rows", rows.columns).replace('"', "`")
        spark.sql(f"CREATE OR REPLACE TEMP VIEW {table} AS {query}")
    for name, query in _sql.views_sql():
        spark.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")
