/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline: rounds of a team, each on three batches.
 *
 * While the members are in one round, main prepares the next, so rounds are kept twice,
 * by the parity of their number. A batch moves by one line from each round to the next:
 *
 *                   round k     round k+1       round k+2       round k+3
 *   taken from feed
 *     before_order  B ─────┐
 *     in_order             └──▶ B ─────┐
 *     after_order                      └──▶     B (last_round, in round k+3: given back)
 */
#include "pipeline/pipeline.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/feed.h"
#include "base/object.h"
#include "base/stop.h"
#include "base/team.h"

#define SHARE       16
#define ARENA_BYTES (64u << 10)

/* Main has four at the most: one in each stage of the round that runs, but for the last
 * stage, in which the batch of the round before waits for the meeting; and the next. */
#define NSLOTS           4
#define NSLOTS_UNORDERED 2 /* without after_order: one with the members, and the next */
#define NSLOTS_AHEAD     2 /* for a reader thread to stay ahead with */

/* A batch on its way. */
struct slot {
	/* [handoff: main > members, at the meeting] */
	unsigned number;
	size_t nitems;

	struct dit_arena
		*arenas; /* one per member. [own: its member], while a round runs */

	/* [atomic: first error of a member; relaxed, main looks when they have met] */
	_Atomic int error;
};

struct round {
	/* [handoff: main > members, at the meeting]; NULL: no batch */
	struct slot *before_order;
	struct slot *in_order; /* main's alone */
	struct slot *after_order;
	dit_pipeline_work_fn work; /* not NULL: other work instead */
	void *work_ctx;

	/*
	 * [atomic: members draw their shares from them; relaxed, the batches themselves
	 * are handed over by the meeting]
	 */
	_Atomic size_t next_before;
	_Atomic size_t next_after;
};

struct dit_pipeline {
	/* [const] while members run */
	struct dit_pipeline_opts opts;
	unsigned nslots;

	struct round rounds[2]; /* by parity */
	bool *has_failed;       /* by member. [own: the member] */

	/* [own: main] */
	struct slot *slots;
	struct dit_feed *feed;
	struct dit_team *team;
	uint64_t nrounds; /* begun so far */
};

/* ---- members ---- */

typedef int (*stage_fn)(void *ctx, const struct dit_pipeline_share *share);

/* Shares are neighbouring items: a batch with a few huge ones leaves no member idle. */
static void run_stage(struct dit_pipeline *pipeline, unsigned member, struct slot *slot,
                      _Atomic size_t *next, stage_fn stage)
{
	size_t size = pipeline->opts.share;
	struct dit_pipeline_share share = {
		.slot = slot->number, .member = member, .arena = &slot->arenas[member]};

	while (!pipeline->has_failed[member]) {
		int none = 0;
		int r = 0;

		share.first = atomic_fetch_add_explicit(next, size, memory_order_relaxed);
		if (share.first >= slot->nitems) {
			return;
		}
		share.end = slot->nitems - share.first < size ? slot->nitems
		                                              : share.first + size;
		r = stage(pipeline->opts.ctx, &share);
		if (r < 0) {
			pipeline->has_failed[member] = true;
			atomic_compare_exchange_strong_explicit(&slot->error, &none, r,
			                                        memory_order_relaxed,
			                                        memory_order_relaxed);
		}
	}
}

static void run_member(void *ctx, unsigned member, uint64_t number)
{
	struct dit_pipeline *pipeline = ctx;
	struct round *round = &pipeline->rounds[number & 1];

	if (round->work != NULL) {
		round->work(round->work_ctx, member);
		return;
	}
	/* The older batch first: its slot is wanted back. */
	if (round->after_order != NULL) {
		run_stage(pipeline, member, round->after_order, &round->next_after,
		          pipeline->opts.ops.after_order);
	}
	if (round->before_order != NULL) {
		run_stage(pipeline, member, round->before_order, &round->next_before,
		          pipeline->opts.ops.before_order);
	}
}

/* ---- main ---- */

/* The round that runs, or the one that ended last. */
static struct round *this_round(struct dit_pipeline *pipeline)
{
	return &pipeline->rounds[pipeline->nrounds & 1];
}

