/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a pipeline, with 1 to 8 members, with and without a reader thread, with and
 * without the stage after the ordered one:
 * - every item passes every stage once, in_order sees the batches in order, after
 *   before_order and before after_order;
 * - the members' arenas keep what they hold until the batch has passed its last stage;
 * - an error of any stage ends the run: the batches before it have passed in_order, no
 *   batch after it has; a member that failed does nothing more;
 * - the source's error comes after the batches before it;
 * - the run ends when it is stopped;
 * - all members do other work, before and after a run.
 */
#include "test.h"

#include <stdatomic.h>

#include "base/error.h"
#include "nomem.h"
#include "pipeline/pipeline.h"

#define NITEMS   37 /* in a batch; not a multiple of a share */
#define NBATCHES 23
#define NO_BATCH (-1)

struct fake_item {
	const int *made; /* by before_order, in an arena */
	bool is_ordered;
	_Atomic int nbefore;
	_Atomic int nafter;
};

struct fake_batch {
	int number;
	struct fake_item items[NITEMS];
};

struct fake {
	/* what is asked for */
	int nbatches;
	size_t nitems;
	int source_end; /* the source's last word */
	int fail_begin; /* batch that fails in a stage, or NO_BATCH */
	int fail_before;
	int fail_order;
	int fail_after;
	int stop_at;
	struct dit_stop stop;

	/* what happened */
	struct fake_batch slots[DIT_PIPELINE_NSLOTS_MAX];
	int nfilled;
	int nbegun;
	int nordered;
	_Atomic int nafter; /* items */
	_Atomic int nerrors;
};

static struct fake all_good(int nbatches)
{
	return (struct fake){.nbatches = nbatches,
	                     .nitems = NITEMS,
	                     .fail_begin = NO_BATCH,
	                     .fail_before = NO_BATCH,
	                     .fail_order = NO_BATCH,
	                     .fail_after = NO_BATCH,
	                     .stop_at = NO_BATCH};
}

static int fake_fill(void *ctx, unsigned slot)
{
	struct fake *fake = ctx;

	if (fake->nfilled == fake->nbatches) {
		return fake->source_end;
	}
	fake->slots[slot] = (struct fake_batch){.number = fake->nfilled++};
	return 1;
}

static int fake_begin(void *ctx, unsigned slot, size_t *ret_nitems)
{
	struct fake *fake = ctx;

	assert_int_equal(fake->slots[slot].number, fake->nbegun);
	if (fake->nbegun == fake->fail_begin) {
		return -EBADF;
	}
	fake->nbegun++;
	*ret_nitems = fake->nitems;
	return 0;
}

/* The members do not assert: cmocka can only be told on main. */
static int fail_here(struct fake *fake, int r)
{
	fake->nerrors++;
	return r;
}

static int fake_before(void *ctx, const struct dit_pipeline_share *share)
{
	struct fake *fake = ctx;
	struct fake_batch *batch = &fake->slots[share->slot];

	for (size_t i = share->first; i < share->end; i++) {
		int *made = dit_arena_alloc(share->arena, sizeof(*made));

		if (made == NULL) {
			return -ENOMEM;
		}
		*made = batch->number * NITEMS + (int)i;
		batch->items[i].made = made;
		batch->items[i].nbefore++;
	}
	return batch->number == fake->fail_before ? fail_here(fake, -EIO) : 0;
}

static int fake_order(void *ctx, unsigned slot)
{
	struct fake *fake = ctx;
	struct fake_batch *batch = &fake->slots[slot];

	assert_int_equal(batch->number, fake->nordered);
	if (batch->number == fake->fail_order) {
		return -EPIPE;
	}
	fake->nordered++;
	for (size_t i = 0; i < fake->nitems; i++) {
		assert_int_equal(batch->items[i].nbefore, 1);
		assert_int_equal(batch->items[i].nafter, 0);
		assert_int_equal(*batch->items[i].made, batch->number * NITEMS + (int)i);
		batch->items[i].is_ordered = true;
	}
	if (batch->number == fake->stop_at) {
		dit_stop_end(&fake->stop);
	}
	return 0;
}

static int fake_after(void *ctx, const struct dit_pipeline_share *share)
{
	struct fake *fake = ctx;
	struct fake_batch *batch = &fake->slots[share->slot];

	if (batch->number == fake->fail_after) {
		return fail_here(fake, -EDOM);
	}
	for (size_t i = share->first; i < share->end; i++) {
		struct fake_item *item = &batch->items[i];

		if (!item->is_ordered || item->nafter++ != 0 ||
		    *item->made != batch->number * NITEMS + (int)i) {
			return -EINVAL;
		}
		fake->nafter++;
	}
	return 0;
}

