#include "server/store.h"

#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"

static const size_t KEPT_MAX_BYTES = (size_t)256 << 20, TRIM_BYTES = (size_t)32 << 20;

struct kept {
	struct kept *next;
	char *key;
	void *object; /* NULL: it is still being made */
	size_t (*count_bytes)(void *object);
	void (*free)(void *object);
	size_t bytes, n_users;
	bool is_listed;
};

bool store_init(struct store *s)
{
	uint64_t random;
	pthread_condattr_t steady;

	*s = (struct store){0};
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	snprintf(s->instance, sizeof(s->instance), "%016" PRIx64, random);
	return pthread_mutex_init(&s->lock, NULL) == 0 && pthread_condattr_init(&steady) == 0 &&
		pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) == 0 &&
		pthread_cond_init(&s->finished, &steady) == 0;
}

/* ---- loading ------------------------------------------------------------- */

static void note_progress(void *context, uint64_t done, uint64_t total, uint64_t n_nodes)
{
	struct shown_profile *p = context;

	atomic_store(&p->bytes_done, done);
	atomic_store(&p->bytes_total, total);
	atomic_store(&p->n_nodes, n_nodes);
}

static enum tfprof_status add_notes(struct shown_profile *p, struct tfprof_error *err)
{
	char *joined;

	if (asprintf(&joined, "%s%s", p->notes ? p->notes : "",
		    tfprof_profile_get_notes(p->profile)) < 0)
		return error_no_memory(err);
	free(p->notes);
	p->notes = joined;
	return TFPROF_OK;
}

static enum tfprof_status add_inputs(struct shown_profile *p, struct tfprof_given *given,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	for (size_t i = 0; i < p->inputs.n; i++) {
		struct shown_input *input = &p->inputs.at[i];

		given[i] = (struct tfprof_given){input->kind, tfprof_input_file(input->path),
			TFPROF_NEXT_STEP, NULL};
		if (stat(input->path, &input->seen) != 0)
			memset(&input->seen, 0, sizeof(input->seen));
	}
	status = tfprof_given_arrange(given, p->inputs.n, err);
	for (size_t i = 0; status == TFPROF_OK && i < p->inputs.n; i++) {
		status = tfprof_profile_add(p->profile, given[i].kind, &given[i].input,
			given[i].step, err);
		if (status == TFPROF_OK)
			status = add_notes(p, err);
	}
	tfprof_given_release(given, p->inputs.n);
	return status;
}

static void *load(void *context)
{
	struct shown_profile *p = context;
	struct tfprof_given *given = mem_zero_array(p->inputs.n, sizeof(*given));
	enum tfprof_status status;

	p->profile = tfprof_profile_new();
	if (!p->profile || !given) {
		status = error_no_memory(&p->err);
	} else {
		tfprof_profile_set_progress(p->profile, note_progress, p);
		tfprof_profile_set_reading(p->profile, p->reading);
		status = add_inputs(p, given, &p->err);
	}
	mem_free(given);
	/* Some questions count float operations, which would change what pages showed before. What
	 * cannot be counted is left as it is. */
	if (status == TFPROF_OK)
		(void)tfprof_profile_count_float_ops(p->profile, NULL);
	/* A model without a graph of nodes is shown by /api/model only. */
	if (status != TFPROF_OK && p->profile && p->inputs.n == 1 &&
		tfprof_model_recognize(p->inputs.at[0].path))
		status = TFPROF_OK;
	/* The page shows the error too, but a mistyped name is noticed sooner here. */
	if (status != TFPROF_OK)
		fprintf(stderr, "tfprof ui: %s\n", p->err.text);
	atomic_store(&p->state, status == TFPROF_OK ? LOAD_READY : LOAD_FAILED);
	return NULL;
}

bool store_load(struct store *s, size_t p)
{
	struct shown_profile *profile = &s->profiles[p];

	profile->reading = s->reading;
	profile->has_loader = pthread_create(&profile->loader, NULL, load, profile) == 0;
	return profile->has_loader;
}

enum tfprof_status store_get(struct store *s, int64_t p, struct shown_profile **profile,
	struct tfprof_error *err)
{
	if (p < 0 || (size_t)p >= s->n_profiles)
		return error_set(err, TFPROF_ARGUMENT, "p=%" PRId64 ": there are %zu profiles", p,
			s->n_profiles);
	*profile = &s->profiles[p];
	switch (atomic_load(&(*profile)->state)) {
	case LOAD_READY: return TFPROF_OK;
	case LOAD_FAILED: *err = (*profile)->err; return err->status;
	default: return error_set(err, TFPROF_UNSUPPORTED, "the profile is still being loaded");
	}
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
		a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
		a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
		a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool store_has_changed(const struct shown_profile *p)
{
	struct stat now;

	for (size_t i = 0; i < p->inputs.n; i++) {
		const struct shown_input *input = &p->inputs.at[i];
		bool is_there = stat(input->path, &now) == 0;

		if (is_there != (input->seen.st_ino != 0) ||
			(is_there && !is_same_file(&now, &input->seen)))
			return true;
	}
	return false;
}

/* ---- kept objects ------------------------------------------------------------- */

static void free_kept(struct kept *kept)
{
	if (kept->object)
		kept->free(kept->object);
	mem_free(kept->key);
	mem_free(kept);
}

static struct kept *find(struct store *s, const char *key)
{
	struct kept **link = &s->kept, *kept;

