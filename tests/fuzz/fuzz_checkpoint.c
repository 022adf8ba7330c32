/* Any bytes as a checkpoint: opened, listed, read in stretches, walked and
 * shown. Checksums count as right in this build.
 *
 *     input = 0, V1 file
 *           | 1, size of the index (16 bits, little-endian), index, data file
 *
 * The corpus is tests/data/checkpoint in this form. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/checkpoint/checkpoint.h"
#include "load/recognize.h"
#include "query/tensor_value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More would be slow without being different. */
#define MOST_VALUES 2000
#define MOST_EVENTS 20000
#define MOST_TENSORS 50

static char prefix[64];

static void remove_files(void)
{
	static const char *const suffixes[] = {"", ".index", ".data-00000-of-00001"};
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", prefix, suffixes[i]);
		unlink(path);
	}
}

static void write_file(const char *suffix, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", prefix, suffix);
	file = fopen(path, "wb");
	if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file))
		abort();
}

/* Not static: the compiler would drop what is never read. */
extern unsigned touched;
unsigned touched;

/* Looks at each value, for the sanitizers to see. */
static void touch(const struct checkpoint_values *v)
{
	const char *bytes = v->any;

	for (size_t i = 0; i < v->n * dtype_value_size(v->kind); i++)
		touched += (unsigned char)bytes[i];
	for (size_t i = 0; v->kind == DTYPE_TEXT && i < v->n; i++)
		for (size_t k = 0; k < v->texts[i].n && k < 64; k++)
			touched += (unsigned char)v->texts[i].at[k];
}

static void read_some(const struct checkpoint *ckpt, const struct checkpoint_tensor *t)
{
	uint64_t n = t->shape.n_elements, starts[] = {0, n / 2, n ? n - 1 : 0, 3};
	struct checkpoint_reader r;
	struct checkpoint_values v;
	struct checkpoint_walk w;
	struct tfprof_error err;
	int events = 0;

	if (checkpoint_reader_open(&r, ckpt, t, n < MOST_VALUES, &err) != TFPROF_OK)
		return;
	for (int i = 0; i < 4; i++)
		if (checkpoint_read(&r, starts[i], MOST_VALUES, &v, &err) == TFPROF_OK)
			touch(&v);
	if (checkpoint_walk_begin(&w, &r, &err) == TFPROF_OK)
		while (checkpoint_walk_next(&w, &err) == TFPROF_OK && w.event &&
			events++ < MOST_EVENTS)
			if (w.event == CHECKPOINT_VALUE)
				touch(&w.value);
	checkpoint_reader_close(&r);
}

static void read_all(void)
{
	struct buf text = {0}, message = {0};
	struct tfprof_error err;
	struct checkpoint *ckpt;

	if (checkpoint_open(&ckpt, prefix, recognize_name, &err) != TFPROF_OK)
		return;
	for (size_t i = 0; i < checkpoint_get_n_tensors(ckpt) && i < MOST_TENSORS; i++) {
		const struct checkpoint_tensor *t = checkpoint_get_tensor(ckpt, i);

		if (checkpoint_find(ckpt, t->name) == NULL)
			abort();
		read_some(ckpt, t);
		text.n = message.n = 0;
		if (t->shape.n_elements < MOST_VALUES)
			tensor_value_put(ckpt, t, &text, &message, &err);
		else
			tensor_value_put(ckpt, t, &text, NULL, &err);
		if (text.n > 10003 + strlen("...omitted from display\n\n"))
			abort();
	}
	checkpoint_free(ckpt);
	buf_clear(&text);
	buf_clear(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t index;

	if (!prefix[0]) {
		snprintf(prefix, sizeof(prefix), "/tmp/fuzz_checkpoint.%d", (int)getpid());
		atexit(remove_files);
	}
	if (size < 1)
		return 0;
	if (data[0] == 0) {
		remove_files();
		write_file("", data + 1, size - 1);
	} else {
		if (size < 3)
			return 0;
		index = (size_t)data[1] | (size_t)data[2] << 8;
		index = index < size - 3 ? index : size - 3;
		write_file(".index", data + 3, index);
		write_file(".data-00000-of-00001", data + 3 + index, size - 3 - index);
	}
	read_all();
	return 0;
}
