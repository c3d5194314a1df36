/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of teams:
 * - every member runs every round once, with its own number and the round's number;
 * - what a round wrote may be read after the next meeting;
 * - one member runs in the caller;
 * - a team that never met can be freed.
 */
#include "test.h"

#include <pthread.h>

#include "base/team.h"

#define NROUNDS      50
#define NMEMBERS_MAX 8

struct log {
	uint64_t last_round[NMEMBERS_MAX];
	unsigned nruns[NMEMBERS_MAX];
	pthread_t thread[NMEMBERS_MAX];
	bool is_out_of_order;
};

static void log_round(void *ctx, unsigned member, uint64_t round)
{
	struct log *log = ctx;

	if (round != log->last_round[member] + 1) {
		log->is_out_of_order = true;
	}
	log->last_round[member] = round;
	log->nruns[member]++;
	log->thread[member] = pthread_self();
}

TEST(every_member_runs_every_round_once)
{
	static const unsigned sizes[] = {1, 2, 3, 8};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct log log = {0};
		struct dit_team *team = NULL;

		assert_int_equal(dit_team_new(&team, sizes[i], "test", log_round, &log),
		                 0);
		for (int round = 0; round < NROUNDS; round++) {
			dit_team_meet(team, NULL);
		}
		dit_team_free(team, NULL);

		assert_false(log.is_out_of_order);
		for (unsigned m = 0; m < sizes[i]; m++) {
			assert_int_equal(log.nruns[m], NROUNDS);
		}
	}
}

/* A round's result is visible, and complete, after the next meeting. */
struct sums {
	uint64_t of_round[2][NMEMBERS_MAX]; /* by parity of the round */
};

static void write_sum(void *ctx, unsigned member, uint64_t round)
{
	struct sums *sums = ctx;

	sums->of_round[round & 1][member] = round * 100 + member;
}

TEST(a_round_may_be_read_after_the_next_meeting)
{
	struct sums sums = {0};
	struct dit_team *team = NULL;

	assert_int_equal(dit_team_new(&team, 3, "test", write_sum, &sums), 0);
	dit_team_meet(team, NULL);
	for (uint64_t round = 1; round < NROUNDS; round++) {
		dit_team_meet(team, NULL);
		for (unsigned m = 0; m < 3; m++) {
			assert_int_equal(sums.of_round[round & 1][m], round * 100 + m);
		}
	}
	dit_team_free(team, NULL);
}

TEST(one_member_runs_in_the_caller)
{
	struct log log = {0};
	struct dit_team *team = NULL;

	assert_int_equal(dit_team_new(&team, 1, "test", log_round, &log), 0);
	dit_team_meet(team, NULL);

	assert_int_equal(log.nruns[0], 1);
	assert_true(pthread_equal(log.thread[0], pthread_self()));
	dit_team_free(team, NULL);
}

TEST(a_team_that_never_met_can_be_freed)
{
	struct log log = {0};
	struct dit_team *team = NULL;

	assert_int_equal(dit_team_new(&team, 4, "test", log_round, &log), 0);
	dit_team_free(team, NULL);
	assert_int_equal(log.nruns[0], 0);
	dit_team_free(NULL, NULL);
}

TEST(no_members_are_refused)
{
	struct dit_team *team = NULL;

	assert_int_equal(dit_team_new(&team, 0, "test", log_round, NULL), -EINVAL);
	assert_null(team);
}
