/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the stop object:
 * - it is set by the program's flag, or by the coordinator;
 * - it ends the wait for input that does not come;
 * - arenas of its pool give out no more blocks then.
 */
#include "test.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/stop.h"

TEST(a_flag_or_the_coordinator_sets_it)
{
	volatile sig_atomic_t flag = 0;
	struct dit_stop stop = {.flag = &flag};
	struct dit_stop other = {.flag = NULL};

	assert_false(dit_stop_is_set(NULL));
	assert_false(dit_stop_is_set(&stop));
	flag = 15;
	assert_true(dit_stop_is_set(&stop));
	assert_false(dit_stop_is_set(&other));
	dit_stop_end(&other);
	assert_true(dit_stop_is_set(&other));
}

static void *end_soon(void *stop)
{
	(void)usleep(50000);
	dit_stop_end(stop);
	return NULL;
}

TEST(it_ends_the_wait_for_input)
{
	struct dit_stop stop = {.flag = NULL};
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, end_soon, &stop), 0);
	assert_int_equal(dit_stop_wait_input(&stop, fds[0]), DIT_E_STOPPED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
}

TEST(input_and_its_end_are_waited_for)
{
	struct dit_stop stop = {.flag = NULL};
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(dit_stop_wait_input(&stop, fds[0]), 0);
	assert_int_equal(dit_stop_wait_input(NULL, fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(dit_stop_wait_input(&stop, fds[0]), 0);
	assert_int_equal(close(fds[0]), 0);
}

TEST(arenas_give_out_no_more_blocks)
{
	struct dit_stop stop = {.flag = NULL};
	struct dit_arena arena;

	dit_arena_init_shared(&arena, 4096, &stop);
	assert_non_null(dit_arena_bytes(&arena, 100));
	assert_false(dit_stop_is_set(arena.stop));
	dit_stop_end(&stop);
	assert_true(dit_stop_is_set(arena.stop));
	assert_non_null(dit_arena_bytes(&arena, 100));
	assert_null(dit_arena_bytes(&arena, 5000));
	dit_arena_deinit(&arena);
}
