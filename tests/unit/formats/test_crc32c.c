#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/checkpoint/crc32c.h"

/* RFC 3720, appendix B.4, and the usual check value. */
static void test_known_values(void **state)
{
	unsigned char bytes[32];

	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(crc32c_extend(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32c_extend(0, bytes, 32), 0x62a8ab43);
	for (unsigned char i = 0; i < 32; i++)
		bytes[i] = i;
	assert_int_equal(crc32c_extend(0, bytes, 32), 0x46dd794e);
	assert_int_equal(crc32c_extend(0, "123456789", 9), 0xe3069283);
	assert_int_equal(crc32c_extend(0, "", 0), 0);
}

/* Every length and alignment, with and without the processor's help. */
static void test_portable_is_the_same(void **state)
{
	unsigned char bytes[256];
	uint32_t random = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(random >> 24);
	}
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; from + n <= sizeof(bytes); n++)
			assert_int_equal(crc32c_extend(0, bytes + from, n),
				crc32c_extend_portable(0, bytes + from, n));
}

static void test_in_pieces(void **state)
{
	const char *text = "a checksum of pieces is the checksum of the whole";
	size_t n = strlen(text);

	for (size_t i = 0; i <= n; i++) {
		uint32_t crc = crc32c_extend(0, text, i);

		assert_int_equal(crc32c_extend(crc, text + i, n - i), crc32c_extend(0, text, n));
	}
}

/* The mask as TensorFlow's record files have it: 0 becomes the constant. */
static void test_mask(void **state)
{
	assert_int_equal(crc32c_mask(0), 0xa282ead8);
	assert_int_equal(crc32c_mask(0xe3069283), 0xc78ab0e5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_portable_is_the_same),
		cmocka_unit_test(test_in_pieces),
		cmocka_unit_test(test_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
