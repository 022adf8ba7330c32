/* Writes a synthetic trace like TensorFlow's to stdout, equal for equal arguments: a line
 * of markers and two of threads that run the operations they are given.
 *
 *     generate_xplane STEPS        about 165 kB per step */
#include <stdio.h>
#include <stdlib.h>

#include "proto/fields.h"
#include "proto/wire_write.h"

enum { N_OPS = 2000, N_THREADS = 2, STEP_PS = 400000000 };

/* Ids of names and stats. */
enum { RECORD = N_OPS + 1, START, STOP, MARKER };
enum { PRODUCER_TYPE = 1, PRODUCER, CONSUMER_TYPE, CONSUMER, STEP_NUM, ROOT };

struct stat {
	int64_t id, value;
};

static void put_event(struct buf *b, int64_t name, int64_t offset_ps, int64_t duration_ps,
	const struct stat *stats, size_t n)
{
	size_t event = wire_open(b, XLINE_EVENTS), stat;

	wire_put_int(b, XEVENT_METADATA_ID, name);
	wire_put_int(b, XEVENT_OFFSET_PS, offset_ps);
	wire_put_int(b, XEVENT_DURATION_PS, duration_ps);
	for (size_t i = 0; i < n; i++) {
		stat = wire_open(b, XEVENT_STATS);
		wire_put_int(b, XSTAT_METADATA_ID, stats[i].id);
		wire_put_int(b, XSTAT_INT64_VALUE, stats[i].value);
		wire_close(b, stat);
	}
	wire_close(b, event);
}

/* The marker of a step, and what gives the threads their work. */
static void put_marker(struct buf *b, int64_t step)
{
	const struct stat marks[] = {{STEP_NUM, step}, {ROOT, 1}};

	put_event(b, MARKER, step * STEP_PS, STEP_PS - 1000, marks, 2);
	for (int64_t i = 0; i < N_OPS; i++) {
		const struct stat flow[] = {{PRODUCER_TYPE, 15}, {PRODUCER, step * N_OPS + i + 1}};

		put_event(b, RECORD, step * STEP_PS + 1000 + i, 0, flow, 2);
	}
}

static void put_work(struct buf *b, int64_t step, int64_t thread)
{
	for (int64_t i = thread; i < N_OPS; i += N_THREADS) {
		const struct stat flow[] = {{CONSUMER_TYPE, 15}, {CONSUMER, step * N_OPS + i + 1}};
		int64_t at = step * STEP_PS + 10000 + i * 190000;

		put_event(b, START, at, 0, flow, 2);
		put_event(b, i + 1, at + 1000, 100000 + i * 37 % 80000, NULL, 0);
		put_event(b, STOP, at + 190000, 0, NULL, 0);
	}
}

static void put_line(struct buf *b, int64_t id, const char *name, int64_t steps)
{
	size_t line = wire_open(b, XPLANE_LINES);

	wire_put_int(b, XLINE_ID, id);
	wire_put_bytes(b, XLINE_NAME, span_of(name));
	wire_put_int(b, XLINE_TIMESTAMP_NS, 1000);
	for (int64_t step = 0; step < steps; step++)
		if (id)
			put_work(b, step, id - 1);
		else
			put_marker(b, step);
	wire_close(b, line);
}

/* An entry of the names of events or stats: both have theirs in field 2. */
static void put_name(struct buf *b, uint32_t field, int64_t id, const char *name)
{
	size_t entry = wire_open(b, field), value;

	wire_put_int(b, MAP_KEY, id);
	value = wire_open(b, MAP_VALUE);
	wire_put_int(b, XEVENT_META_ID, id);
	wire_put_bytes(b, XEVENT_META_NAME, span_of(name));
	wire_close(b, value);
	wire_close(b, entry);
}

static void put_names(struct buf *b)
{
	static const char *const types[] = {"MatMul", "Conv2D", "AddV2", "Relu", "Mul"};
	static const char *const events[] = {"ThreadpoolListener::Record",
		"ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion", "train"};
	static const char *const stats[] = {"_pt", "_p", "_ct", "_c", "step_num", "_r"};
	char name[64];

	for (int i = 0; i < N_OPS; i++) {
		snprintf(name, sizeof(name), "model/layer_%d/%s_%d:%s", i / 20, types[i % 5], i,
			types[i % 5]);
		put_name(b, XPLANE_EVENT_METADATA, i + 1, name);
	}
	for (int i = 0; i < 4; i++)
		put_name(b, XPLANE_EVENT_METADATA, RECORD + i, events[i]);
	for (int i = 0; i < 6; i++)
		put_name(b, XPLANE_STAT_METADATA, i + 1, stats[i]);
}

int main(int argc, char **argv)
{
	int64_t steps = argc == 2 ? strtoll(argv[1], NULL, 10) : 0;
	struct buf b = {0};
	size_t plane;

	if (steps <= 0) {
		fprintf(stderr, "usage: generate_xplane STEPS\n");
		return 2;
	}
	plane = wire_open(&b, XSPACE_PLANES);
	wire_put_bytes(&b, XPLANE_NAME, SPAN("/host:CPU"));
	put_line(&b, 0, "python", steps);
	put_line(&b, 1, "tf_Compute/1", steps);
	put_line(&b, 2, "tf_Compute/2", steps);
	put_names(&b);
	wire_close(&b, plane);
	if (b.failed || fwrite(b.at, 1, b.n, stdout) != b.n)
		return 1;
	buf_clear(&b);
	return 0;
}
