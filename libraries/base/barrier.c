/* SPDX-License-Identifier: BSD-2-Clause */
/* The barrier, from the system or from a mutex and a condition variable. */
#include "base/barrier.h"

#ifdef HAVE_PTHREAD_BARRIER_WAIT

int dit_barrier_init(struct dit_barrier *barrier, unsigned nparties)
{
	return -pthread_barrier_init(&barrier->barrier, NULL, nparties);
}

void dit_barrier_deinit(struct dit_barrier *barrier)
{
	(void)pthread_barrier_destroy(&barrier->barrier);
}

void dit_barrier_wait(struct dit_barrier *barrier)
{
	/*
	 * Fails only on a barrier that is none; one party gets a "serial" code, unused.
	 */
	(void)pthread_barrier_wait(&barrier->barrier);
}

#else

int dit_barrier_init(struct dit_barrier *barrier, unsigned nparties)
{
	int r = 0;

	*barrier = (struct dit_barrier){.nparties = nparties};
	r = pthread_mutex_init(&barrier->lock, NULL);
	if (r != 0) {
		return -r;
	}
	r = pthread_cond_init(&barrier->turned, NULL);
	if (r != 0) {
		(void)pthread_mutex_destroy(&barrier->lock);
		return -r;
	}
	return 0;
}

void dit_barrier_deinit(struct dit_barrier *barrier)
{
	/*
	 * A party may still be on its way out of the lock; taking it once waits for that.
	 */
	(void)pthread_mutex_lock(&barrier->lock);
	(void)pthread_mutex_unlock(&barrier->lock);
	(void)pthread_cond_destroy(&barrier->turned);
	(void)pthread_mutex_destroy(&barrier->lock);
}

void dit_barrier_wait(struct dit_barrier *barrier)
{
	unsigned generation = 0;

	(void)pthread_mutex_lock(&barrier->lock);
	generation = barrier->generation;
	barrier->nwaiting++;
	if (barrier->nwaiting == barrier->nparties) {
		barrier->nwaiting = 0;
		barrier->generation++;
		(void)pthread_cond_broadcast(&barrier->turned);
	}
	/*
	 * The generation, not the count, ends the wait: a fast thread may be back
	 * already.
	 */
	while (generation == barrier->generation) {
		(void)pthread_cond_wait(&barrier->turned, &barrier->lock);
	}
	(void)pthread_mutex_unlock(&barrier->lock);
}

#endif
