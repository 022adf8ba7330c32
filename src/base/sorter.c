#include "base/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { DEFAULT_BYTES = 4 << 20, MIN_WINDOW_BYTES = 4096, FIRST_ITEMS = 64 };

static size_t default_bytes = DEFAULT_BYTES;

void sorter_set_default(size_t memory_bytes)
{
	default_bytes = memory_bytes ? memory_bytes : DEFAULT_BYTES;
}

void sorter_init(struct sorter *s, size_t item_size, sorter_compare_fn *compare,
	size_t memory_bytes)
{
	*s = (struct sorter){.item_size = item_size, .compare = compare, .fd = -1};
	/* Half of the memory is for sorting. */
	s->max_items = (memory_bytes ? memory_bytes : default_bytes) / 2 / item_size;
	if (s->max_items < 2)
		s->max_items = 2;
}

static void drop_memory(struct sorter *s)
{
	mem_free(s->items);
	mem_free(s->scratch);
	s->items = s->scratch = NULL;
	s->n = s->cap = 0;
}

void sorter_clear(struct sorter *s)
{
	drop_memory(s);
	vec_clear(&s->runs);
	mem_free(s->windows);
	mem_free(s->heap);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct sorter){.fd = -1};
}

static void fail(struct sorter *s, int error)
{
	if (!s->error)
		s->error = error;
}

enum tfprof_status sorter_check(const struct sorter *s, struct tfprof_error *err)
{
	if (!s->error)
		return TFPROF_OK;
	if (s->error == ENOMEM)
		return error_no_memory(err);
	return error_set(err, TFPROF_IO,
		"temporary file: cannot sort: %s: is there room in $TMPDIR?", strerror(s->error));
}

/* ---- sorting in memory --------------------------------------------------- */

static void merge(const struct sorter *s, const char *a, const char *a_end, const char *b,
	const char *b_end, char *to)
{
	size_t size = s->item_size;

	while (a < a_end && b < b_end) {
		const char **from = s->compare(b, a) < 0 ? &b : &a;

		memcpy(to, *from, size);
		*from += size;
		to += size;
	}
	memcpy(to, a, (size_t)(a_end - a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b));
}

static bool is_sorted(const struct sorter *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->compare(s->items + (i - 1) * s->item_size, s->items + i * s->item_size) > 0)
			return false;
	return true;
}

/* Merges neighbours until one piece is left. */
static void sort_memory(struct sorter *s)
{
	size_t total = s->n * s->item_size;

	if (is_sorted(s))
		return;
	for (size_t width = s->item_size; width < total; width *= 2) {
		char *swap = s->scratch;

		for (size_t at = 0; at < total; at += 2 * width) {
			size_t middle = total - at > width ? at + width : total;
			size_t end = total - at > 2 * width ? at + 2 * width : total;

			merge(s, s->items + at, s->items + middle, s->items + middle,
				s->items + end, s->scratch + at);
		}
		s->scratch = s->items;
		s->items = swap;
	}
}

/* ---- the file ------------------------------------------------------------ */

/* Returns 0 or an errno value. */
static int open_temporary(int *fd)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	size_t n;

	if (!dir || !*dir)
		dir = "/tmp";
	*fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return 0;
	/* Not every file system supports files without a name. */
	n = strlen(dir);
	if (n > sizeof(path) - 32)
		return ENAMETOOLONG;
	memcpy(path, dir, n);
	strcpy(path + n, "/tfprof-XXXXXX");
	*fd = mkostemp(path, O_CLOEXEC);
	if (*fd < 0)
		return errno;
	unlink(path);
	return 0;
}

static int write_all(int fd, const char *at, size_t n)
{
	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR)
			return errno;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static int read_all(int fd, char *at, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t done = pread(fd, at, n, (off_t)offset);

		if (done < 0 && errno != EINTR)
			return errno;
		if (done == 0)
			return EIO;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
			offset += (uint64_t)done;
		}
	}
	return 0;
}

/* Writes the records in memory as a run. */
static void spill(struct sorter *s)
{
	struct sorter_run run = {.begin = s->n_spilled, .end = s->n_spilled + s->n};
	int error = 0;

	sort_memory(s);
	if (s->fd < 0)
		error = open_temporary(&s->fd);
	if (!error)
		error = write_all(s->fd, s->items, s->n * s->item_size);
	if (!error && !vec_push(&s->runs, run))
		error = ENOMEM;
	if (error)
		fail(s, error);
	s->n_spilled += s->n;
	s->n = 0;
}

/* ---- adding -------------------------------------------------------------- */

