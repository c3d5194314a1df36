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

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/ticker.h"

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

/** Inside: the same, but not longer than this, a second at most. @return is it over? */
static inline bool dit_monitor_wait_ms(struct dit_monitor *monitor, unsigned ms)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ms * 1000000;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	return pthread_cond_timedwait(&monitor->changed, &monitor->lock, &until) ==
	       ETIMEDOUT;
}

/** Inside: the same as dit_monitor_wait(), or, after a while, tick outside. @param ticker
 * NULL: none */
static inline void dit_monitor_wait_ticking(struct dit_monitor *monitor,
                                            struct dit_ticker *ticker)
{
	if (ticker == NULL || ticker->tell == NULL) {
		dit_monitor_wait(monitor);
	} else if (dit_monitor_wait_ms(monitor, DIT_TICK_MS)) {
		dit_monitor_leave(monitor);
		dit_tick(ticker);
		dit_monitor_enter(monitor);
	}
}

/** Inside: all who wait look again. */
static inline void dit_monitor_tell(struct dit_monitor *monitor)
{
	(void)pthread_cond_broadcast(&monitor->changed);
}

#endif