/* How pipelines differ. */
struct shape {
	unsigned nmembers;
	bool is_ahead;
	bool has_after;
	size_t share;
};

static struct dit_pipeline_opts opts_of(const struct shape *shape, struct fake *fake)
{
	return (struct dit_pipeline_opts){
		.ops = {.fill = fake_fill,
	                .begin = fake_begin,
	                .before_order = fake_before,
	                .in_order = fake_order,
	                .after_order = shape->has_after ? fake_after : NULL},
		.ctx = fake,
		.shared = {.nthreads = shape->nmembers, .stop = &fake->stop},
		.name = "test",
		.is_ahead = shape->is_ahead,
		.share = shape->share};
}

static int run(const struct shape *shape, struct fake *fake,
               enum dit_pipeline_stage *ret_stage)
{
	struct dit_pipeline_opts opts = opts_of(shape, fake);
	struct dit_pipeline *pipeline = NULL;
	int r = 0;

	assert_true(dit_pipeline_nslots(&opts) <= DIT_PIPELINE_NSLOTS_MAX);
	assert_int_equal(dit_pipeline_new(&pipeline, &opts), 0);
	r = dit_pipeline_run(pipeline, ret_stage);
	dit_pipeline_free(pipeline);
	return r;
}

typedef void (*shape_fn)(const struct shape *shape);

static void with_all_shapes(shape_fn fn)
{
	static const unsigned sizes[] = {1, 2, 3, 8};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int k = 0; k < 4; k++) {
			struct shape shape = {.nmembers = sizes[i],
			                      .is_ahead = (k & 1) != 0,
			                      .has_after = (k & 2) != 0,
			                      .share = i == 2 ? 1 : 0};

			fn(&shape);
		}
	}
}

static void check_order(const struct shape *shape)
{
	static const int counts[] = {0, 1, 2, 3, 4, NBATCHES};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct fake fake = all_good(counts[i]);
		enum dit_pipeline_stage stage = DIT_PIPELINE_STOPPED;

		assert_int_equal(run(shape, &fake, &stage), 0);
		assert_int_equal(stage, DIT_PIPELINE_NONE);
		assert_int_equal(fake.nordered, counts[i]);
		assert_int_equal(fake.nafter, shape->has_after ? counts[i] * NITEMS : 0);
	}
}

TEST(every_item_passes_every_stage_in_order)
{
	with_all_shapes(check_order);
}

static void check_empty_batches(const struct shape *shape)
{
	struct fake fake = all_good(NBATCHES);
	enum dit_pipeline_stage stage = DIT_PIPELINE_STOPPED;

	fake.nitems = 0;
	assert_int_equal(run(shape, &fake, &stage), 0);
	assert_int_equal(fake.nordered, NBATCHES);
}

TEST(batches_may_be_empty)
{
	with_all_shapes(check_empty_batches);
}

static void check_source_error(const struct shape *shape)
{
	static const int counts[] = {0, 1, NBATCHES};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct fake fake = all_good(counts[i]);
		enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;

		fake.source_end = -ENXIO;
		assert_int_equal(run(shape, &fake, &stage), -ENXIO);
		assert_int_equal(stage, DIT_PIPELINE_FILL);
		assert_int_equal(fake.nordered, counts[i]);
		assert_int_equal(fake.nafter, shape->has_after ? counts[i] * NITEMS : 0);

		fake = all_good(NBATCHES);
		fake.fail_begin = counts[i];
		assert_int_equal(run(shape, &fake, &stage),
		                 counts[i] == NBATCHES ? 0 : -EBADF);
		assert_int_equal(fake.nordered, counts[i]);
	}
}

TEST(an_error_of_the_source_comes_after_the_batches_before_it)
{
	with_all_shapes(check_source_error);
}

static void check_before_error(const struct shape *shape)
{
	for (int at = 0; at < NBATCHES; at += NBATCHES - 1) {
		struct fake fake = all_good(NBATCHES);
		enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;

		fake.fail_before = at;
		assert_int_equal(run(shape, &fake, &stage), -EIO);
		assert_int_equal(stage, DIT_PIPELINE_BEFORE_ORDER);
		assert_int_equal(fake.nordered, at);
		assert_true(fake.nerrors <= (int)shape->nmembers);
	}
}

