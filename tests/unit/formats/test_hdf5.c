#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* HDF5 files that Keras and h5py wrote: their datasets are those that h5py lists. */
#include "files.h"
#include "formats/hdf5.h"
#include "proto/fields.h"

static const struct {
	const char *name;
	int dtype;
} dtypes[] = {
	{"int8", DT_INT8},
	{"int16", DT_INT16},
	{"int32", DT_INT32},
	{"int64", DT_INT64},
	{"uint8", DT_UINT8},
	{"uint16", DT_UINT16},
	{"uint32", DT_UINT32},
	{"uint64", DT_UINT64},
	{"float16", DT_HALF},
	{"float32", DT_FLOAT},
	{"float64", DT_DOUBLE},
	{"bool", DT_BOOL},
	{"|S3", 0},
};

static int dtype_named(const char *name)
{
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
		if (strcmp(dtypes[i].name, name) == 0)
			return dtypes[i].dtype;
	fail_msg("dtype %s", name);
	return 0;
}

static const struct hdf5_object *find(const struct hdf5_file *f, const char *path)
{
	for (size_t i = 0; i < f->objects.n; i++)
		if (span_equal(f->objects.at[i].path, span_of(path)))
			return &f->objects.at[i];
	fail_msg("no object %s", path);
	return NULL;
}

static void has_shape(const struct hdf5_object *o, const char *shape)
{
	struct buf text = {0};

	for (int i = 0; i < o->rank; i++)
		buf_printf(&text, "%s%lld", i ? "x" : "", (long long)o->dims[i]);
	if (o->rank <= 0)
		buf_text(&text, o->rank ? "unknown" : "scalar");
	assert_string_equal(text.at, shape);
	buf_clear(&text);
}

static void datasets_are_those_that_h5py_lists(void **state)
{
	struct buf expected = read_data("hdf5/expected.txt"), bytes = {0};
	struct span rest = buf_get(&expected);
	char line[300], file[40], path[200], shape[60], dtype[20], before[40] = "";
	struct hdf5_file f = {0};
	size_t n_listed = 0, n_files = 0;

	while (next_line(&rest, line, sizeof(line))) {
		const struct hdf5_object *o;

		assert_int_equal(sscanf(line, "%39s %199s %59s %19s", file, path, shape, dtype), 4);
		if (strcmp(file, before) != 0) {
			struct tfprof_error err;
			char name[60];

			snprintf(name, sizeof(name), "hdf5/%s", file);
			hdf5_clear(&f);
			buf_clear(&bytes);
			bytes = read_data(name);
			assert_int_equal(hdf5_read(&f, buf_get(&bytes), &err), TFPROF_OK);
			memcpy(before, file, sizeof(file));
			n_files++;
			for (size_t i = 0; i < f.objects.n; i++)
				n_listed -= f.objects.at[i].is_dataset;
		}
		o = find(&f, path);
		assert_true(o->is_dataset);
		has_shape(o, strcmp(path, "rank/9") == 0 ? "unknown" : shape);
		assert_int_equal(o->dtype, dtype_named(dtype));
		n_listed++;
	}
	assert_int_equal(n_files, 3);
	assert_int_equal(n_listed, 0); /* and no others */
	hdf5_clear(&f);
	buf_clear(&bytes);
	buf_clear(&expected);
}

/* Written by h5py: a float of 16 bits, 8 of them the exponent; one of IEEE; 16 opaque bits, as
 * Keras writes bfloat16. */
static void floats_of_16_bits_are_told_apart(void **state)
{
	struct buf bytes = read_data("hdf5/floats.h5");
	struct tfprof_error err;
	struct hdf5_file f;

	assert_int_equal(hdf5_read(&f, buf_get(&bytes), &err), TFPROF_OK);
	assert_int_equal(find(&f, "brain")->dtype, DT_BFLOAT16);
	assert_int_equal(find(&f, "half")->dtype, DT_HALF);
	assert_int_equal(find(&f, "opaque")->dtype, DT_BFLOAT16);
	hdf5_clear(&f);
	buf_clear(&bytes);
}

