/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the ticker and of those that tick while they wait: somebody is told at
 * once, then every quarter of a second and not more often, on the thread that waits; who
 * waits for a feed, a team or a pipe ticks; without a listener nothing is called. A large
 * file is synced in pieces with a tick for each.
 */
#include "test.h"

#include <pthread.h>
#include <time.h>

#include "base/feed.h"
#include "base/stop.h"
#include "base/team.h"
#include "base/ticker.h"
#include "system/file_io.h"

#define LONG_MS 600

struct told {
	unsigned n;
	pthread_t thread;
	bool is_wrong; /* told on another thread */
};

static void tell(void *ctx)
{
	struct told *told = ctx;

	told->n++;
	told->is_wrong |= !pthread_equal(pthread_self(), told->thread);
}

static struct told nobody_yet(void)
{
	return (struct told){.n = 0, .thread = pthread_self()};
}

static void sleep_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&time, &time) != 0 && errno == EINTR) {
	}
}

TEST(tells_at_once_and_then_now_and_then)
{
	struct told told = nobody_yet();
	struct dit_ticker ticker = {tell, &told, 0, 0};

	for (int i = 0; i < 1000; i++) {
		dit_tick(&ticker);
	}
	assert_int_equal(told.n, 1);
	sleep_ms(DIT_TICK_MS + 50);
	dit_tick(&ticker);
	assert_int_equal(told.n, 2);
	sleep_ms(DIT_TICK_MS + 50);
	for (int i = 0; i < 256; i++) {
		assert_int_equal(told.n, 2);
		dit_tick_often(&ticker);
	}
	assert_int_equal(told.n, 3);
}

TEST(without_a_listener_nothing_happens)
{
	struct dit_ticker silent = {NULL, NULL, 0, 0};

	dit_tick(NULL);
	dit_tick_often(NULL);
	dit_tick(&silent);
	assert_int_equal(silent.told_ms, 0);
}

static int fill_slowly(void *ctx, unsigned slot)
{
	(void)ctx;
	(void)slot;
	sleep_ms(LONG_MS);
	return 1;
}

TEST(a_wait_for_a_feed_ticks)
{
	struct told told = nobody_yet();
	struct dit_ticker ticker = {tell, &told, 0, 0};
	struct dit_feed *feed = NULL;
	unsigned slot = 0;

	assert_int_equal(dit_feed_new(&feed, 2, "feed", fill_slowly, NULL), 0);
	assert_int_equal(dit_feed_take(feed, &ticker, &slot), 1);
	dit_feed_free(feed);
	assert_in_range(told.n, 1, LONG_MS / DIT_TICK_MS + 1);
	assert_false(told.is_wrong);
}

static void work_slowly(void *ctx, unsigned member, uint64_t round)
{
	(void)ctx;
	(void)round;
	sleep_ms(member == 0 ? LONG_MS : 0);
}

TEST(a_wait_for_a_team_ticks)
{
	struct told told = nobody_yet();
	struct dit_ticker ticker = {tell, &told, 0, 0};
	struct dit_team *team = NULL;

	assert_int_equal(dit_team_new(&team, 3, "test", work_slowly, NULL), 0);
	dit_team_meet(team, &ticker);
	assert_int_equal(told.n, 0);
	for (int i = 0; i < 2; i++) {
		told.n = 0;
		dit_team_meet(team, &ticker);
		assert_in_range(told.n, 1, LONG_MS / DIT_TICK_MS + 1);
	}
	told.n = 0;
	dit_team_free(team, &ticker);
	assert_in_range(told.n, 1, LONG_MS / DIT_TICK_MS + 1);
	assert_false(told.is_wrong);
}

static void *write_late(void *arg)
{
	sleep_ms(LONG_MS);
	assert_int_equal(write(*(int *)arg, "x", 1), 1);
	return NULL;
}

TEST(a_wait_for_a_pipe_ticks)
{
	struct told told = nobody_yet();
	struct dit_ticker ticker = {tell, &told, 0, 0};
	struct dit_stop stop = {.ticker = &ticker};
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_late, &fds[1]), 0);
	assert_int_equal(dit_stop_wait_input(&stop, fds[0]), 0);
	(void)pthread_join(thread, NULL);
	(void)close(fds[0]);
	(void)close(fds[1]);
	assert_in_range(told.n, 1, LONG_MS / DIT_TICK_MS + 1);
}

/* ---- files ---- */

static unsigned nsynced;
static int sync_error;

int __wrap_sync_file_range(int fd, off64_t at, off64_t bytes, unsigned flags);

int __wrap_sync_file_range(int fd, off64_t at, off64_t bytes, unsigned flags)
{
	(void)fd;
	(void)flags;
	assert_int_equal(at, (off64_t)(nsynced * DIT_SYNC_PIECE_BYTES));
	assert_in_range(bytes, 1, DIT_SYNC_PIECE_BYTES);
	nsynced++;
	errno = sync_error;
	return sync_error == 0 ? 0 : -1;
}

TEST(a_large_file_is_synced_in_pieces)
{
	struct told told = nobody_yet();
	struct dit_ticker ticker = {tell, &told, 0, 0};
	uint64_t bytes = 2 * DIT_SYNC_PIECE_BYTES + 5;
	uint64_t done = 0;

	nsynced = 0;
	assert_int_equal(dit_sync_pieces(-1, DIT_SYNC_PIECE_BYTES, &done, &ticker), 0);
	assert_int_equal(dit_sync_pieces(-1, bytes, &done, NULL), 0);
	assert_int_equal(nsynced, 0);
	assert_int_equal(dit_sync_pieces(-1, bytes, &done, &ticker), 0);
	assert_int_equal(nsynced, 3);
	assert_int_equal(done, bytes);
	assert_int_equal(told.n, 1);
}

TEST(a_disk_that_fails_is_told_and_one_that_cannot_is_not)
{
	static const int errors[] = {EIO, ENOSPC, EDQUOT, EINVAL, ESPIPE, ENOSYS};
	struct dit_ticker ticker = {NULL, NULL, 0, 0};

	for (size_t i = 0; i < 6; i++) {
		nsynced = 0;
		sync_error = errors[i];
		assert_int_equal(
			dit_sync_pieces(-1, 2 * DIT_SYNC_PIECE_BYTES, NULL, &ticker),
			i < 3 ? -errors[i] : 0);
		assert_int_equal(nsynced, i < 3 ? 1 : 2);
	}
	sync_error = 0;
}
