/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of thread times: a thread that computes is busy, one that sleeps waits, each
 * for the phase in which it did so, for no longer than the looks are apart.
 */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "run_record.h"

#define SPIN_US 60000

static uint64_t clock_us(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct work {
	_Atomic int step; /* 0: compute; 1: has computed, sleeps; 2: end */
};

static void *compute(void *arg)
{
	struct work *work = arg;
	uint64_t end_us = clock_us(CLOCK_THREAD_CPUTIME_ID) + SPIN_US;

	(void)pthread_setname_np(pthread_self(), "spinner");
	while (clock_us(CLOCK_THREAD_CPUTIME_ID) < end_us) {
	}
	work->step = 1;
	while (work->step != 2) {
		(void)usleep(1000);
	}
	return NULL;
}

static const struct thread_time *find(const struct thread_times *times, const char *name)
{
	for (size_t i = 0; i < times->n; i++) {
		if (strcmp(times->items[i].name, name) == 0) {
			return &times->items[i];
		}
	}
	return NULL;
}

TEST(work_counts_for_its_phase)
{
	struct thread_times times = {.n = 0};
	struct work work = {.step = 0};
	const struct thread_time *spinner = NULL;
	const struct thread_phase *phases = NULL;
	pthread_t thread;
	uint64_t start_us = clock_us(CLOCK_MONOTONIC);

	if (access("/proc/thread-self/schedstat", R_OK) < 0) {
		skip(); /* this kernel does not count */
	}
	thread_times_look(&times, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, compute, &work), 0);
	while (work.step != 1) {
		(void)usleep(1000);
	}
	thread_times_look(&times, clock_us(CLOCK_MONOTONIC) - start_us, 1);
	(void)usleep(50000);
	thread_times_look(&times, clock_us(CLOCK_MONOTONIC) - start_us, 2);
	work.step = 2;
	assert_int_equal(pthread_join(thread, NULL), 0);
	thread_times_look(&times, clock_us(CLOCK_MONOTONIC) - start_us, 2);

	spinner = find(&times, "spinner");
	assert_non_null(spinner);
	phases = spinner->phases;
	assert_int_equal(phases[0].alive_us, 0);
	assert_true(phases[1].busy_us >= SPIN_US * 9 / 10);
	assert_true(phases[1].alive_us + 20000 >= phases[1].busy_us + phases[1].ready_us);
	assert_true(phases[2].busy_us < SPIN_US / 2);
	assert_true(phases[2].alive_us >= 50000);
	thread_times_deinit(&times);
}

TEST(a_phase_too_many_is_not_noted)
{
	struct thread_times times = {.n = 0};

	thread_times_look(&times, 10, THREAD_TIMES_PHASES);
	assert_int_equal(times.n, 0);
	thread_times_deinit(&times);
}
