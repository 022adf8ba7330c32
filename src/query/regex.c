#include "query/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/spelling.h"
#include "query/required.h"

/* Backtracking steps and memory allowed per match. */
enum { MATCH_LIMIT = 2000000, HEAP_LIMIT_KIB = 65536 };

/* RE2's defaults: UTF-8, `$` only at the very end, whole strings. */
static const uint32_t AS_RE2 = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ANCHORED |
	PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;

enum regex_kind { REGEX_ALL, REGEX_EQUAL, REGEX_PREFIX, REGEX_SUFFIX, REGEX_PART, REGEX_PCRE };

struct regex {
	enum regex_kind kind;
	struct span literal; /* within the pattern: the text of a simple kind, or text
				that every match contains */
	struct span pattern;
	pcre2_code *code;
	pcre2_code *lenient; /* for texts that are not UTF-8; compiled on demand */
	atomic_bool matched; /* it has matched some text */
	atomic_bool in_text; /* its literal occurred in some text */
};

/* Compiled once and shared by threads. */
struct expressions {
	const char *option;
	struct regex *at;
	size_t n;
	char *patterns;       /* their texts, concatenated */
	bool engine;          /* whether any needs PCRE2 */
	pthread_mutex_t lock; /* for compiling `lenient` */
	atomic_bool failed;   /* a match failed in some thread: stop matching */
	bool tried_all;       /* see regexes_set_tried_all() */
};

/* A thread's state for matching. */
struct regexes {
	struct expressions *shared;
	bool owns; /* the expressions */
	pcre2_match_data *match;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	int failed; /* PCRE2 error of a match */
	size_t failed_at;
};

/* Plain bytes only need a comparison. So would escaped punctuation, but that is left to PCRE2. */
static bool is_literal(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("\\^$.[]|()?*+{}", s.at[i]) || !s.at[i])
			return false;
	return true;
}

/* `.` does not match a line feed, so the simple kinds check for one. */
static enum regex_kind classify(struct span p, struct span *literal)
{
	bool head = span_starts(p, SPAN(".*")), tail;

	*literal = p;
	if (span_equal(p, SPAN(".*")))
		return REGEX_ALL;
	if (head) {
		literal->at += 2;
		literal->n -= 2;
	}
	tail = literal->n >= 2 && memcmp(literal->at + literal->n - 2, ".*", 2) == 0;
	if (tail)
		literal->n -= 2;
	if (!is_literal(*literal))
		return REGEX_PCRE;
	return head ? (tail ? REGEX_PART : REGEX_SUFFIX) : (tail ? REGEX_PREFIX : REGEX_EQUAL);
}

static enum tfprof_status compile_error(struct tfprof_error *err, const char *option,
	struct span pattern, int code, size_t offset)
{
	char text[200];

	pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof(text));
	return error_set(err, TFPROF_REGEX, "%s: %s at position %zu of '%.*s' (before '%.*s')",
		OPTION(option), text, offset, ERROR_SPAN(pattern),
		ERROR_SPAN(((struct span){pattern.at + offset, pattern.n - offset})));
}

static enum tfprof_status compile(struct expressions *e, struct regex *regex,
	struct tfprof_error *err)
{
	int code;
	PCRE2_SIZE offset;

	regex->code = pcre2_compile((PCRE2_SPTR)regex->pattern.at, regex->pattern.n, AS_RE2, &code,
		&offset, NULL);
	if (!regex->code)
		return compile_error(err, e->option, regex->pattern, code, offset);
	if (!getenv("TFPROF_NO_JIT"))
		pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
	regex->literal = regex_required(regex->pattern); /* else `regex` takes 17 % longer */
	e->engine = true;
	return TFPROF_OK;
}

static void expressions_free(struct expressions *e)
{
	for (size_t i = 0; i < e->n; i++) {
		pcre2_code_free(e->at[i].code);
		pcre2_code_free(e->at[i].lenient);
	}
	pthread_mutex_destroy(&e->lock);
	mem_free(e->patterns);
	mem_free(e->at);
	mem_free(e);
}

/* Copies the patterns: they are compiled again when a text is not UTF-8. */
static bool copy_patterns(struct expressions *e, const struct span *patterns, size_t n)
{
	size_t size = 1, at = 0;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(size, patterns[i].n, &size))
			return false;
	e->patterns = mem_alloc(size);
	for (size_t i = 0; e->patterns && i < n; i++) {
		if (patterns[i].n)
			memcpy(e->patterns + at, patterns[i].at, patterns[i].n);
		e->at[i].pattern = (struct span){e->patterns + at, patterns[i].n};
		at += patterns[i].n;
	}
	return e->patterns;
}

