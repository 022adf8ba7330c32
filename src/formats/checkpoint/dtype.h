/* TensorFlow's data types: how elements are stored, and how to decode them to C
 * types. */
#ifndef TFPROF_FORMATS_CHECKPOINT_DTYPE_H
#define TFPROF_FORMATS_CHECKPOINT_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The C type that values are decoded to. */
enum dtype_kind {
	DTYPE_OPAQUE,  /* cannot be shown: resource, variant, unknown types */
	DTYPE_INTEGER, /* int64_t; also bool, as 0 and 1 */
	DTYPE_NATURAL, /* uint64_t */
	DTYPE_REAL,    /* double */
	DTYPE_COMPLEX, /* struct dtype_complex */
	DTYPE_TEXT,    /* struct span */
};

struct dtype_complex {
	double real, imaginary;
};

struct dtype_info {
	const char *name; /* "float", "qint8", …; "unknown" */
	enum dtype_kind kind;
	unsigned char size; /* bytes of a stored element; 0: varies */
	unsigned char unit; /* bytes that byte order applies to */
	/* Floating point below 64 bits: sign, exponent, fraction. */
	unsigned char exponent_bits, fraction_bits;
	unsigned char bias;
	unsigned char specials; /* enum dtype_specials */
};

/* By the number of TensorFlow's DataType. Never NULL. */
const struct dtype_info *dtype_get(uint32_t dtype);

/* Bytes of a decoded value. */
size_t dtype_value_size(enum dtype_kind kind);

/* Decodes `n` stored elements of a type of fixed size. */
void dtype_decode(const struct dtype_info *type, const char *stored, bool swap_bytes, size_t n,
	void *values);

/* The value of a floating-point number of up to 32 bits. */
double dtype_real(const struct dtype_info *type, uint32_t bits);

#endif
