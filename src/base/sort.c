#include "base/sort.h"

#include "base/vec.h"

enum { SMALL = 24 };

static void insertion_sort(struct sort_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_item item = items[i];
		size_t k = i;

		for (; k > 0 && items[k - 1].key > item.key; k--)
			items[k] = items[k - 1];
		items[k] = item;
	}
}

/* One pass of a least-significant-digit radix sort. */
static void pass(const struct sort_item *from, struct sort_item *to, size_t n, unsigned shift)
{
	size_t start[256] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		start[(from[i].key >> shift) & 255]++;
	for (size_t d = 0; d < 256; d++) {
		size_t count = start[d];

		start[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[(from[i].key >> shift) & 255]++] = from[i];
}

/* Bottom-up merging, for ranges too short to pay for counting digits. */
static void merge_sort(struct sort_item *items, struct sort_item *scratch, size_t n)
{
	struct sort_item *from = items, *to = scratch, *swap;

	for (size_t i = 0; i < n; i += SMALL)
		insertion_sort(items + i, n - i < SMALL ? n - i : SMALL);
	for (size_t width = SMALL; width < n; width *= 2) {
		for (size_t low = 0; low < n; low += 2 * width) {
			size_t middle = low + width < n ? low + width : n;
			size_t high = low + 2 * width < n ? low + 2 * width : n;
			size_t a = low, b = middle, k = low;

			while (a < middle && b < high)
				to[k++] = from[b].key < from[a].key ? from[b++] : from[a++];
			while (a < middle)
				to[k++] = from[a++];
			while (b < high)
				to[k++] = from[b++];
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

void sort_items(struct sort_item *items, struct sort_item *scratch, size_t n)
{
	struct sort_item *from = items, *to = scratch, *swap;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= items[i].key ^ items[0].key;
	if (!differ)
		return;
	if (n <= 1024) {
		merge_sort(items, scratch, n);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!((differ >> shift) & 255))
			continue;
		pass(from, to, n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

/* ---- texts ------------------------------------------------------------- */

/* Seven bytes of text and how many there are make a key: the end of a text
 * comes before any byte. `rank` says how bytes are ordered, NULL: as they are. */
enum { KEY_BYTES = 7 };

/* In SORT_PATHS. */
static unsigned char rank_of(unsigned char byte)
{
	if (byte == '/')
		return 0;
	return byte < '/' ? (unsigned char)(byte + 1) : byte;
}

static uint64_t text_key(struct span text, size_t from, const unsigned char *rank)
{
	const unsigned char *p = (const unsigned char *)text.at + from;
	size_t left = text.n - from, n = left < KEY_BYTES ? left : KEY_BYTES;
	uint64_t key = 0;

	if (!rank && left > KEY_BYTES) {
		memcpy(&key, p, sizeof(key));
		return (__builtin_bswap64(key) & ~(uint64_t)255) | (KEY_BYTES + 1);
	}
	for (size_t i = 0; i < n; i++)
		key |= (uint64_t)(rank ? rank[p[i]] : p[i]) << (56 - 8 * i);
	return key | (left > KEY_BYTES ? KEY_BYTES + 1 : n);
}

/* Texts lie all over memory: those of the items to come are asked for. */
static void make_keys(struct sort_item *items, size_t n, const struct span *texts, size_t offset,
	const unsigned char *rank)
{
	enum { AHEAD = 12 };

	for (size_t i = 0; i < n; i++) {
		if (i + 2 * AHEAD < n) {
			__builtin_prefetch(&texts[items[i + 2 * AHEAD].id]);
			__builtin_prefetch(texts[items[i + AHEAD].id].at + offset);
		}
		items[i].key = text_key(texts[items[i].id], offset, rank);
	}
}

struct range {
	size_t start, n, offset;
};

bool sort_texts(const struct span *texts, uint32_t *order, size_t n,
	enum sort_collation collation)
{
	struct sort_item *items = mem_array(n, sizeof(*items));
	struct sort_item *scratch = mem_array(n, sizeof(*scratch));
	VEC(struct range) todo = {0};
	unsigned char rank[256];
	bool fine = items && scratch && vec_push(&todo, ((struct range){0, n, 0}));

	for (unsigned b = 0; b < 256; b++)
		rank[b] = rank_of((unsigned char)b);
	for (size_t i = 0; fine && i < n; i++)
		items[i].id = (uint32_t)i;
	while (fine && todo.n) {
		struct range r = todo.at[--todo.n];
		struct sort_item *at = items + r.start;
		size_t end;

		make_keys(at, r.n, texts, r.offset, collation == SORT_BYTES ? NULL : rank);
		sort_items(at, scratch, r.n);
		/* Texts that agree so far and go on are ordered by what follows. */
		for (size_t i = 0; fine && i < r.n; i = end) {
			for (end = i + 1; end < r.n && at[end].key == at[i].key;)
				end++;
			if (end - i > 1 && (at[i].key & 255) == KEY_BYTES + 1)
				fine = vec_push(&todo,
					((struct range){r.start + i, end - i, r.offset + KEY_BYTES}));
		}
	}
	for (size_t i = 0; fine && i < n; i++)
		order[i] = items[i].id;
	vec_clear(&todo);
	mem_free(items);
	mem_free(scratch);
	return fine;
}
