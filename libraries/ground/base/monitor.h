/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A monitor: a lock, and a condition that tells those who wait that something changed
 * under the lock.
 *
 *   dit_monitor_enter();
 *   while (not what I need)
 *           dit_monitor_wait();
 *   change it;  dit_monitor_tell();
 *   dit_monitor_leave();
 *
 * Threads: any, but for init and deinit, which belong to the owner.
 */
#ifndef DITKIT_MONITOR_H
#define DITKIT_MONITOR_H

#include <pthread.h>
#include <time.h>

struct dit_monitor {
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static inline void dit_monitor_init(struct dit_monitor *monitor)
{
	monitor->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	monitor->changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/** No thread is inside, and none comes any more. */
static inline void dit_monitor_deinit(struct dit_monitor *monitor)
{
	(void)pthread_cond_destroy(&monitor->changed);
	(void)pthread_mutex_destroy(&monitor->lock);
}

static inline void dit_monitor_enter(struct dit_monitor *monitor)
{
	(void)pthread_mutex_lock(&monitor->lock);
}

static inline void dit_monitor_leave(struct dit_monitor *monitor)
{
	(void)pthread_mutex_unlock(&monitor->lock);
}

/** Inside: let others in until one of them tells. */
static inline void dit_monitor_wait(struct dit_monitor *monitor)
{
	(void)pthread_cond_wait(&monitor->changed, &monitor->lock);
}

/** Inside: the same, but not longer than this, a second at most. */
static inline void dit_monitor_wait_ms(struct dit_monitor *monitor, unsigned ms)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ms * 1000000;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	(void)pthread_cond_timedwait(&monitor->changed, &monitor->lock, &until);
}

/** Inside: all who wait look again. */
static inline void dit_monitor_tell(struct dit_monitor *monitor)
{
	(void)pthread_cond_broadcast(&monitor->changed);
}

#endif
