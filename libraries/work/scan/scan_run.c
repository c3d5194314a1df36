/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: a pipeline whose batches are ranges of IDs. Members draw one range after the
 * other (a share of one).
 */
#include <errno.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"
#include "scan/scan_impl.h"

/* The result of a range of a batch. */
struct range_work {
	struct dit_scan_range range;
	/* [handoff: member > main, as the slot] */
	struct dit_arena *arena; /* the member's for this batch */
	bool has_begun;          /* and main has not had it */
	int error;
};

/* The content of a slot of the pipeline. */
struct scan_slot {
	size_t first; /* number of its first range */
	size_t nranges;
	struct range_work *works; /* of batch_ranges */
};

static struct range_work *work_of(struct dit_scan_range *range)
{
	return (struct range_work *)(void *)((char *)range -
	                                     offsetof(struct range_work, range));
}

struct dit_arena *dit_scan_range_arena(struct dit_scan_range *range)
{
	return work_of(range)->arena;
}

void *dit_scan_range_alloc(struct dit_scan_range *range, size_t size)
{
	return dit_arena_calloc(work_of(range)->arena, 1, size);
}

/* ---- stages ---- */

static int fill(void *ctx, unsigned slot_number)
{
	struct dit_entry_scan *scan = ctx;
	struct scan_slot *slot = &scan->slots[slot_number];
	size_t left = scan->nranges - scan->next_range;

	slot->first = scan->next_range;
	slot->nranges = left < scan->batch_ranges ? left : scan->batch_ranges;
	scan->next_range += slot->nranges;
	for (size_t i = 0; i < slot->nranges; i++) {
		slot->works[i] = (struct range_work){
			.range = dit_scan_range_of(scan, slot->first + i)};
	}
	return slot->nranges > 0;
}

static int begin(void *ctx, unsigned slot, size_t *ret_nitems)
{
	struct dit_entry_scan *scan = ctx;

	*ret_nitems = scan->slots[slot].nranges;
	return 0;
}

static int scan_range(struct dit_entry_scan *scan, struct range_work *work)
{
	struct dit_scan_range *range = &work->range;
	struct dit_scan_member *member = &scan->members[range->member];
	struct dit_entry_view view;
	int r = 0;

	work->has_begun = true;
	if (scan->ops->begin != NULL) {
		r = scan->ops->begin(scan->ctx, range);
	}
	if (r >= 0) {
		dit_scan_enter(scan, member, range);
		do {
			r = dit_scan_show_next(scan, member, range, work->arena, &view);
		} while (r > 0 && (r = scan->ops->entry(scan->ctx, range, &view)) >= 0);
	}
	if (r >= 0 && scan->ops->end != NULL) {
		r = scan->ops->end(scan->ctx, range);
	}
	return r < 0 ? r : 0;
}

static void fail_at(struct dit_entry_scan *scan, uint64_t number)
{
	uint64_t lowest = atomic_load_explicit(&scan->failed_at, memory_order_relaxed);

	while (number < lowest && !atomic_compare_exchange_weak_explicit(
					  &scan->failed_at, &lowest, number,
					  memory_order_relaxed, memory_order_relaxed)) {
	}
}

/*
 * Errors are main's, who meets them in order. Ranges are drawn in order: those before one
 * that fails have begun, and end as they would without it.
 */
static int before_order(void *ctx, const struct dit_pipeline_share *share)
{
	struct dit_entry_scan *scan = ctx;

	for (size_t i = share->first; i < share->end; i++) {
		struct range_work *work = &scan->slots[share->slot].works[i];
		uint64_t number = work->range.number;

		if (number >
		    atomic_load_explicit(&scan->failed_at, memory_order_relaxed)) {
			continue;
		}
		work->range.member = share->member;
		work->arena = share->arena;
		work->error = scan_range(scan, work);
		if (work->error < 0) {
			fail_at(scan, number);
		}
	}
	return 0;
}

static int in_order(void *ctx, unsigned slot_number)
{
	struct dit_entry_scan *scan = ctx;
	struct scan_slot *slot = &scan->slots[slot_number];
	int r = 0;

	for (size_t i = 0; i < slot->nranges && r >= 0; i++) {
		struct range_work *work = &slot->works[i];

		r = work->error;
		if (r == 0 && scan->ops->in_order != NULL) {
			r = scan->ops->in_order(scan->ctx, &work->range);
		}
		work->has_begun = r < 0;
	}
	return r < 0 ? r : 0;
}

/* ---- a run ---- */

static void drop_rest(struct dit_entry_scan *scan)
{
	for (unsigned s = 0; s < scan->nslots; s++) {
		struct scan_slot *slot = &scan->slots[s];

		for (size_t i = 0; i < slot->nranges; i++) {
			struct range_work *work = &slot->works[i];

			if (work->has_begun && scan->ops->drop != NULL) {
				scan->ops->drop(scan->ctx, &work->range);
			}
			work->has_begun = false;
		}
	}
}

static void free_slots(struct dit_entry_scan *scan)
{
	for (unsigned i = 0; scan->slots != NULL && i < scan->nslots; i++) {
		free(scan->slots[i].works);
	}
	free(scan->slots);
	scan->slots = NULL;
	scan->nslots = 0;
}

static int make_slots(struct dit_entry_scan *scan, const struct dit_pipeline_opts *opts)
{
	scan->nslots = dit_pipeline_nslots(opts);
	scan->slots = calloc(scan->nslots, sizeof(*scan->slots));
	if (scan->slots == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < scan->nslots; i++) {
		scan->slots[i].works =
			calloc(scan->batch_ranges, sizeof(struct range_work));
		if (scan->slots[i].works == NULL) {
			return -ENOMEM;
		}
	}
	return 0;
}

int dit_entry_scan_run(struct dit_entry_scan *scan, const struct dit_entry_scan_ops *ops,
                       void *ctx)
{
	struct dit_pipeline_opts opts = {
		.ops = {.fill = fill,
	                .begin = begin,
	                .before_order = before_order,
	                .in_order = in_order},
		.ctx = scan,
		.name = "tool",
		.share = 1,
		.shared = {.nthreads = scan->nmembers, .stop = scan->stop}};
	struct dit_pipeline *pipeline = NULL;
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = make_slots(scan, &opts);

	scan->ops = ops;
	scan->ctx = ctx;
	scan->next_range = 0;
	dit_scan_rewind(scan); /* the readers go elsewhere */
	atomic_store_explicit(&scan->failed_at, UINT64_MAX, memory_order_relaxed);
	r = r ?: dit_pipeline_new(&pipeline, &opts);
	if (r == 0) {
		r = dit_pipeline_run(pipeline, &stage);
		if (r < 0) {
			/* The members are at rest; the arenas are still there. */
			drop_rest(scan);
		}
	}
	dit_pipeline_free(pipeline);
	free_slots(scan);
	/* To end a run is no failure, whatever came of it first. */
	return r < 0 && dit_stop_is_set(scan->stop) ? DIT_E_STOPPED : r;
}