static bool grow(struct sorter *s)
{
	size_t cap = s->cap ? 2 * s->cap : FIRST_ITEMS;
	char *items, *scratch;

	if (cap > s->max_items)
		cap = s->max_items;
	items = mem_array(cap, s->item_size);
	scratch = mem_array(cap, s->item_size);
	if (!items || !scratch) {
		mem_free(items);
		mem_free(scratch);
		fail(s, ENOMEM);
		return false;
	}
	if (s->n)
		memcpy(items, s->items, s->n * s->item_size);
	mem_free(s->items);
	mem_free(s->scratch);
	s->items = items;
	s->scratch = scratch;
	s->cap = cap;
	return true;
}

void sorter_add(struct sorter *s, const void *item)
{
	if (s->error)
		return;
	if (s->n == s->cap) {
		if (s->cap == s->max_items)
			spill(s);
		else if (!grow(s))
			return;
		if (s->error)
			return;
	}
	memcpy(s->items + s->n++ * s->item_size, item, s->item_size);
}

/* ---- merging ------------------------------------------------------------- */

static const char *current(const struct sorter *s, uint32_t run)
{
	return s->runs.at[run].window + s->runs.at[run].i * s->item_size;
}

/* Equal records: those of the earlier run come first. */
static bool before(const struct sorter *s, uint32_t a, uint32_t b)
{
	int c = s->compare(current(s, a), current(s, b));

	return c ? c < 0 : a < b;
}

static void sink_down(struct sorter *s, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		uint32_t swap;

		if (child >= s->n_heap)
			return;
		if (child + 1 < s->n_heap && before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!before(s, s->heap[child], s->heap[i]))
			return;
		swap = s->heap[i];
		s->heap[i] = s->heap[child];
		s->heap[child] = swap;
		i = child;
	}
}

/* The next records of a run; false at its end. */
static bool fill(struct sorter *s, struct sorter_run *run)
{
	uint64_t left = run->end - run->at;
	int error;

	run->i = 0;
	run->n = left < s->window_items ? (size_t)left : s->window_items;
	error = read_all(s->fd, run->window, run->n * s->item_size, run->at * s->item_size);
	if (error)
		fail(s, error);
	run->at += run->n;
	return run->n && !error;
}

static bool prepare_windows(struct sorter *s)
{
	size_t bytes = 2 * s->max_items * s->item_size / s->runs.n;
	size_t least = MIN_WINDOW_BYTES < 2 * s->max_items * s->item_size ? MIN_WINDOW_BYTES
									  : s->item_size;

	if (bytes < least)
		bytes = least;
	s->window_items = bytes / s->item_size ? bytes / s->item_size : 1;
	s->windows = mem_array(s->runs.n, s->window_items * s->item_size);
	s->heap = mem_array(s->runs.n, sizeof(*s->heap));
	if (!s->windows || !s->heap)
		return false;
	for (size_t i = 0; i < s->runs.n; i++)
		s->runs.at[i].window = s->windows + i * s->window_items * s->item_size;
	return true;
}

static void rewind_runs(struct sorter *s)
{
	s->n_heap = 0;
	s->moved = false;
	for (size_t i = 0; i < s->runs.n; i++) {
		s->runs.at[i].at = s->runs.at[i].begin;
		if (fill(s, &s->runs.at[i]))
			s->heap[s->n_heap++] = (uint32_t)i;
	}
	for (size_t i = s->n_heap / 2; i-- > 0;)
		sink_down(s, i);
}

void sorter_rewind(struct sorter *s)
{
	s->i = 0;
	if (!s->sorted && !s->error) {
		if (s->runs.n) {
			if (s->n)
				spill(s);
			drop_memory(s);
			if (!s->error && !prepare_windows(s))
				fail(s, ENOMEM);
		} else if (s->n) {
			sort_memory(s);
			mem_free(s->scratch);
			s->scratch = NULL;
		}
		s->sorted = true;
	}
	if (s->runs.n && !s->error)
		rewind_runs(s);
}

static const void *next_of_runs(struct sorter *s)
{
	/* The record returned last is valid until now. */
	if (s->moved) {
		struct sorter_run *run = &s->runs.at[s->heap[0]];

		if (++run->i == run->n && !fill(s, run))
			s->heap[0] = s->heap[--s->n_heap];
		if (s->error)
			return NULL;
		sink_down(s, 0);
	}
	s->moved = s->n_heap > 0;
	return s->n_heap ? current(s, s->heap[0]) : NULL;
}

const void *sorter_next(struct sorter *s)
{
	if (s->error)
		return NULL;
	if (s->runs.n)
		return next_of_runs(s);
	return s->i < s->n ? s->items + s->i++ * s->item_size : NULL;
}
