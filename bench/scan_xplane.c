/* The limit to come near: a bare scan of a trace that reads the id, the offset and the
 * duration of every event, and keeps nothing.
 *
 *     scan_xplane FILE        prints {"scan_ms": …, "events": …, "sum": …}: CPU time */
#include <stdio.h>

#include "each.h"
#include "model/source.h"
#include "now.h"
#include "proto/decoder.h"

static unsigned long long sum, n_events;

static void scan_event(struct span event)
{
	struct wire_reader r = wire_reader(event);
	struct wire_field f;

	n_events++;
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(XEVENT_METADATA_ID) ||
			f.tag == WIRE_VARINT(XEVENT_OFFSET_PS) ||
			f.tag == WIRE_VARINT(XEVENT_DURATION_PS))
			sum += f.value;
}

static void scan_line(struct span line)
{
	each(line, WIRE_LEN(XLINE_EVENTS), scan_event);
}

static void scan_plane(struct span plane)
{
	each(plane, WIRE_LEN(XPLANE_LINES), scan_line);
}

int main(int argc, char **argv)
{
	struct tfprof_input in = tfprof_input_file(argc == 2 ? argv[1] : "");
	struct tfprof_error err;
	struct source source;
	double start = now_ms();

	if (source_open(&source, &in, &err) != TFPROF_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	each(source.bytes, WIRE_LEN(XSPACE_PLANES), scan_plane);
	printf("{\"scan_ms\": %.3f, \"events\": %llu, \"sum\": %llu}\n", now_ms() - start, n_events,
		sum);
	source_close(&source);
	return 0;
}
