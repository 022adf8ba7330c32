#include "formats/checkpoint/dtype.h"

#include <math.h>

#include "proto/fields.h"

/* Meaning of the largest exponent. */
enum dtype_specials {
	SPECIALS_IEEE, /* infinity, and NaN if the fraction is not 0 */
	SPECIALS_FN,   /* numbers; all ones is NaN */
	SPECIALS_FNUZ, /* numbers; minus zero is NaN */
	SPECIALS_NONE, /* numbers */
};

#define INTEGER(bytes) DTYPE_INTEGER, bytes, bytes, 0, 0, 0, 0
#define NATURAL(bytes) DTYPE_NATURAL, bytes, bytes, 0, 0, 0, 0
#define REAL(bytes, exponent, fraction, bias, specials) \
	DTYPE_REAL, bytes, bytes, exponent, fraction, bias, SPECIALS_##specials
#define COMPLEX(unit) DTYPE_COMPLEX, 2 * (unit), unit, 0, 0, 0, 0
#define VARIES(kind) DTYPE_##kind, 0, 0, 0, 0, 0, 0

static const struct dtype_info types[] = {
	[DT_INVALID] = {"unknown", VARIES(OPAQUE)},
	[DT_FLOAT] = {"float", REAL(4, 8, 23, 127, IEEE)},
	[DT_DOUBLE] = {"double", REAL(8, 11, 52, 0, IEEE)},
	[DT_INT32] = {"int32", INTEGER(4)},
	[DT_UINT8] = {"uint8", NATURAL(1)},
	[DT_INT16] = {"int16", INTEGER(2)},
	[DT_INT8] = {"int8", INTEGER(1)},
	[DT_STRING] = {"string", VARIES(TEXT)},
	[DT_COMPLEX64] = {"complex64", COMPLEX(4)},
	[DT_INT64] = {"int64", INTEGER(8)},
	[DT_BOOL] = {"bool", INTEGER(1)},
	[DT_QINT8] = {"qint8", INTEGER(1)},
	[DT_QUINT8] = {"quint8", NATURAL(1)},
	[DT_QINT32] = {"qint32", INTEGER(4)},
	[DT_BFLOAT16] = {"bfloat16", REAL(2, 8, 7, 127, IEEE)},
	[DT_QINT16] = {"qint16", INTEGER(2)},
	[DT_QUINT16] = {"quint16", NATURAL(2)},
	[DT_UINT16] = {"uint16", NATURAL(2)},
	[DT_COMPLEX128] = {"complex128", COMPLEX(8)},
	[DT_HALF] = {"half", REAL(2, 5, 10, 15, IEEE)},
	[DT_RESOURCE] = {"resource", VARIES(OPAQUE)},
	[DT_VARIANT] = {"variant", VARIES(OPAQUE)},
	[DT_UINT32] = {"uint32", NATURAL(4)},
	[DT_UINT64] = {"uint64", NATURAL(8)},
	[DT_FLOAT8_E5M2] = {"float8_e5m2", REAL(1, 5, 2, 15, IEEE)},
	[DT_FLOAT8_E4M3FN] = {"float8_e4m3fn", REAL(1, 4, 3, 7, FN)},
	[DT_FLOAT8_E4M3FNUZ] = {"float8_e4m3fnuz", REAL(1, 4, 3, 8, FNUZ)},
	[DT_FLOAT8_E4M3B11FNUZ] = {"float8_e4m3b11fnuz", REAL(1, 4, 3, 11, FNUZ)},
	[DT_FLOAT8_E5M2FNUZ] = {"float8_e5m2fnuz", REAL(1, 5, 2, 16, FNUZ)},
	/* Elements of less than 8 bits take a whole byte. */
	[DT_INT4] = {"int4", INTEGER(1)},
	[DT_UINT4] = {"uint4", NATURAL(1)},
	[DT_INT2] = {"int2", INTEGER(1)},
	[DT_UINT2] = {"uint2", NATURAL(1)},
	[DT_FLOAT4_E2M1FN] = {"float4_e2m1fn", REAL(1, 2, 1, 1, NONE)},
};

