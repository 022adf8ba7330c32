#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Every layer and operation of Keras: shapes and parameters are those that Keras computes,
 * multiply-accumulates are worked out by hand (tests/oracle/keras_files.py). */
#include <tfprof/tfprof.h>

#include "files.h"
#include "formats/json_reader.h"
#include "formats/zip.h"
#include "make_zip.h"

enum { MOST = 16 << 20 };

/* What is counted of a .keras file with this configuration, as JSON. */
static void count(struct span config, void **json, size_t *n)
{
	struct buf archive = make_zip("config.json", config, "");
	struct tfprof_input input = tfprof_input_bytes(archive.at, archive.n);
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};

	assert_non_null(options);
	if (tfprof_model_ask("model", &input, TFPROF_READ_AS_IS, options, &result, &err) !=
			TFPROF_OK ||
		tfprof_result_render(result, "json", json, n, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	tfprof_result_free(result);
	tfprof_options_free(options);
	buf_clear(&archive);
}

static int64_t number_in(struct json_doc *doc, uint32_t object, const char *key)
{
	int64_t number = -1;

	json_int_of(doc, json_get(doc, object, key), &number);
	return number;
}

/* The shape of the last layer's only result: "1x10x6". */
static void get_shape(struct json_doc *doc, struct buf *text)
{
	uint32_t layers = json_get(doc, 0, "layers"), layer = json_first(doc, layers), last = layer,
		 shape, dim;

	for (; layer != NONE; layer = json_next(doc, layers, layer))
		last = layer;
	shape = json_first(doc, json_get(doc, last, "output_shapes"));
	for (dim = json_first(doc, shape); dim != NONE; dim = json_next(doc, shape, dim)) {
		int64_t size = -1;

		json_int_of(doc, dim, &size);
		buf_printf(text, "%s%lld", text->n ? "x" : "", (long long)size);
	}
	if (!text->n)
		buf_text(text, "scalar");
}

static void check(const char *name, struct span config, const char *shape, long long parameters,
	long long macs)
{
	struct json_doc doc;
	struct buf text = {0};
	void *json;
	size_t n, at;
	uint32_t total;

	count(config, &json, &n);
	assert_null(json_read(&doc, (struct span){json, n}, &at));
	total = json_get(&doc, 0, "total");
	get_shape(&doc, &text);
	if (number_in(&doc, total, "parameters") != parameters ||
		number_in(&doc, total, "macs") != macs ||
		number_in(&doc, total, "not_counted") != 0 || strcmp(text.at, shape) != 0)
		fail_msg("%s: expected %s, %lld parameters, %lld MACs, got %s:\n%.*s", name, shape,
			parameters, macs, text.at, (int)n, (const char *)json);
	buf_clear(&text);
	json_doc_clear(&doc);
	tfprof_bytes_free(json);
}

static void every_layer_and_operation_of_keras(void **state)
{
	struct buf archive = read_data("keras/layers.zip"), list_room = {0};
	struct tfprof_error err;
	struct span rest;
	char line[200], name[80], shape[60], member[100];
	long long parameters, macs;
	size_t n_cases = 0;

	assert_int_equal(zip_get(buf_get(&archive), "expected.txt", MOST, &list_room, &rest, &err),
		TFPROF_OK);
	while (next_line(&rest, line, sizeof(line))) {
		struct buf room = {0};
		struct span config;

		assert_int_equal(sscanf(line, "%79s %59s %lld %lld", name, shape, &parameters,
					 &macs),
			4);
		snprintf(member, sizeof(member), "%s.json", name);
		assert_int_equal(zip_get(buf_get(&archive), member, MOST, &room, &config, &err),
			TFPROF_OK);
		check(name, config, shape, parameters, macs);
		buf_clear(&room);
		n_cases++;
	}
	assert_true(n_cases > 200);
	buf_clear(&list_room);
	buf_clear(&archive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layer_and_operation_of_keras),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
