/* Lists of regular expressions that match whole strings.
 *
 * The list `.*` accepts everything without matching. A literal `text`, `.*text.*`,
 * `text.*` and `.*text` are plain comparisons. The rest is PCRE2, run only on texts
 * that contain what every match contains (see required.h). Exceeding the match limit
 * is an error.
 *
 * A list is compiled once. Only one thread at a time may use it; other threads use
 * lists that share its expressions. */
#ifndef TFPROF_QUERY_REGEX_H
#define TFPROF_QUERY_REGEX_H

#include "base/error.h"
#include "base/span.h"

struct regexes;

/* `option` names the list in errors ("show_name_regexes"); patterns are copied. */
enum tfprof_status regexes_new(struct regexes **out, const char *option,
	const struct span *patterns, size_t n, struct tfprof_error *err);
/* The same expressions for another thread. `other` must outlive this list. */
enum tfprof_status regexes_share(struct regexes **out, const struct regexes *other,
	struct tfprof_error *err);
void regexes_free(struct regexes *r);

/* True if the list is exactly `.*`. */
bool regexes_accept_all(const struct regexes *r);
size_t regexes_count(const struct regexes *r);

/* Whether any expression matches, or the i-th. A failed match (over the match limit)
 * counts as no match and is kept for regexes_check(). PCRE2 is then not run again for
 * any list that shares the expressions, so checking regexes_failed() after each text
 * is optional. */
bool regexes_match(struct regexes *r, struct span text);
bool regexes_match_one(struct regexes *r, size_t i, struct span text);

struct span regexes_get_pattern(const struct regexes *r, size_t i);
/* Whether the i-th expression has matched something, in any thread. Expressions behind
 * one that matched were not tried. */
bool regexes_has_matched(const struct regexes *r, size_t i);
/* Call after trying the list on every name there is. It then knows of an expression that
 * was tried on all of them that it matches none of them, or no part of them, without
 * trying it again. */
void regexes_set_tried_all(struct regexes *r);
bool regexes_matches_none(const struct regexes *r, size_t i);
bool regexes_is_in_none(const struct regexes *r, size_t i);

/* Whether `show` matches the text and `hide` does not. */
bool regexes_accept(struct regexes *show, struct regexes *hide, struct span text);

/* Whether a match has failed in any thread. */
bool regexes_failed(const struct regexes *r);
/* The error of this list's failed match, or TFPROF_OK. */
enum tfprof_status regexes_check(const struct regexes *r, struct tfprof_error *err);

#endif
