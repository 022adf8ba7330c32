/* Chrome's trace event format in JSON, one line per event:
 *
 *     chrome_open(&j);
 *     chrome_put_process(&j, 1, "", SPAN("/cpu:0"), " Compute");
 *     chrome_open_event(&j, "X", "Op", SPAN("Conv2D"), (struct chrome_place){1, 0}, 100);
 *     json_put_int(&j, "dur", 20);
 *     chrome_open_args(&j);
 *     json_put_text(&j, "name", "conv1");
 *     chrome_close_args(&j);
 *     chrome_close_event(&j);
 *     chrome_close(&j);
 *
 * Chrome's own viewer and Perfetto open the result. */
#ifndef TFPROF_WRITE_CHROME_TRACE_H
#define TFPROF_WRITE_CHROME_TRACE_H

#include "write/json.h"

/* Process and thread, as viewers call them. */
struct chrome_place {
	int64_t pid;
	int64_t tid;
};

void chrome_open(struct json *j);
void chrome_close(struct json *j);

/* Names a process: prefix, name and suffix joined. */
void chrome_put_process(struct json *j, int64_t pid, const char *prefix, struct span name,
	const char *suffix);

/* Names a thread. */
void chrome_put_thread(struct json *j, struct chrome_place place, struct span name);

/* Begins any other event; more members may follow. */
void chrome_open_event(struct json *j, const char *phase, const char *category, struct span name,
	struct chrome_place place, int64_t time_us);
void chrome_close_event(struct json *j);

void chrome_open_args(struct json *j);
void chrome_close_args(struct json *j);

#endif
