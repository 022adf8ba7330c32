#include "query/amount.h"

#include <strings.h>

#include "base/spelling.h"

static const struct amount_unit {
	enum amount_kind kind;
	const char *name;
	int64_t factor;
} units[] = {
	{AMOUNT_COUNT, "k", 1000},
	{AMOUNT_COUNT, "M", 1000000},
	{AMOUNT_COUNT, "G", 1000000000},
	{AMOUNT_COUNT, "T", 1000000000000},
	{AMOUNT_COUNT, "b", 1000000000},
	{AMOUNT_MICROS, "us", 1},
	{AMOUNT_MICROS, "ms", 1000},
	{AMOUNT_MICROS, "s", 1000000},
	{AMOUNT_MICROS, "sec", 1000000},
	{AMOUNT_MICROS, "min", 60000000},
	{AMOUNT_BYTES, "B", 1},
	{AMOUNT_BYTES, "KB", 1000},
	{AMOUNT_BYTES, "MB", 1000000},
	{AMOUNT_BYTES, "GB", 1000000000},
	{AMOUNT_BYTES, "TB", 1000000000000},
	{AMOUNT_BYTES, "KiB", 1 << 10},
	{AMOUNT_BYTES, "MiB", 1 << 20},
	{AMOUNT_BYTES, "GiB", 1 << 30},
	{AMOUNT_RATE, "k", 1000},
	{AMOUNT_RATE, "M", 1000000},
	{AMOUNT_RATE, "G", 1000000000},
	{AMOUNT_RATE, "T", 1000000000000},
	{AMOUNT_RATE, "P", 1000000000000000},
};

static const char *const unit_lists[N_AMOUNTS] = {AMOUNT_UNITS_PLAIN, AMOUNT_UNITS_COUNT,
	AMOUNT_UNITS_MICROS, AMOUNT_UNITS_BYTES, AMOUNT_UNITS_RATE};

/* 0 if there is no such unit. */
static int64_t find_factor(enum amount_kind kind, struct span name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].kind == kind && strlen(units[i].name) == name.n &&
			strncasecmp(units[i].name, name.at, name.n) == 0)
			return units[i].factor;
	return 0;
}

static enum tfprof_status not_whole(const char *option, enum amount_kind kind, struct span text,
	const char *what, struct tfprof_error *err)
{
	const char *list = unit_lists[kind];

	return error_set(err, TFPROF_ARGUMENT, "%s: '%.*s' is not a %swhole number%s%s",
		OPTION(option), ERROR_SPAN(text), what,
		list ? ", or a number and one of the units " : "", list ? list : "");
}

/* A number being read: digits up to the point, digits after it. */
struct decimal {
	bool is_negative, overflows, is_too_fine;
	size_t n_digits, end;
	int64_t whole;       /* negative numbers are built downwards: their range is larger */
	int64_t part, scale; /* the fraction is part / scale */
};

static void read_whole(struct decimal *d, struct span text)
{
	if (text.n && (text.at[0] == '-' || text.at[0] == '+')) {
		d->is_negative = text.at[0] == '-';
		d->end = 1;
	}
	for (; d->end < text.n && text.at[d->end] >= '0' && text.at[d->end] <= '9'; d->end++) {
		int digit = text.at[d->end] - '0';

		d->n_digits++;
		d->overflows |= __builtin_mul_overflow(d->whole, 10, &d->whole) ||
			__builtin_add_overflow(d->whole, d->is_negative ? -digit : digit,
				&d->whole);
	}
}

/* No unit is larger than the scale, so what follows its digits cannot be whole. */
static void read_fraction(struct decimal *d, struct span text)
{
	enum { MAX_SCALE = 1000000000 };

	d->scale = 1;
	if (d->end >= text.n || text.at[d->end] != '.')
		return;
	for (d->end++; d->end < text.n && text.at[d->end] >= '0' && text.at[d->end] <= '9';
		d->end++) {
		int digit = text.at[d->end] - '0';

		d->n_digits++;
		if (d->scale == MAX_SCALE) {
			d->is_too_fine |= digit != 0;
			continue;
		}
		d->scale *= 10;
		d->part = d->part * 10 + (d->is_negative ? -digit : digit);
	}
}

static struct span skip_blanks(struct span text, size_t from)
{
	while (from < text.n && text.at[from] == ' ')
		from++;
	return (struct span){text.at + from, text.n - from};
}

enum tfprof_status amount_parse(const char *option, enum amount_kind kind, struct span text,
	int64_t *value, struct tfprof_error *err)
{
	struct decimal d = {0};
	struct span unit;
	int64_t factor = 1, product, part;

	read_whole(&d, text);
	read_fraction(&d, text);
	unit = skip_blanks(text, d.end);
	if (!d.n_digits || (unit.n && kind == AMOUNT_PLAIN))
		return not_whole(option, kind, text, "", err);
	if (unit.n)
		factor = find_factor(kind, unit);
	if (!factor)
		return error_set(err, TFPROF_ARGUMENT,
			"%s: unknown unit '%.*s' in '%.*s': expected one of: %s", OPTION(option),
			ERROR_SPAN(unit), ERROR_SPAN(text), unit_lists[kind]);
	if (d.overflows || __builtin_mul_overflow(d.whole, factor, &product) ||
		__builtin_mul_overflow(d.part, factor, &part))
		return not_whole(option, kind, text, "64-bit ", err);
	if (part % d.scale || d.is_too_fine)
		return not_whole(option, kind, text, "", err);
	if (__builtin_add_overflow(product, part / d.scale, &product))
		return not_whole(option, kind, text, "64-bit ", err);
	*value = product;
	return TFPROF_OK;
}