/* The one that main prepares at the same time. */
static struct round *next_round(struct dit_pipeline *pipeline)
{
	struct round *round = &pipeline->rounds[(pipeline->nrounds + 1) & 1];

	round->before_order = NULL;
	round->in_order = NULL;
	round->after_order = NULL;
	round->work = NULL;
	atomic_store_explicit(&round->next_before, 0, memory_order_relaxed);
	atomic_store_explicit(&round->next_after, 0, memory_order_relaxed);
	return round;
}

/* Wait for the end of this round; the next one begins, and is this one from here on. */
static void meet(struct dit_pipeline *pipeline)
{
	pipeline->nrounds++;
	dit_team_meet(pipeline->team, pipeline->opts.shared.ticker);
}

void dit_pipeline_begin_work(struct dit_pipeline *pipeline, dit_pipeline_work_fn work,
                             void *ctx)
{
	struct round *next = next_round(pipeline);

	next->work = work;
	next->work_ctx = ctx;
	meet(pipeline);
}

void dit_pipeline_end_work(struct dit_pipeline *pipeline)
{
	dit_team_rest(pipeline->team, pipeline->opts.shared.ticker);
}

/* @return 1 with a batch; 0: end of input; or the source's error */
static int take(struct dit_pipeline *pipeline, struct slot **ret)
{
	unsigned number = 0;
	struct slot *slot = NULL;
	int r = dit_feed_take(pipeline->feed, pipeline->opts.shared.ticker, &number);

	if (r <= 0) {
		return r;
	}
	slot = &pipeline->slots[number];
	atomic_store_explicit(&slot->error, 0, memory_order_relaxed);
	slot->nitems = 0;
	r = pipeline->opts.ops.begin(pipeline->opts.ctx, number, &slot->nitems);
	if (r < 0) {
		return r;
	}
	*ret = slot;
	return 1;
}

/* A batch has passed its last stage. */
static void give_back(struct dit_pipeline *pipeline, struct slot *slot)
{
	for (unsigned i = 0; i < pipeline->opts.shared.nthreads; i++) {
		dit_arena_reset(&slot->arenas[i]);
	}
	dit_feed_return(pipeline->feed);
}

static int error_of(struct slot *slot)
{
	return atomic_load_explicit(&slot->error, memory_order_relaxed);
}

/* The batch whose after_order ended with the last round. NULL is fine. */
static int end_batch(struct dit_pipeline *pipeline, struct slot *slot,
                     enum dit_pipeline_stage *ret_stage)
{
	if (slot == NULL) {
		return 0;
	}
	if (error_of(slot) < 0) {
		*ret_stage = DIT_PIPELINE_AFTER_ORDER;
		return error_of(slot);
	}
	give_back(pipeline, slot);
	return 0;
}

/* Main's part of a round. NULL is fine. */
static int order_batch(struct dit_pipeline *pipeline, struct slot *slot,
                       enum dit_pipeline_stage *ret_stage)
{
	const struct dit_pipeline_ops *ops = &pipeline->opts.ops;
	int r = 0;

	if (slot == NULL) {
		return 0;
	}
	*ret_stage = DIT_PIPELINE_BEFORE_ORDER;
	if (error_of(slot) < 0) {
		return error_of(slot);
	}
	*ret_stage = DIT_PIPELINE_IN_ORDER;
	r = ops->in_order(pipeline->opts.ctx, slot->number);
	if (r < 0) {
		return r;
	}
	*ret_stage = DIT_PIPELINE_STOPPED;
	if (dit_stop_is_set(pipeline->opts.shared.stop)) {
		return DIT_E_STOPPED;
	}
	if (ops->after_order == NULL) {
		give_back(pipeline, slot);
	}
	return 0;
}

static bool is_empty(const struct round *round)
{
	return round->before_order == NULL && round->in_order == NULL &&
	       round->after_order == NULL;
}

