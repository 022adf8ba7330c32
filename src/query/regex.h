/* Lists of regular expressions that match whole strings.
 *
 * The list `.*` accepts everything without running; a literal, and `.*text.*`,
 * `text.*` or `.*text` with a literal text, are compared as such; the rest is
 * PCRE2, for texts that contain what every match does (see required.h), and with a
 * limit, so that a pattern that runs away ends in an error.
 *
 * A list is compiled once. It is for one thread at a time; other threads match with
 * lists that share the expressions. */
#ifndef TFPROF_QUERY_REGEX_H
#define TFPROF_QUERY_REGEX_H

#include "base/error.h"
#include "base/span.h"

struct regexes;

/* `option` names the list in errors ("show_name_regexes"). */
enum tfprof_status regexes_new(struct regexes **out, const char *option,
	const struct span *patterns, size_t n, struct tfprof_error *err);
/* The same expressions for another thread. `other` must be freed later than this. */
enum tfprof_status regexes_share(struct regexes **out, const struct regexes *other,
	struct tfprof_error *err);
void regexes_free(struct regexes *r);

/* True if the list is exactly `.*`. */
bool regexes_accept_all(const struct regexes *r);
size_t regexes_count(const struct regexes *r);

/* Whether any matches; whether the i-th does. A failed match (a pattern that
 * ran away) counts as none and is kept for regexes_check(). PCRE2 then runs no more
 * for any list that shares the expressions, so who does not look at regexes_failed()
 * after each text loses no time. */
bool regexes_match(struct regexes *r, struct span text);
bool regexes_match_one(struct regexes *r, size_t i, struct span text);

/* Whether a text is to be shown: one of the first list matches, none of the
 * second. */
bool regexes_let_show(struct regexes *show, struct regexes *hide, struct span text);

/* Whether a match has failed, in any thread. */
bool regexes_failed(const struct regexes *r);
/* The error of the match that failed with this list, or TFPROF_OK. */
enum tfprof_status regexes_check(const struct regexes *r, struct tfprof_error *err);

#endif
