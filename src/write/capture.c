/* The member "capture" of every JSON document: what its numbers cover. */
#include "ask/capture.h"

#include "ask/gaps.h"
#include "write/answer.h"

static void put_files(const struct capture *c, struct json *j)
{
	json_key(j, "files");
	json_open_array(j);
	for (size_t i = 0; i < c->files.n; i++) {
		const struct captured_file *file = &c->files.at[i];

		json_open_object(j);
		json_put_text(j, "name", file->name);
		json_put_text(j, "kind", file->kind);
		json_key(j, "bytes");
		if (file->n_bytes < 0)
			json_null(j);
		else
			json_int(j, file->n_bytes);
		if (file->side)
			json_put_text(j, "side", file->side);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_steps(const struct capture *c, struct json *j)
{
	json_key(j, "steps");
	json_open_object(j);
	json_put_int(j, "count", (int64_t)c->n_steps);
	if (c->n_steps) {
		json_put_int(j, "first", c->first_step);
		json_put_int(j, "last", c->last_step);
	}
	json_close_object(j);
}

static void put_missing(const struct capture *c, struct json *j)
{
	json_key(j, "missing");
	json_open_array(j);
	for (int gap = 0; gap < N_GAPS; gap++)
		if (c->missing >> gap & 1) {
			json_open_object(j);
			json_put_text(j, "id", gap_get((enum gap)gap)->id);
			json_put_text(j, "what", gap_get((enum gap)gap)->what);
			json_put_text(j, "add", gap_get((enum gap)gap)->remedy);
			json_close_object(j);
		}
	json_close_array(j);
}

void answer_put_capture(const struct answer *a, struct json *j)
{
	const struct capture *c = a->capture;

	json_key(j, "capture");
	json_open_object(j);
	if (c)
		put_files(c, j);
	if (c && c->has_model) {
		put_steps(c, j);
		json_put_int(j, "n_devices", (int64_t)c->n_devices);
		json_key(j, "devices");
		json_open_array(j);
		for (size_t i = 0; i < c->devices.n; i++)
			json_text(j, c->devices.at[i]);
		json_close_array(j);
		put_missing(c, j);
	}
	json_close_object(j);
	json_line(j);
}
