/* What the reader makes of checkpoints, for tests to compare: a JSON line per
 * path on stdin, or for the paths on the command line.
 *
 *     {"path": "…", "tensors": [{"name": "hex", "dtype": 1, "dims": [2, 3],
 *      "values": […]}, …]}
 *     {"path": "…", "error": "…"}          also inside a tensor
 *
 * Numbers are exact: floats are hexadecimal strings, names and strings are
 * hexadecimal bytes, a complex number is a pair. A path may have "N:" before
 * it: then only the first N elements are read; or "report:": then each tensor
 * has, instead of values, the "text" and the "message" that a report shows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/checkpoint/checkpoint.h"
#include "load/recognize.h"
#include "query/tensor_value.h"

static void put_hex(struct span s)
{
	putchar('"');
	for (size_t i = 0; i < s.n; i++)
		printf("%02x", (unsigned char)s.at[i]);
	putchar('"');
}

static void put_error(const struct tfprof_error *err)
{
	printf("\"error\": \"");
	for (const char *c = err->text; *c; c++)
		printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	putchar('"');
}

static void put_value(const struct checkpoint_values *v, size_t i)
{
	switch (v->kind) {
	case DTYPE_INTEGER: printf("%" PRId64, v->integers[i]); break;
	case DTYPE_NATURAL: printf("%" PRIu64, v->naturals[i]); break;
	case DTYPE_REAL: printf("\"%a\"", v->reals[i]); break;
	case DTYPE_COMPLEX:
		printf("[\"%a\", \"%a\"]", v->complexes[i].real, v->complexes[i].imaginary);
		break;
	default: put_hex(v->texts[i]);
	}
}

static void put_values(const struct checkpoint *ckpt, const struct checkpoint_tensor *t,
	uint64_t count)
{
	struct checkpoint_reader r;
	struct checkpoint_values v;
	struct tfprof_error err;

	if (checkpoint_reader_open(&r, ckpt, t, count == UINT64_MAX, &err) != TFPROF_OK) {
		put_error(&err);
		return;
	}
	if (checkpoint_read(&r, 0, count, &v, &err) != TFPROF_OK) {
		put_error(&err);
	} else {
		printf("\"values\": [");
		for (size_t i = 0; i < v.n; i++) {
			printf(i ? ", " : "");
			put_value(&v, i);
		}
		printf("]");
	}
	checkpoint_reader_close(&r);
}

/* The text must be the same without the message, though less is read then. */
static void put_report(const struct checkpoint *ckpt, const struct checkpoint_tensor *t)
{
	struct buf text = {0}, again = {0}, message = {0};
	struct tfprof_error err;

	if (tensor_value_put(ckpt, t, &text, &message, &err) != TFPROF_OK ||
		tensor_value_put(ckpt, t, &again, NULL, &err) != TFPROF_OK) {
		put_error(&err);
	} else {
		printf("\"text\": ");
		put_hex(span_equal(buf_get(&text), buf_get(&again)) ? buf_get(&text) : SPAN("?"));
		printf(", \"message\": ");
		put_hex(buf_get(&message));
	}
	buf_clear(&text);
	buf_clear(&again);
	buf_clear(&message);
}

static void put_tensor(const struct checkpoint *ckpt, const struct checkpoint_tensor *t,
	uint64_t count, bool report)
{
	printf("{\"name\": ");
	put_hex(t->name);
	printf(", \"dtype\": %u, \"dims\": [", t->dtype);
	for (uint32_t i = 0; i < t->shape.rank; i++)
		printf("%s%" PRId64, i ? ", " : "", t->shape.dims[i]);
	printf("], ");
	if (report)
		put_report(ckpt, t);
	else
		put_values(ckpt, t, count);
	printf("}");
}

static void dump(const char *line)
{
	char *path;
	unsigned long long limit = strtoull(line, &path, 10);
	bool limited = path != line && *path == ':', report = !strncmp(line, "report:", 7);
	struct checkpoint *ckpt;
	struct tfprof_error err;

	path = limited ? path + 1 : (char *)(uintptr_t)line + (report ? 7 : 0);
	printf("{\"path\": ");
	put_hex(span_of(path));
	printf(", ");
	if (checkpoint_open(&ckpt, path, recognize_name, &err) != TFPROF_OK) {
		put_error(&err);
	} else {
		printf("\"tensors\": [");
		for (size_t i = 0; i < checkpoint_get_n_tensors(ckpt); i++) {
			printf(i ? ", " : "");
			put_tensor(ckpt, checkpoint_get_tensor(ckpt, i),
				limited ? limit : UINT64_MAX, report);
		}
		printf("]");
		checkpoint_free(ckpt);
	}
	printf("}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[4096];

	for (int i = 1; i < argc; i++)
		dump(argv[i]);
	while (argc == 1 && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		dump(line);
	}
	return 0;
}