TEST(an_error_of_a_member_keeps_its_batch_out)
{
	with_all_shapes(check_before_error);
}

static void check_order_error(const struct shape *shape)
{
	for (int at = 0; at < NBATCHES; at += NBATCHES - 1) {
		struct fake fake = all_good(NBATCHES);
		enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;

		fake.fail_order = at;
		assert_int_equal(run(shape, &fake, &stage), -EPIPE);
		assert_int_equal(stage, DIT_PIPELINE_IN_ORDER);
		assert_int_equal(fake.nordered, at);
	}
}

TEST(an_error_in_order_ends_the_run)
{
	with_all_shapes(check_order_error);
}

static void check_after_error(const struct shape *shape)
{
	for (int at = 0; at < NBATCHES && shape->has_after; at += NBATCHES - 1) {
		struct fake fake = all_good(NBATCHES);
		enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;

		fake.fail_after = at;
		assert_int_equal(run(shape, &fake, &stage), -EDOM);
		assert_int_equal(stage, DIT_PIPELINE_AFTER_ORDER);
		/* The next batch was ordered at the same time. */
		assert_int_equal(fake.nordered, at == 0 ? 2 : NBATCHES);
		assert_true(fake.nerrors <= (int)shape->nmembers);
	}
}

TEST(an_error_after_the_order_ends_the_run)
{
	with_all_shapes(check_after_error);
}

static void check_stop(const struct shape *shape)
{
	struct fake fake = all_good(NBATCHES);
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;

	fake.stop_at = 4;
	assert_int_equal(run(shape, &fake, &stage), DIT_E_STOPPED);
	assert_int_equal(stage, DIT_PIPELINE_STOPPED);
	assert_int_equal(fake.nordered, 5);
}

TEST(a_stopped_run_ends_after_a_batch)
{
	with_all_shapes(check_stop);
}

static void count_member(void *ctx, unsigned member)
{
	_Atomic int *counts = ctx;

	counts[member]++;
}

static void check_other_work(const struct shape *shape)
{
	struct fake fake = all_good(NBATCHES);
	struct dit_pipeline_opts opts = opts_of(shape, &fake);
	struct dit_pipeline *pipeline = NULL;
	enum dit_pipeline_stage stage = DIT_PIPELINE_STOPPED;
	_Atomic int before[8] = {0};
	_Atomic int after[8] = {0};

	assert_int_equal(dit_pipeline_new(&pipeline, &opts), 0);
	dit_pipeline_begin_work(pipeline, count_member, before);
	assert_int_equal(dit_pipeline_run(pipeline, &stage), 0);
	dit_pipeline_begin_work(pipeline, count_member, after);
	dit_pipeline_begin_work(pipeline, count_member, after);
	dit_pipeline_free(pipeline);
	assert_int_equal(fake.nordered, NBATCHES);
	for (unsigned i = 0; i < shape->nmembers; i++) {
		assert_int_equal(before[i], 1);
		assert_int_equal(after[i], 2);
	}
}

TEST(members_do_work_outside_of_rounds)
{
	with_all_shapes(check_other_work);
}

static void check_unused(const struct shape *shape)
{
	struct fake fake = all_good(NBATCHES);
	struct dit_pipeline_opts opts = opts_of(shape, &fake);
	struct dit_pipeline *pipeline = NULL;

	assert_int_equal(dit_pipeline_new(&pipeline, &opts), 0);
	dit_pipeline_free(pipeline);
	assert_int_equal(fake.nordered, 0);
}

TEST(a_pipeline_can_be_freed_unused)
{
	struct shape none = {0};
	struct fake fake = all_good(0);
	struct dit_pipeline_opts opts = opts_of(&none, &fake);
	struct dit_pipeline *pipeline = NULL;

	with_all_shapes(check_unused);
	dit_pipeline_free(NULL);
	assert_int_equal(dit_pipeline_new(&pipeline, &opts), -EINVAL);
}

static void check_nomem(const struct shape *shape)
{
	struct fake fake = all_good(2);
	struct dit_pipeline_opts opts = opts_of(shape, &fake);
	struct dit_pipeline *pipeline = NULL;

	assert_true(calls_until_memory(dit_pipeline_new(&pipeline, &opts)) > 5);
	dit_pipeline_free(pipeline);
}

TEST(a_pipeline_without_memory_says_so)
{
	with_all_shapes(check_nomem);
}
