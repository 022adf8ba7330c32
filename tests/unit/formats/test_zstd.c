#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Unpacking: frames in a row, damage, and the limit. */
#include <zstd.h>

#include "formats/packed.h"

static void pack(struct span content, struct buf *out)
{
	size_t room = ZSTD_compressBound(content.n), n;

	assert_true(buf_reserve(out, room));
	n = ZSTD_compress(out->at + out->n, room, content.at, content.n, 3);
	assert_false(ZSTD_isError(n));
	out->n += n;
}

static void refused_as(enum tfprof_status status, struct span packed, size_t limit,
	const char *text)
{
	struct tfprof_error err;
	struct buf out = {0};

	assert_int_equal(zstd_unpack(packed, limit, "x.zst", &out, &err), status);
	if (!strstr(err.text, text))
		fail_msg("%s: not in: %s", text, err.text);
	buf_clear(&out);
}

static void refused(struct span packed, size_t limit, const char *text)
{
	refused_as(TFPROF_FORMAT, packed, limit, text);
}

static void frames_in_a_row_are_one(void **state)
{
	struct buf packed = {0}, out = {0};

	pack(SPAN("one, "), &packed);
	pack(SPAN(""), &packed);
	pack(SPAN("two"), &packed);
	assert_string_equal(packing_of(buf_get(&packed))->name, "zstd");
	assert_int_equal(zstd_unpack(buf_get(&packed), 8, "x.zst", &out, NULL), TFPROF_OK);
	assert_true(span_equal(buf_get(&out), SPAN("one, two")));
	buf_clear(&packed);
	buf_clear(&out);
}

static void damage_is_reported(void **state)
{
	struct buf packed = {0};

	pack(SPAN("some content that is long enough to be cut"), &packed);
	for (size_t n = 4; n < packed.n; n++)
		refused((struct span){packed.at, n}, 1000, "cut short");
	buf_text(&packed, "and more");
	refused(buf_get(&packed), 1000, "damaged after");
	buf_clear(&packed);
}

static void a_bomb_is_refused(void **state)
{
	struct buf packed = {0}, zeros = {0}, head = {0};

	assert_true(buf_reserve(&zeros, 10000000));
	buf_fill(&zeros, '\0', 10000000);
	pack(buf_get(&zeros), &packed);
	assert_true(packed.n < 10000);
	refused(buf_get(&packed), 1000000, "more than 1000000 bytes");
	assert_true(zstd_unpack_head(buf_get(&packed), 1000, &head));
	assert_int_equal(head.n, 1000);
	buf_clear(&packed);
	buf_clear(&zeros);
	buf_clear(&head);
}

/* Its header asks for 2 GB; its only block is empty. */
static void a_large_window_is_not_called_damage(void **state)
{
	static const char frame[] = "\x28\xb5\x2f\xfd\x00\xa8\x01\x00";

	refused_as(TFPROF_UNSUPPORTED, (struct span){frame, sizeof(frame)}, 1000,
		"a window of more than 128 MB (zstd --long): unpack it first (unzstd --long=31)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_in_a_row_are_one),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(a_large_window_is_not_called_damage),
		cmocka_unit_test(a_bomb_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
