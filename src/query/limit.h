/* Limits that a total or a change must not exceed, as people write them:
 *
 *     macs>300M   params>0   peak_bytes>=64MB   micros>5%   Conv2D.*:micros>10ms
 *     wall>5%   input_share>10pt
 *
 * What is limited is one of a list of words. Several limits are separated by commas; a
 * comma within a regex is one as long as no `>` came before it. */
#ifndef TFPROF_QUERY_LIMIT_H
#define TFPROF_QUERY_LIMIT_H

#include "base/error.h"
#include "base/vec.h"
#include "query/amount.h"

/* What can be limited: a word and the units of its values. */
struct limit_word {
	const char *word;
	enum amount_kind kind;
	bool is_share; /* changes by points, of no rows */
};

struct limit_rules {
	const char *option;             /* for errors */
	const struct limit_word *words; /* up to one without a word */
	bool is_of_change;              /* regexes and percents are allowed */
};

struct limit {
	char *text;        /* as written, owned */
	struct span regex; /* within the text; empty: of the total */
	size_t word;       /* index in the words */
	double value;      /* in percent if `is_percent`, of shares in points */
	bool is_percent;
	bool inclusive; /* >= */
};

typedef VEC(struct limit) limits;

/* Appends the limits of a list. */
enum tfprof_status limits_read(limits *list, const struct limit_rules *rules, struct span text,
	struct tfprof_error *err);
/* Appends the limits in a file's text: a list in each line; # starts a comment. */
enum tfprof_status limits_read_lines(limits *list, const struct limit_rules *rules,
	struct span text, struct tfprof_error *err);
void limits_clear(limits *list);

static inline bool limit_is_exceeded(const struct limit *l, double value)
{
	return l->inclusive ? value >= l->value : value > l->value;
}

/* "300M", "1.5G", "64MB", "42" */
bool limit_read_number(struct span text, double *value);
/* "5%" or "5" */
bool limit_read_percent(struct span text, double *value);

#endif
