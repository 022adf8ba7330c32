/* Numbers as people type them: 1000, 1.5ms, 20MB, 3k. */
#ifndef TFPROF_QUERY_AMOUNT_H
#define TFPROF_QUERY_AMOUNT_H

#include <stdint.h>

#include "base/error.h"

/* What a number counts decides which units may follow it. */
enum amount_kind {
	AMOUNT_PLAIN,
	AMOUNT_COUNT,
	AMOUNT_MICROS,
	AMOUNT_BYTES,
	AMOUNT_RATE,
	N_AMOUNTS
};

/* The units of each kind, for help and messages: those that reports print, and a few
 * more. In reports and here, a KB is 1000 bytes. */
#define AMOUNT_UNITS_PLAIN NULL
#define AMOUNT_UNITS_COUNT "k, M, G, T, b"
#define AMOUNT_UNITS_MICROS "us, ms, s, sec, min"
#define AMOUNT_UNITS_BYTES "B, KB, MB, GB, TB, KiB, MiB, GiB"
#define AMOUNT_UNITS_RATE "k, M, G, T, P"

/* Parses a whole number, or a number and a unit in upper or lower case whose product is
 * whole. `option` names it in errors. */
enum tfprof_status amount_parse(const char *option, enum amount_kind kind, struct span text,
	int64_t *value, struct tfprof_error *err);

#endif
