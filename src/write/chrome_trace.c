#include "write/chrome_trace.h"

void chrome_open(struct json *j)
{
	json_open_object(j);
	json_key(j, "traceEvents");
	json_open_array(j);
}

void chrome_close(struct json *j)
{
	sink_char(j->sink, '\n');
	json_close_array(j);
	json_close_object(j);
	sink_char(j->sink, '\n');
}

void chrome_put_process(struct json *j, int64_t pid, const char *prefix, struct span name,
	const char *suffix)
{
	json_line(j);
	json_open_object(j);
	json_put_text(j, "name", "process_name");
	json_put_text(j, "ph", "M");
	json_put_int(j, "pid", pid);
	chrome_open_args(j);
	json_key(j, "name");
	json_open_string(j);
	json_add_text(j, prefix);
	json_add_span(j, name);
	json_add_text(j, suffix);
	json_close_string(j);
	chrome_close_args(j);
	json_close_object(j);
}

void chrome_put_thread(struct json *j, struct chrome_place place, struct span name)
{
	json_line(j);
	json_open_object(j);
	json_put_text(j, "name", "thread_name");
	json_put_text(j, "ph", "M");
	json_put_int(j, "pid", place.pid);
	json_put_int(j, "tid", place.tid);
	chrome_open_args(j);
	json_put_string(j, "name", name);
	chrome_close_args(j);
	json_close_object(j);
}

void chrome_open_event(struct json *j, const char *phase, const char *category, struct span name,
	struct chrome_place place, int64_t time_us)
{
	json_line(j);
	json_open_object(j);
	json_put_text(j, "ph", phase);
	json_put_text(j, "cat", category);
	json_put_string(j, "name", name);
	json_put_int(j, "pid", place.pid);
	json_put_int(j, "tid", place.tid);
	json_put_int(j, "ts", time_us);
}

void chrome_close_event(struct json *j)
{
	json_close_object(j);
}

void chrome_open_args(struct json *j)
{
	json_key(j, "args");
	json_open_object(j);
}

void chrome_close_args(struct json *j)
{
	json_close_object(j);
}