static enum tfprof_status expressions_new(struct expressions **out, const char *option,
	const struct span *patterns, size_t n, struct tfprof_error *err)
{
	struct expressions *e = mem_zero(sizeof(*e));
	enum tfprof_status status = TFPROF_OK;

	if (!e)
		return error_no_memory(err);
	pthread_mutex_init(&e->lock, NULL);
	e->option = option;
	e->at = mem_zero_array(n, sizeof(*e->at));
	if (!e->at || !copy_patterns(e, patterns, n))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < n; i++) {
		struct regex *regex = &e->at[e->n++];

		regex->kind = classify(regex->pattern, &regex->literal);
		if (regex->kind == REGEX_PCRE)
			status = compile(e, regex, err);
	}
	if (status == TFPROF_OK)
		*out = e;
	else
		expressions_free(e);
	return status;
}

static enum tfprof_status prepare(struct regexes *r, struct tfprof_error *err)
{
	r->match = pcre2_match_data_create(1, NULL);
	r->context = pcre2_match_context_create(NULL);
	r->stack = pcre2_jit_stack_create(32 * 1024, 8 * 1024 * 1024, NULL);
	if (!r->match || !r->context || !r->stack)
		return error_no_memory(err);
	pcre2_jit_stack_assign(r->context, NULL, r->stack);
	pcre2_set_match_limit(r->context, MATCH_LIMIT);
	pcre2_set_heap_limit(r->context, HEAP_LIMIT_KIB);
	return TFPROF_OK;
}

enum tfprof_status regexes_share(struct regexes **out, const struct regexes *other,
	struct tfprof_error *err)
{
	struct regexes *r = mem_zero(sizeof(*r));
	enum tfprof_status status = TFPROF_OK;

	*out = NULL;
	if (!r)
		return error_no_memory(err);
	r->shared = other->shared;
	if (r->shared->engine)
		status = prepare(r, err);
	if (status == TFPROF_OK)
		*out = r;
	else
		regexes_free(r);
	return status;
}

enum tfprof_status regexes_new(struct regexes **out, const char *option,
	const struct span *patterns, size_t n, struct tfprof_error *err)
{
	struct regexes first = {0};
	enum tfprof_status status = expressions_new(&first.shared, option, patterns, n, err);

	*out = NULL;
	if (status == TFPROF_OK)
		status = regexes_share(out, &first, err);
	if (*out)
		(*out)->owns = true;
	else if (first.shared)
		expressions_free(first.shared);
	return status;
}

void regexes_free(struct regexes *r)
{
	if (!r)
		return;
	pcre2_match_data_free(r->match);
	pcre2_match_context_free(r->context);
	pcre2_jit_stack_free(r->stack);
	if (r->owns)
		expressions_free(r->shared);
	mem_free(r);
}

bool regexes_accept_all(const struct regexes *r)
{
	return r->shared->n == 1 && r->shared->at[0].kind == REGEX_ALL;
}

size_t regexes_count(const struct regexes *r)
{
	return r->shared->n;
}

/* What `.*` matches must not contain a line feed. */
static bool one_line(const char *at, size_t n)
{
	return !n || !memchr(at, '\n', n);
}

static bool match_simple(const struct regex *x, struct span s)
{
	struct span l = x->literal;
	size_t at;

	switch (x->kind) {
	case REGEX_ALL: return one_line(s.at, s.n);
	case REGEX_EQUAL: return span_equal(s, l);
	case REGEX_PREFIX: return span_starts(s, l) && one_line(s.at + l.n, s.n - l.n);
	case REGEX_SUFFIX:
		return s.n >= l.n && span_equal((struct span){s.at + s.n - l.n, l.n}, l) &&
			one_line(s.at, s.n - l.n);
	default:
		if (!span_contains(s, l))
			return false;
		if (one_line(s.at, s.n))
			return true;
		/* Rare: all line feeds must be inside one occurrence. */
		for (at = 0; at + l.n <= s.n; at++)
			if (span_equal((struct span){s.at + at, l.n}, l) && one_line(s.at, at) &&
				one_line(s.at + at + l.n, s.n - at - l.n))
				return true;
		return false;
	}
}

/* Matches a text that is not UTF-8. When compiled for such texts, PCRE2 10.42's JIT
 * gets `\W` wrong for characters beyond ASCII, so this code is interpreted and used
 * for nothing else. */
