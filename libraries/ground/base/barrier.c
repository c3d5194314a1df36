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
	*barrier = (struct dit_barrier){.nparties = nparties};
	return dit_monitor_init(&barrier->monitor);
}

void dit_barrier_deinit(struct dit_barrier *barrier)
{
	/*
	 * A party may still be on its way out of the lock; taking it once waits for that.
	 */
	dit_monitor_enter(&barrier->monitor);
	dit_monitor_leave(&barrier->monitor);
	dit_monitor_deinit(&barrier->monitor);
}

void dit_barrier_wait(struct dit_barrier *barrier)
{
	unsigned generation = 0;

	dit_monitor_enter(&barrier->monitor);
	generation = barrier->generation;
	barrier->nwaiting++;
	if (barrier->nwaiting == barrier->nparties) {
		barrier->nwaiting = 0;
		barrier->generation++;
		dit_monitor_tell(&barrier->monitor);
	}
	/*
	 * The generation, not the count, ends the wait: a fast thread may be back
	 * already.
	 */
	while (generation == barrier->generation) {
		dit_monitor_wait(&barrier->monitor);
	}
	dit_monitor_leave(&barrier->monitor);
}

#endif
