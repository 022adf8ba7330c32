#include "load/xplane/kernel_name.h"

#include "base/ascii.h"

/* ---- mangled names ------------------------------------------------------- */

/* Skips template arguments: from 'I' to their 'E'. Names within are passed over, as letters of
 * theirs mean nothing. */
static size_t skip_arguments(struct span s, size_t at)
{
	int depth = 0;

	while (at < s.n) {
		char c = s.at[at];

		if (ascii_is_digit(c) && c != '0') {
			size_t n = 0;

			for (; at < s.n && ascii_is_digit(s.at[at]) && n < s.n; at++)
				n = 10 * n + (size_t)(s.at[at] - '0');
			at = n < s.n - at ? at + n : s.n;
			continue;
		}
		depth += c == 'I' || c == 'N' || c == 'L' || c == 'X' || c == 'J';
		depth -= c == 'E';
		at++;
		if (depth <= 0)
			break;
	}
	return at;
}

/* "a::b::Kernel" of "_ZN1a1b6KernelI…": the names of which it is made, without arguments. False if
 * it is not mangled so. */
static bool put_demangled(struct buf *b, struct span s)
{
	size_t at = 2;

	if (!span_starts(s, SPAN("_Z")))
		return false;
	while (at < s.n && (s.at[at] == 'N' || s.at[at] == 'L' || s.at[at] == 'K'))
		at++;
	while (at < s.n && (ascii_is_digit(s.at[at]) || s.at[at] == 'I')) {
		size_t n = 0;

		if (s.at[at] == 'I') {
			at = skip_arguments(s, at);
			continue;
		}
		for (; at < s.n && ascii_is_digit(s.at[at]) && n < s.n; at++)
			n = 10 * n + (size_t)(s.at[at] - '0');
		if (n > s.n - at)
			break;
		if (b->n)
			buf_text(b, "::");
		buf_span(b, (struct span){s.at + at, n});
		at += n;
	}
	return b->n > 0;
}

/* ---- plain names --------------------------------------------------------- */

/* Without "void ", template arguments and parameters. */
static void put_plain(struct buf *b, struct span s)
{
	int depth = 0;

	if (span_starts(s, SPAN("void ")))
		s = span_from(s, 5);
	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] == '<')
			depth++;
		else if (s.at[i] == '>' && depth)
			depth--;
		else if (depth)
			continue;
		else if (s.at[i] == '(' && b->n && b->at[b->n - 1] != ':')
			break;
		else
			buf_char(b, s.at[i]);
	}
}

/* "b::Kernel" of "a::b::Kernel". */
static void keep_last_two(struct buf *b)
{
	size_t n_found = 0;

	for (size_t i = b->n; i >= 2; i--)
		if (b->at[i - 1] == ':' && b->at[i - 2] == ':' && ++n_found == 2) {
			memmove(b->at, b->at + i, b->n - i);
			b->n -= i;
			return;
		}
}

/* The tile of a product of AMD's libraries: "MT256x224x64". */
static struct span find_tile(struct span name)
{
	size_t at = span_find(name, SPAN("_MT")), n = 0;
	struct span tile = at < name.n ? span_from(name, at + 1) : SPAN("");

	while (n < tile.n && tile.at[n] != '_')
		n++;
	return (struct span){tile.at, n};
}

void kernel_put_short_name(struct buf *b, struct span name)
{
	static const char *const products[] = {"cutlass", "ampere_", "sm70_", "sm75_", "sm80_",
		"sm86_", "sm89_", "sm90_", "turing_", "volta_", "hopper_"};
	struct span whole;

	b->n = 0;
	if (span_ends(name, SPAN(".kd")))
		name.n -= 3;
	if (span_starts(name, SPAN("Cijk_"))) {
		buf_text(b, "gemm Cijk ");
		buf_span(b, find_tile(name));
		return;
	}
	if (!put_demangled(b, name)) {
		b->n = 0;
		put_plain(b, name);
	}
	keep_last_two(b);
	if (!b->n)
		buf_span(b, name);
	whole = buf_get(b);
	for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++)
		if (span_starts(whole, span_of(products[i])) &&
			!span_contains(whole, SPAN("conv"))) {
			struct buf copy = {0};

			buf_text(&copy, "gemm ");
			buf_span(&copy, whole);
			b->n = 0;
			buf_span(b, buf_get(&copy));
			b->failed |= copy.failed;
			buf_clear(&copy);
			return;
		}
}

/* ---- annotations ---------------------------------------------------------- */

/* The name and type in "scope/name:Type#shape=(int32[3])#::#…#". */
static bool parse_annotation(struct span text, struct op_text *op)
{
	size_t n = span_find(text, SPAN("#")), colons = span_find(text, SPAN("::"));

	text.n = colons < n ? colons : n;
	n = text.n;
	while (n && text.at[n - 1] != ':')
		n--;
	if (n < 2)
		return false;
	op->name = (struct span){text.at, n - 1};
	op->type = span_from(text, n);
	if (!op->type.n)
		op->type = op_text_type(op->name, SPAN(""));
	return op->type.n;
}

bool kernel_find_annotation(const struct xstats *s, struct op_text *op)
{
	static const enum xstat stats[] = {STAT_TF_OP, STAT_ANNOTATION, STAT_LEVEL_0};

	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++) {
		struct span text = xstats_text(s, stats[i]);

		/* Kernels of XLA on AMD have no other. */
		if (!span_equal(text, SPAN("XlaModule:")) && parse_annotation(text, op))
			return true;
	}
	return false;
}

/* ---- copies -------------------------------------------------------------- */

struct span kernel_get_copy(struct span name, struct span details, struct span launch)
{
	static const struct {
		const char *word, *copy;
	} directions[] = {{"HtoD", "MemcpyH2D"}, {"H2D", "MemcpyH2D"}, {"DtoH", "MemcpyD2H"},
		{"D2H", "MemcpyD2H"}, {"DtoD", "MemcpyD2D"}, {"D2D", "MemcpyD2D"},
		{"Peer", "MemcpyP2P"}, {"P2P", "MemcpyP2P"}};
	bool is_fill = span_starts(name, SPAN("Memset")) ||
		span_starts(name, SPAN("__amd_rocclr_fillBuffer"));
	bool is_own = span_starts(name, SPAN("Memcpy")) || span_starts(name, SPAN("Copy"));

	if (is_fill)
		return SPAN("Memset");
	if (!is_own && !details.n && !span_starts(name, SPAN("__amd_rocclr_copyBuffer")))
		return SPAN("");
	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++)
		if (span_contains(is_own ? name : launch, span_of(directions[i].word)))
			return span_of(directions[i].copy);
	return is_own ? name : SPAN("Memcpy");
}
