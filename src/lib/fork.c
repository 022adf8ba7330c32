/* fork() while other threads use profiles.
 *
 * A child has only the thread that forked: locks that others held would stay locked. So
 * forking waits until nobody is adding to a profile or building a view, and the child
 * gets new locks. Queries of other threads are lost in the child, and hold no lock
 * there. */
#include "base/parallel.h"
#include "lib/result.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct tfprof_profile *profiles;

/* A callback of this thread may fork while it adds: it has the lock already, and its
 * rdlock fails. */
static void prepare(void)
{
	pthread_mutex_lock(&lock);
	for (struct tfprof_profile *p = profiles; p; p = p->next) {
		p->is_held = pthread_rwlock_rdlock(&p->lock) == 0;
		pthread_mutex_lock(&p->building);
		pthread_mutex_lock(&p->results_lock);
	}
}

static void resume(void)
{
	for (struct tfprof_profile *p = profiles; p; p = p->next) {
		pthread_mutex_unlock(&p->results_lock);
		pthread_mutex_unlock(&p->building);
		if (p->is_held)
			pthread_rwlock_unlock(&p->lock);
	}
	pthread_mutex_unlock(&lock);
}

static void renew(void)
{
	for (struct tfprof_profile *p = profiles; p; p = p->next) {
		pthread_mutex_init(&p->results_lock, NULL);
		pthread_mutex_init(&p->building, NULL);
		if (p->is_held)
			pthread_rwlock_init(&p->lock, NULL);
		for (struct tfprof_result *r = p->results; r; r = r->next)
			pthread_mutex_init(&r->lock, NULL);
	}
	pthread_mutex_init(&lock, NULL);
}

/* Preparing runs in the reverse order: whoever is waited for may need the pool. */
static void watch_forks(void)
{
	parallel_watch_process();
	pthread_atfork(prepare, resume, renew);
}

void profile_enlist(struct tfprof_profile *p)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&lock);
	p->next = profiles;
	p->link = &profiles;
	if (p->next)
		p->next->link = &p->next;
	profiles = p;
	pthread_mutex_unlock(&lock);
}

void profile_delist(struct tfprof_profile *p)
{
	pthread_mutex_lock(&lock);
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	pthread_mutex_unlock(&lock);
}
