#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Members of zip archives, stored and deflated, and damage. The archive in tests/data was made
 * by Python's zipfile; the small ones are made here. */
#include "files.h"
#include "formats/zip.h"
#include "make_zip.h"

enum { MOST = 1 << 20 };

static void refused(struct span archive, const char *name, enum tfprof_status status,
	const char *text)
{
	struct tfprof_error err;
	struct buf room = {0};
	struct span bytes;

	assert_int_equal(zip_get(archive, name, MOST, &room, &bytes, &err), status);
	if (!strstr(err.text, text))
		fail_msg("%s: not in: %s", text, err.text);
	buf_clear(&room);
}

static void a_deflated_member_is_unpacked(void **state)
{
	struct buf archive = read_data("keras/layers.zip"), room = {0};
	struct tfprof_error err;
	struct span bytes;

	assert_int_equal(zip_get(buf_get(&archive), "expected.txt", MOST, &room, &bytes, &err),
		TFPROF_OK);
	assert_true(bytes.n > 1000);
	assert_memory_equal(bytes.at, "Activation 1x10x6 0 0\n", 22);
	assert_true(bytes.at == room.at);
	/* No more than is asked for. */
	room.n = 0;
	assert_int_equal(zip_get(buf_get(&archive), "expected.txt", 100, &room, &bytes, &err),
		TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "at most 100 are unpacked"));
	refused(buf_get(&archive), "expected", TFPROF_UNSUPPORTED, "no member expected");
	buf_clear(&room);
	buf_clear(&archive);
}

static void a_stored_member_stays_where_it_is(void **state)
{
	struct buf archive = make_zip("a/b.json", SPAN("content"), "a comment"), room = {0};
	struct tfprof_error err;
	struct span bytes;

	assert_int_equal(zip_get(buf_get(&archive), "a/b.json", 0, &room, &bytes, &err), TFPROF_OK);
	assert_int_equal(bytes.n, 7);
	assert_memory_equal(bytes.at, "content", 7);
	assert_true(bytes.at > archive.at && bytes.at < archive.at + archive.n);
	assert_null(room.at);
	buf_clear(&archive);
}

/* What is written over one field of a small archive. */
static void damage(size_t at, uint32_t value, int size, const char *text)
{
	struct buf archive = make_zip("x", SPAN("content"), "");

	for (int i = 0; i < size; i++)
		archive.at[at + (size_t)i] = (char)(value >> 8 * i);
	refused(buf_get(&archive), "x", TFPROF_FORMAT, text);
	buf_clear(&archive);
}

static void damage_is_refused(void **state)
{
	struct buf archive = make_zip("x", SPAN("content"), "");
	/* The member: header, name, content; its entry of the directory; the end record. */
	size_t entry = 30 + 1 + 7, end = entry + 46 + 1;

	assert_int_equal(archive.n, end + 22);
	for (size_t n = 0; n < archive.n; n++)
		refused((struct span){archive.at, n}, "x", TFPROF_FORMAT, "without its end");
	buf_clear(&archive);
	damage(end + 16, UINT32_MAX, 4, "zip64");
	damage(entry + 42, 1, 4, "x: not at byte 1 of 107");
	damage(entry + 42, 1000000, 4, "x: not at byte 1000000");
	damage(entry + 20, 1000, 4, "x: 1000 bytes at 31 of 107");
	damage(entry + 10, 12, 2, "compression method 12");
	/* The content is no deflated one, and would be too good. */
	damage(entry + 10, 8, 2, "a damaged member");
	archive = make_zip("x", SPAN("content"), "");
	archive.at[entry + 10] = 8;
	archive.at[entry + 26] = 1; /* 65,543 bytes */
	refused(buf_get(&archive), "x", TFPROF_FORMAT, "a member claims 65543 bytes, packed in 7");
	buf_clear(&archive);
}

static void a_damaged_directory_has_no_members(void **state)
{
	struct buf archive = make_zip("x", SPAN("content"), "");
	size_t entry = 30 + 1 + 7;

	archive.at[entry] = 'Q';
	refused(buf_get(&archive), "x", TFPROF_UNSUPPORTED, "no member x");
	archive.at[entry] = 'P';
	archive.at[entry + 30] = 100; /* extra fields beyond the end */
	refused(buf_get(&archive), "x", TFPROF_UNSUPPORTED, "no member x");
	buf_clear(&archive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deflated_member_is_unpacked),
		cmocka_unit_test(a_stored_member_stays_where_it_is),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(a_damaged_directory_has_no_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
