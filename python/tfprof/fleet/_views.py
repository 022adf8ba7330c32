"""The shipped questions, in SQL that DuckDB and Spark both understand: name, what it
answers, query. `runs` and what follows it build on each other, so their order counts.

Times of one run are medians over its workers and steps, so that one slow step or worker is
no regression."""

from typing import List, Tuple

VIEWS: List[Tuple[str, str, str]] = [
    ("runs", "Runs of a model in their order: by number if they are numbers, else by name.", """
SELECT model, run, row_number() OVER (PARTITION BY model ORDER BY run_order) AS run_number
FROM (SELECT DISTINCT model, run,
             CASE WHEN try_cast(run AS bigint) IS NULL THEN run ELSE lpad(run, 20, '0') END
                 AS run_order
      FROM files WHERE error IS NULL)
"""),
    ("run_ops", "Time of each operation type in each run.", """
SELECT o.model, r.run, r.run_number, o.op, median(o.micros) AS exec_micros
FROM (SELECT model, run, file_id, step, op, sum(exec_micros) AS micros
      FROM ops GROUP BY model, run, file_id, step, op) o
JOIN runs r ON o.model = r.model AND o.run = r.run
GROUP BY o.model, r.run, r.run_number, o.op
"""),
    ("op_splits", "Medians before and from each run on, for each operation type.", """
SELECT s.model, s.op, s.run AS since, s.run_number,
       median(CASE WHEN x.run_number < s.run_number THEN x.exec_micros END) AS before_micros,
       median(CASE WHEN x.run_number >= s.run_number THEN x.exec_micros END) AS after_micros,
       count(CASE WHEN x.run_number < s.run_number THEN 1 END) AS n_before,
       count(CASE WHEN x.run_number >= s.run_number THEN 1 END) AS n_after
FROM run_ops s JOIN run_ops x ON s.model = x.model AND s.op = x.op
GROUP BY s.model, s.op, s.run, s.run_number
"""),
    ("op_changes", "The run from which each operation type changed most clearly.", """
SELECT model, op, since, before_micros, after_micros,
       after_micros / before_micros - 1 AS change, z, n_before, n_after
FROM (SELECT p.*, row_number() OVER (PARTITION BY model, op ORDER BY cost, run_number) AS place,
             (after_micros - before_micros)
                 / greatest(1.4826 * spread, 0.005 * before_micros, 1) AS z
      FROM (SELECT s.model, s.op, s.since, s.run_number, s.before_micros, s.after_micros,
                   s.n_before, s.n_after,
                   sum(abs(x.exec_micros - CASE WHEN x.run_number < s.run_number
                                               THEN s.before_micros ELSE s.after_micros END))
                       AS cost,
                   median(abs(x.exec_micros - CASE WHEN x.run_number < s.run_number
                                                  THEN s.before_micros ELSE s.after_micros END))
                       AS spread
            FROM op_splits s JOIN run_ops x ON s.model = x.model AND s.op = x.op
            WHERE s.n_before >= 2 AND s.n_after >= 2 AND s.before_micros > 0
            GROUP BY s.model, s.op, s.since, s.run_number, s.before_micros, s.after_micros,
                     s.n_before, s.n_after) p) q
WHERE place = 1
"""),
    ("regressions", "What got slower, and since which run: by 5% and 3.5 times the noise.", """
SELECT model, op, since, before_micros, after_micros, change, z, n_before, n_after
FROM op_changes WHERE change >= 0.05 AND z >= 3.5
ORDER BY after_micros - before_micros DESC
"""),
    ("run_workers", "Each worker of a run against the median of its workers.", """
SELECT w.model, w.run, w.worker, w.exec_micros, m.median_micros,
       w.exec_micros / m.median_micros AS ratio
FROM (SELECT model, run, worker, median(exec_micros) AS exec_micros
      FROM steps GROUP BY model, run, worker) w
JOIN (SELECT model, run, median(exec_micros) AS median_micros
      FROM (SELECT model, run, worker, median(exec_micros) AS exec_micros
            FROM steps GROUP BY model, run, worker) v
      GROUP BY model, run) m ON w.model = m.model AND w.run = m.run
WHERE m.median_micros > 0
"""),
    ("stragglers", "Workers 10% slower than their run's median, and in how many runs.", """
SELECT model, worker, median(ratio) AS ratio, max(ratio) AS worst_ratio,
       count(CASE WHEN ratio >= 1.1 THEN 1 END) AS n_slow_runs, count(*) AS n_runs
FROM run_workers GROUP BY model, worker
HAVING count(CASE WHEN ratio >= 1.1 THEN 1 END) > 0
ORDER BY n_slow_runs DESC, ratio DESC
"""),
    ("run_parts", "What a step of each run goes to: time of its parts, and share of its wall.", """
SELECT p.model, p.run, p.part, avg(p.part_micros) AS part_micros,
       avg(p.hidden_micros) AS hidden_micros,
       sum(p.part_micros) / greatest(max(w.wall_micros), 1) AS share
FROM parts p
JOIN (SELECT model, run, sum(part_micros) AS wall_micros
      FROM parts WHERE steady AND part <> 'gap' GROUP BY model, run) w
  ON p.model = w.model AND p.run = w.run
WHERE p.steady GROUP BY p.model, p.run, p.part
"""),
    ("top_ops", "Which operation types cost most, over everything.", """
SELECT op, sum(exec_micros) AS exec_micros,
       sum(exec_micros) / greatest(sum(sum(exec_micros)) OVER (), 1) AS share,
       sum(run_count) AS run_count, count(DISTINCT model) AS n_models,
       count(DISTINCT file_id) AS n_files
FROM ops GROUP BY op ORDER BY exec_micros DESC
"""),
    ("op_by_model", "Which models pay for an operation type.", """
SELECT op, model, sum(exec_micros) AS exec_micros,
       sum(exec_micros) / greatest(sum(sum(exec_micros)) OVER (PARTITION BY op), 1)
           AS share_of_op
FROM ops GROUP BY op, model ORDER BY exec_micros DESC
"""),
    ("top_lines", "Which lines of code cost most, over everything.", """
SELECT path, line, function, sum(exec_micros) AS exec_micros,
       sum(total_exec_micros) AS total_exec_micros, count(DISTINCT file_id) AS n_files
FROM lines GROUP BY path, line, function ORDER BY exec_micros DESC
"""),
    ("scope_cost", "Cost of the outermost scopes of a model, per step (needs the table nodes).", """
SELECT model, split_part(name, '/', 1) AS scope,
       sum(exec_micros) / greatest(count(DISTINCT concat(file_id, ' ', step)), 1)
           AS exec_micros, max(depth) AS max_depth, count(DISTINCT name) AS n_nodes
FROM nodes GROUP BY model, split_part(name, '/', 1) ORDER BY exec_micros DESC
"""),
    ("memory_growth", "Workers whose memory grows from run to run, and how fast.", """
SELECT model, worker, count(*) AS n_runs, min(peak_bytes) AS least_bytes,
       max(peak_bytes) AS most_bytes, regr_slope(peak_bytes, run_number) AS bytes_per_run,
       regr_r2(peak_bytes, run_number) AS r2
FROM (SELECT s.model, s.worker, r.run_number, max(s.peak_bytes) AS peak_bytes
      FROM steps s JOIN runs r ON s.model = r.model AND s.run = r.run
      GROUP BY s.model, s.worker, r.run_number) p
GROUP BY model, worker
HAVING count(*) >= 3 AND regr_r2(peak_bytes, run_number) >= 0.8
   AND regr_slope(peak_bytes, run_number) > 0.001 * max(peak_bytes)
ORDER BY bytes_per_run DESC
"""),
    ("idle_devices", "Share of the step in which devices do nothing.", """
SELECT model, worker, device, kind, count(*) AS n_steps,
       1 - sum(busy_micros) / greatest(sum(step_micros), 1) AS idle_share
FROM (SELECT d.model, d.worker, d.device, d.kind, d.busy_micros,
             s.wall_micros AS step_micros
      FROM devices d JOIN steps s ON d.file_id = s.file_id AND d.step = s.step) x
GROUP BY model, worker, device, kind ORDER BY idle_share DESC
"""),
    ("common_findings", "What the checkers find most often, and the time it costs.", """
SELECT checker, what, level, count(*) AS n_findings, count(DISTINCT file_id) AS n_files,
       sum(micros) AS micros, min(text) AS example
FROM findings GROUP BY checker, what, level ORDER BY n_files DESC, micros DESC
"""),
]