	for (; (kept = *link); link = &kept->next) {
		if (strcmp(kept->key, key) != 0)
			continue;
		*link = kept->next;
		kept->next = s->kept;
		s->kept = kept;
		return kept;
	}
	return NULL;
}

static void unlist(struct store *s, struct kept *kept)
{
	struct kept **link = &s->kept;

	while (*link != kept)
		link = &(*link)->next;
	*link = kept->next;
	kept->is_listed = false;
	s->kept_bytes -= kept->bytes;
}

/* Frees the least recently used results that nobody uses, until the rest fits. */
static void evict(struct store *s)
{
	while (s->kept_bytes > KEPT_MAX_BYTES) {
		struct kept *oldest = NULL;

		for (struct kept *k = s->kept; k; k = k->next)
			if (!k->n_users)
				oldest = k;
		if (!oldest)
			return;
		s->evicted_bytes += oldest->bytes;
		unlist(s, oldest);
		free_kept(oldest);
	}
}

/* The allocator keeps what each thread freed for that thread alone, which is why the server would
 * come to take twice what it keeps. The lock is not held. */
static void return_freed_memory(struct store *s)
{
	bool is_due;

	pthread_mutex_lock(&s->lock);
	is_due = s->evicted_bytes >= TRIM_BYTES;
	if (is_due)
		s->evicted_bytes = 0;
	pthread_mutex_unlock(&s->lock);
#ifdef __GLIBC__
	if (is_due)
		malloc_trim(0);
#endif
}

static struct kept *list_new(struct store *s, const char *key)
{
	struct kept *kept = mem_zero(sizeof(*kept));

	if (!kept)
		return NULL;
	kept->key = span_copy(span_of(key));
	if (!kept->key) {
		mem_free(kept);
		return NULL;
	}
	*kept = (struct kept){s->kept, kept->key, .n_users = 1, .is_listed = true};
	s->kept = kept;
	return kept;
}

/* Charges what an object holds now: its user may have made columns of it. */
static void charge(struct store *s, struct kept *kept)
{
	s->kept_bytes -= kept->bytes;
	kept->bytes = sizeof(*kept) + strlen(kept->key) + kept->count_bytes(kept->object);
	s->kept_bytes += kept->bytes;
}

static void release_locked(struct store *s, struct kept *kept)
{
	if (--kept->n_users == 0) {
		if (!kept->is_listed)
			free_kept(kept);
		else if (kept->object)
			charge(s, kept);
	}
	evict(s);
}

/* Until an object is finished, or to look whether the request was cancelled meanwhile. */
static void wait_a_moment(struct store *s)
{
	enum { WAIT_NS = 50000000, SECOND_NS = 1000000000 };
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / SECOND_NS;
	until.tv_nsec %= SECOND_NS;
	pthread_cond_timedwait(&s->finished, &s->lock, &until);
}

/* Waits for another request's query. NULL if it failed: run it again, as the failure
 * may have been a cancellation. The lock is held. */
static struct kept *wait_for(struct store *s, struct kept *kept, const volatile int *cancel)
{
	kept->n_users++;
	while (!kept->object && kept->is_listed && !is_cancelled(cancel))
		wait_a_moment(s);
	if (kept->object)
		return kept;
	release_locked(s, kept);
	return NULL;
}

static enum tfprof_status run(struct store *s, struct kept *kept, tfprof_profile *profile,
	const struct maker *maker, const volatile int *cancel, struct tfprof_error *err)
{
	void *object = NULL;
	enum tfprof_status status;

	pthread_mutex_unlock(&s->lock);
	status = maker->make(maker->context, profile, cancel, &object, err);
	if (status == TFPROF_OK && is_cancelled(cancel)) {
		/* It may lack what was not found any more. */
		maker->free(object);
		object = NULL;
		status = error_set(err, TFPROF_CANCELLED, "cancelled");
	}
	pthread_mutex_lock(&s->lock);
	kept->object = object;
	kept->count_bytes = maker->count_bytes;
	kept->free = maker->free;
	if (status == TFPROF_OK) {
		charge(s, kept);
		evict(s);
	} else {
		unlist(s, kept);
	}
	pthread_cond_broadcast(&s->finished);
	return status;
}

enum tfprof_status store_use(struct store *s, int64_t p, const char *key, const struct maker *maker,
	const volatile int *cancel, struct kept **kept, struct tfprof_error *err)
{
	struct shown_profile *profile;
	enum tfprof_status status = store_get(s, p, &profile, err);
	struct kept *k = NULL;

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	pthread_mutex_lock(&s->lock);
	while ((k = find(s, key)) && !(k = wait_for(s, k, cancel)) && !is_cancelled(cancel))
		;
	if (!k && is_cancelled(cancel)) {
		status = error_set(err, TFPROF_CANCELLED, "cancelled");
	} else if (!k) {
		k = list_new(s, key);
		status = k ? run(s, k, profile->profile, maker, cancel, err) : error_no_memory(err);
		if (k && status != TFPROF_OK) {
			release_locked(s, k);
			k = NULL;
		}
	}
	pthread_mutex_unlock(&s->lock);
	*kept = k;
	return status;
}

void *kept_get(const struct kept *kept)
{
	return kept->object;
}

void store_release(struct store *s, struct kept *kept)
{
	if (!kept)
		return;
	pthread_mutex_lock(&s->lock);
	release_locked(s, kept);
	pthread_mutex_unlock(&s->lock);
	return_freed_memory(s);
}

void store_clear(struct store *s)
{
	while (s->kept) {
		struct kept *kept = s->kept;

		s->kept = kept->next;
		free_kept(kept);
	}
	for (size_t i = 0; i < s->n_profiles; i++) {
		struct shown_profile *p = &s->profiles[i];

		if (p->has_loader)
			pthread_join(p->loader, NULL);
		tfprof_profile_free(p->profile);
		free(p->notes);
		vec_clear(&p->inputs);
	}
	pthread_cond_destroy(&s->finished);
	pthread_mutex_destroy(&s->lock);
}