static void attributes_are_texts(void **state)
{
	struct buf bytes = read_data("hdf5/types.h5"), model = read_data("hdf5/keras_model.h5");
	struct tfprof_error err;
	struct hdf5_file f;

	assert_int_equal(hdf5_read(&f, buf_get(&bytes), &err), TFPROF_OK);
	assert_true(span_equal(f.keras_version, SPAN("9.9")));
	assert_true(span_equal(f.model_config, SPAN("{}")));
	assert_true(span_equal(find(&f, "of")->name, SPAN("a fixed text")));
	assert_true(span_equal(find(&f, "rank")->name, SPAN("bytes")));
	assert_false(find(&f, "of")->is_dataset);
	hdf5_clear(&f);
	assert_int_equal(hdf5_read(&f, buf_get(&model), &err), TFPROF_OK);
	assert_true(f.keras_version.n && f.keras_version.at[0] == '3');
	assert_memory_equal(f.model_config.at, "{\"class_name\": \"Sequential\"", 27);
	hdf5_clear(&f);
	buf_clear(&model);
	buf_clear(&bytes);
}

static void refused(struct span bytes, const char *text)
{
	struct tfprof_error err;
	struct hdf5_file f;

	assert_int_equal(hdf5_read(&f, bytes, &err), TFPROF_FORMAT);
	if (!strstr(err.text, text))
		fail_msg("%s: not in: %s", text, err.text);
	hdf5_clear(&f);
}

/* A superblock of version 0, and the header of a root group, in as few bytes as possible. */
static void make_file(unsigned char *at, size_t n, int message, size_t message_n)
{
	memset(at, 0, n);
	memcpy(at, "\x89HDF\r\n\x1a\n", 8);
	at[13] = at[14] = 8;
	at[64] = 96; /* the root's header */
	at[96] = 1;
	at[104] = (unsigned char)(8 + message_n);
	at[112] = (unsigned char)message;
	at[114] = (unsigned char)message_n;
}

static void damage_is_refused_with_its_place(void **state)
{
	struct buf newest = read_data("hdf5/newest.h5"), bytes = read_data("hdf5/types.h5");
	unsigned char file[160];
	struct span all = {(char *)file, sizeof(file)};

	refused(buf_get(&newest), "a version that Keras does not write (byte 8");
	refused((struct span){bytes.at, 50}, "cut short");
	refused((struct span){bytes.at, bytes.n / 2}, "cut short");
	make_file(file, sizeof(file), 0x11, 16);
	file[128] = 150; /* its heap is beyond the end */
	refused(all, "cut short, or an address beyond its end (byte 150 of 160)");
	file[128] = 0; /* where there is none */
	refused(all, "no heap of names");
	make_file(file, sizeof(file), 0x0c, 8);
	file[114] = 30; /* longer than its block */
	refused(all, "a message beyond its block");
	make_file(file, sizeof(file), 0, 0);
	file[96] = 2;
	refused(all, "an object header of a version that Keras does not write (byte 96");
	/* A block that continues in itself ends. */
	make_file(file, sizeof(file), 0x10, 16);
	file[120] = 112;
	file[128] = 24;
	refused(all, "more objects than it has room for");
	buf_clear(&bytes);
	buf_clear(&newest);
}

/* Whatever a byte becomes, reading ends, and inside the file (under the sanitizers). */
static void any_changed_byte_is_survived(void **state)
{
	struct buf bytes = read_data("hdf5/keras.weights.h5");
	struct tfprof_error err;
	struct hdf5_file f;

	for (size_t i = 0; i < bytes.n; i += 3) {
		char before = bytes.at[i];

		bytes.at[i] = (char)(before ^ 0x91);
		hdf5_read(&f, buf_get(&bytes), &err);
		assert_true(f.objects.n < bytes.n);
		hdf5_clear(&f);
		bytes.at[i] = before;
	}
	buf_clear(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datasets_are_those_that_h5py_lists),
		cmocka_unit_test(floats_of_16_bits_are_told_apart),
		cmocka_unit_test(attributes_are_texts),
		cmocka_unit_test(damage_is_refused_with_its_place),
		cmocka_unit_test(any_changed_byte_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
