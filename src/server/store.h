/* The profiles that are shown, and the results and timelines that are kept of them.
 *
 *     store ── profile 0 ── inputs ──loader thread──> tfprof_profile
 *           ── profile 1     (with `tfprof ui A -- B`)
 *           ── cache: (profile, view, options) → result, the least recently used go first
 *
 * Requests for the same result share one query. */
#ifndef TFPROF_SERVER_STORE_H
#define TFPROF_SERVER_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <tfprof/tfprof.h>

#include "base/vec.h"

enum { MAX_PROFILES = 2 };

enum load_state { LOAD_RUNNING, LOAD_READY, LOAD_FAILED };

struct shown_input {
	const char *kind; /* NULL: recognized by content */
	const char *path;
	struct stat seen; /* when it was loaded */
};

struct shown_profile {
	VEC(struct shown_input) inputs;
	enum tfprof_reading reading; /* of the inputs; the store's */
	tfprof_profile *profile;
	char *notes;
	struct tfprof_error err; /* once it has failed */
	atomic_int state;        /* enum load_state; everything above is set before it changes */
	atomic_ullong bytes_done, bytes_total, n_nodes;
	pthread_t loader;
	bool has_loader;
};

struct kept;

struct store {
	struct shown_profile profiles[MAX_PROFILES];
	size_t n_profiles;
	enum tfprof_reading reading; /* of all profiles */
	char instance[17];           /* changes when the server restarts */
	pthread_mutex_t lock;
	pthread_cond_t finished;
	struct kept *kept; /* most recently used first */
	size_t kept_bytes;
	size_t evicted_bytes; /* since freed memory was last returned to the system */
};

bool store_init(struct store *s);
/* Starts a thread that loads a profile's inputs; false if it cannot. */
bool store_load(struct store *s, size_t p);
/* Waits for loaders. No result may be in use. */
void store_clear(struct store *s);

/* The profile once it is loaded; else an error that says so. */
enum tfprof_status store_get(struct store *s, int64_t p, struct shown_profile **profile,
	struct tfprof_error *err);

/* Whether an input is no longer what was loaded. */
bool store_has_changed(const struct shown_profile *p);

/* What a key's object is made by, if it is not kept yet: a result or a timeline. */
struct maker {
	enum tfprof_status (*make)(void *context, tfprof_profile *profile,
		const volatile int *cancel, void **object, struct tfprof_error *err);
	/* Bytes of memory it holds, which may grow while it is used. */
	size_t (*count_bytes)(void *object);
	void (*free)(void *object);
	void *context;
};

/* An object, made now or kept. Release it. */
enum tfprof_status store_use(struct store *s, int64_t p, const char *key, const struct maker *maker,
	const volatile int *cancel, struct kept **kept, struct tfprof_error *err);
void *kept_get(const struct kept *kept);
void store_release(struct store *s, struct kept *kept);

#endif