static int match_lenient(struct regexes *r, struct regex *x, struct span text)
{
	int code;
	PCRE2_SIZE offset;
	pcre2_code *lenient;

	pthread_mutex_lock(&r->shared->lock);
	if (!x->lenient)
		x->lenient = pcre2_compile((PCRE2_SPTR)x->pattern.at, x->pattern.n,
			AS_RE2 | PCRE2_MATCH_INVALID_UTF, &code, &offset, NULL);
	lenient = x->lenient;
	pthread_mutex_unlock(&r->shared->lock);
	if (!lenient)
		return PCRE2_ERROR_NOMEMORY;
	return pcre2_match(lenient, (PCRE2_SPTR)text.at, text.n, 0, 0, r->match, r->context);
}

/* ASCII is valid UTF-8, so PCRE2 need not check the text; with that check, `regex` takes 11 %
 * longer. */
static bool is_ascii(struct span text)
{
	uint64_t any = 0, word;
	size_t i = 0;

	for (; i + sizeof(word) <= text.n; i += sizeof(word)) {
		memcpy(&word, text.at + i, sizeof(word));
		any |= word;
	}
	for (; i < text.n; i++)
		any |= (unsigned char)text.at[i];
	return !(any & 0x8080808080808080);
}

bool regexes_failed(const struct regexes *r)
{
	return atomic_load_explicit(&r->shared->failed, memory_order_relaxed);
}

/* Writes only once, so that threads do not contend for the cache line. */
static void set_once(atomic_bool *flag)
{
	if (!atomic_load_explicit(flag, memory_order_relaxed))
		atomic_store_explicit(flag, true, memory_order_relaxed);
}

static bool match_one(struct regexes *r, size_t i, struct span text)
{
	struct regex *x = &r->shared->at[i];
	int code;

	if (x->kind != REGEX_PCRE)
		return match_simple(x, text);
	if (!span_contains(text, x->literal))
		return false;
	set_once(&x->in_text);
	if (regexes_failed(r))
		return false;
	code = pcre2_match(x->code, (PCRE2_SPTR)(text.at ? text.at : ""), text.n, 0,
		is_ascii(text) ? PCRE2_NO_UTF_CHECK : 0, r->match, r->context);
	if (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21)
		code = match_lenient(r, x, text);
	if (code < 0 && code != PCRE2_ERROR_NOMATCH) {
		r->failed = code;
		r->failed_at = i;
		atomic_store_explicit(&r->shared->failed, true, memory_order_relaxed);
	}
	return code >= 0;
}

bool regexes_match_one(struct regexes *r, size_t i, struct span text)
{
	bool ok = match_one(r, i, text);

	if (ok)
		set_once(&r->shared->at[i].matched);
	return ok;
}

struct span regexes_get_pattern(const struct regexes *r, size_t i)
{
	return r->shared->at[i].pattern;
}

bool regexes_has_matched(const struct regexes *r, size_t i)
{
	return atomic_load_explicit(&r->shared->at[i].matched, memory_order_relaxed);
}

void regexes_set_tried_all(struct regexes *r)
{
	r->shared->tried_all = true;
}

bool regexes_matches_none(const struct regexes *r, size_t i)
{
	for (size_t k = 0; k <= i; k++)
		if (regexes_has_matched(r, k))
			return false;
	return r->shared->tried_all;
}

bool regexes_is_in_none(const struct regexes *r, size_t i)
{
	const struct regex *x = &r->shared->at[i];

	return regexes_matches_none(r, i) && x->kind == REGEX_PCRE && x->literal.n &&
		!atomic_load_explicit(&x->in_text, memory_order_relaxed);
}

bool regexes_match(struct regexes *r, struct span text)
{
	for (size_t i = 0; i < r->shared->n; i++)
		if (regexes_match_one(r, i, text))
			return true;
	return false;
}

bool regexes_accept(struct regexes *show, struct regexes *hide, struct span text)
{
	return (regexes_accept_all(show) || regexes_match(show, text)) &&
		!regexes_match(hide, text);
}

enum tfprof_status regexes_check(const struct regexes *r, struct tfprof_error *err)
{
	char text[200];

	if (!r->failed)
		return TFPROF_OK;
	pcre2_get_error_message(r->failed, (PCRE2_UCHAR *)text, sizeof(text));
	return error_set(err, TFPROF_REGEX,
		"%s: matching '%.*s' failed: %s; use fewer nested repeats",
		OPTION(r->shared->option), ERROR_SPAN(r->shared->at[r->failed_at].pattern), text);
}