/* The last round is an empty one: when it begins, the last one with work is over. */
static int run_rounds(struct dit_pipeline *pipeline, enum dit_pipeline_stage *ret_stage)
{
	int input =
		1; /* 0: at its end; negative: its error, told after what came before */

	for (;;) {
		struct round *last = this_round(pipeline);
		struct round *next = next_round(pipeline);
		struct slot *ended = last->after_order;
		int r = 0;

		next->after_order =
			pipeline->opts.ops.after_order == NULL ? NULL : last->in_order;
		next->in_order = last->before_order;
		input = input <= 0 ? input : take(pipeline, &next->before_order);
		meet(pipeline);

		r = end_batch(pipeline, ended, ret_stage);
		r = r ?: order_batch(pipeline, next->in_order, ret_stage);
		if (r < 0) {
			return r;
		}
		if (is_empty(next)) {
			*ret_stage = input < 0 ? DIT_PIPELINE_FILL : DIT_PIPELINE_NONE;
			return input;
		}
	}
}

int dit_pipeline_run(struct dit_pipeline *pipeline, enum dit_pipeline_stage *ret_stage)
{
	int r = run_rounds(pipeline, ret_stage);

	if (r < 0) {
		/* An empty round, as above: no member is at work after it. */
		(void)next_round(pipeline);
		meet(pipeline);
	}
	return r;
}

/* ---- beginning and end ---- */

unsigned dit_pipeline_nslots(const struct dit_pipeline_opts *opts)
{
	return (opts->ops.after_order == NULL ? NSLOTS_UNORDERED : NSLOTS) +
	       (opts->is_ahead ? NSLOTS_AHEAD : 0);
}

static int make_slots(struct dit_pipeline *pipeline)
{
	unsigned nmembers = pipeline->opts.shared.nthreads;

	pipeline->nslots = dit_pipeline_nslots(&pipeline->opts);
	pipeline->slots = calloc(pipeline->nslots, sizeof(*pipeline->slots));
	pipeline->has_failed = calloc(nmembers, sizeof(*pipeline->has_failed));
	if (pipeline->slots == NULL || pipeline->has_failed == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < pipeline->nslots; i++) {
		struct slot *slot = &pipeline->slots[i];

		slot->number = i;
		slot->arenas = calloc(nmembers, sizeof(*slot->arenas));
		if (slot->arenas == NULL) {
			return -ENOMEM;
		}
		for (unsigned m = 0; m < nmembers; m++) {
			dit_arena_init_shared(&slot->arenas[m],
			                      pipeline->opts.arena_bytes,
			                      pipeline->opts.shared.stop);
		}
	}
	return 0;
}

static int start(struct dit_pipeline *pipeline)
{
	const struct dit_pipeline_opts *opts = &pipeline->opts;
	int r = make_slots(pipeline);

	r = r
	            ?: dit_feed_new(&pipeline->feed, pipeline->nslots,
	                            opts->is_ahead ? "reader" : NULL, opts->ops.fill,
	                            opts->ctx);
	return r
	               ?: dit_team_new(&pipeline->team, opts->shared.nthreads, opts->name,
	                               run_member, pipeline);
}

int dit_pipeline_new(struct dit_pipeline **ret, const struct dit_pipeline_opts *opts)
{
	struct dit_pipeline *pipeline = NULL;
	int r = 0;

	if (opts->shared.nthreads == 0) {
		return -EINVAL;
	}
	pipeline = calloc(1, sizeof(*pipeline));
	if (pipeline == NULL) {
		return -ENOMEM;
	}
	pipeline->opts = *opts;
	pipeline->opts.share = pipeline->opts.share ?: SHARE;
	pipeline->opts.arena_bytes = pipeline->opts.arena_bytes ?: ARENA_BYTES;
	r = start(pipeline);
	return DIT_HAND_OVER(r, ret, pipeline, dit_pipeline_free);
}

void dit_pipeline_free(struct dit_pipeline *pipeline)
{
	if (pipeline == NULL) {
		return;
	}
	/* Threads first: nothing they use may go before they do. */
	dit_team_free(pipeline->team, NULL);
	dit_feed_free(pipeline->feed);
	for (unsigned i = 0; pipeline->slots != NULL && i < pipeline->nslots; i++) {
		struct slot *slot = &pipeline->slots[i];

		for (unsigned m = 0;
		     slot->arenas != NULL && m < pipeline->opts.shared.nthreads; m++) {
			dit_arena_deinit(&slot->arenas[m]);
		}
		free(slot->arenas);
	}
	free(pipeline->slots);
	free(pipeline->has_failed);
	free(pipeline);
}