#define N_TYPES (sizeof(types) / sizeof(*types))

const struct dtype_info *dtype_get(uint32_t dtype)
{
	return &types[dtype < N_TYPES ? dtype : 0];
}

size_t dtype_value_size(enum dtype_kind kind)
{
	switch (kind) {
	case DTYPE_COMPLEX: return sizeof(struct dtype_complex);
	case DTYPE_TEXT: return sizeof(struct span);
	default: return 8;
	}
}

double dtype_real(const struct dtype_info *type, uint32_t bits)
{
	unsigned fraction_bits = type->fraction_bits, exponent_bits = type->exponent_bits;
	uint32_t fraction = bits & ((1u << fraction_bits) - 1);
	int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
	bool negative = bits >> (fraction_bits + exponent_bits) & 1;
	bool top = exponent == (1 << exponent_bits) - 1;
	double value;

	if (top && type->specials == SPECIALS_IEEE)
		value = fraction ? NAN : INFINITY;
	else if (top && type->specials == SPECIALS_FN && fraction == (1u << fraction_bits) - 1)
		value = NAN;
	else if (type->specials == SPECIALS_FNUZ && negative && !exponent && !fraction)
		return NAN;
	else if (exponent)
		value = ldexp(fraction + (double)(1u << fraction_bits),
			exponent - type->bias - (int)fraction_bits);
	else
		value = ldexp(fraction, 1 - type->bias - (int)fraction_bits);
	return negative ? -value : value;
}

/* Loads an element's bytes as an unsigned number. */
static uint64_t load(const char *stored, size_t size, bool swap)
{
	unsigned char bytes[8] = {0};
	uint64_t value;

	memcpy(bytes, stored, size);
	if (swap)
		for (size_t i = 0; i < size / 2; i++) {
			unsigned char byte = bytes[i];

			bytes[i] = bytes[size - 1 - i];
			bytes[size - 1 - i] = byte;
		}
	memcpy(&value, bytes, 8);
	return value;
}

static int64_t extend_sign(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Integers of less than 8 bits use the low bits of their byte. */
static unsigned integer_bits(const struct dtype_info *type)
{
	switch (type - types) {
	case 29:
	case 30: return 4;
	case 31:
	case 32: return 2;
	default: return 8u * type->size;
	}
}

static double load_real(const struct dtype_info *type, const char *stored, size_t size, bool swap)
{
	uint64_t bits = load(stored, size, swap);
	double wide;
	float narrow;

	switch (size) {
	case 8: memcpy(&wide, &bits, 8); return wide;
	case 4: memcpy(&narrow, &bits, 4); return (double)narrow;
	default: return dtype_real(type, (uint32_t)bits);
	}
}

void dtype_decode(const struct dtype_info *type, const char *stored, bool swap, size_t n,
	void *values)
{
	unsigned bits = integer_bits(type), size = type->size;

	for (size_t i = 0; i < n; i++, stored += size)
		switch (type->kind) {
		case DTYPE_INTEGER:
			((int64_t *)values)[i] = type == &types[10]
				? *stored != 0
				: extend_sign(load(stored, size, swap), bits);
			break;
		case DTYPE_NATURAL:
			((uint64_t *)values)[i] = load(stored, size, swap) & (~0ull >> (64 - bits));
			break;
		case DTYPE_REAL: ((double *)values)[i] = load_real(type, stored, size, swap); break;
		case DTYPE_COMPLEX:
			((struct dtype_complex *)values)[i] =
				(struct dtype_complex){load_real(type, stored, type->unit, swap),
					load_real(type, stored + type->unit, type->unit, swap)};
			break;
		default: return;
		}
}
