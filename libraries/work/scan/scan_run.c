/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member reads a range: all records of it, or the candidates in it. It shows those that
 * are wanted. A program that pulls entries is a member itself, and draws its ranges here.
 * A run is a pipeline whose batches are ranges of IDs. Members draw one range after the
 * other (a share of one).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/ids.h"
#include "scan/scan_impl.h"

/* ---- the entries of a range ---- */

/* Range number @p number. */
static struct dit_scan_range range_of(const struct dit_entry_scan *scan, size_t number)
{
	size_t at = number * scan->nfirsts / scan->nranges;

	return (struct dit_scan_range){
		.number = number,
		.first_id = scan->firsts[at],
		.end_id = at + 1 < scan->nfirsts ? scan->firsts[at + 1] : 0};
}

/* The member is to read a range. */
static void enter(const struct dit_entry_scan *scan, struct dit_scan_member *member,
                  const struct dit_scan_range *range)
{
	/* One member reads the same as many, which have other ranges before. */
	dit_entry_reader_restart(member->reader);
	member->is_inside = false;
	member->next = dit_first_id(scan->candidates.ids, scan->candidates.n,
	                            sizeof(*scan->candidates.ids), range->first_id);
}

static bool is_in(const struct dit_scan_range *range, uint64_t id)
{
	return range->end_id == 0 || id < range->end_id;
}

static int read_candidate(const struct dit_entry_scan *scan,
                          struct dit_scan_member *member,
                          const struct dit_scan_range *range, struct dit_entry_view *ret)
{
	const struct dit_candidates *candidates = &scan->candidates;

	while (member->next < candidates->n &&
	       is_in(range, candidates->ids[member->next])) {
		uint64_t id = candidates->ids[member->next++];
		int r = dit_entry_reader_seek(member->reader, id, ret);

		if (r < 0 || (r > 0 && ret->id == id)) {
			return r;
		}
	}
	return 0;
}

/* @return 1; 0: end of the range; errors of reading */
static int read_next(const struct dit_entry_scan *scan, struct dit_scan_member *member,
                     const struct dit_scan_range *range, struct dit_entry_view *ret)
{
	int r = 0;

	if (dit_stop_is_set(scan->stop)) {
		return DIT_E_STOPPED;
	}
	if (scan->candidates.ids != NULL) {
		return read_candidate(scan, member, range, ret);
	}
	r = member->is_inside
	            ? dit_entry_reader_next(member->reader, ret)
	            : dit_entry_reader_seek(member->reader, range->first_id, ret);
	member->is_inside = true;
	return r > 0 ? is_in(range, ret->id) : r;
}

/* Attributes that only the filter had to see are not shown. The list belongs to the
 * reader, and is that of this entry. */
static void hide_attrs(const struct dit_entry_scan *scan, struct dit_entry_view *view)
{
	struct dit_attr_view *attrs = (struct dit_attr_view *)view->attrs;
	uint32_t n = 0;

	for (uint32_t i = 0; i < view->nattrs; i++) {
		if (!scan->is_hidden[attrs[i].number]) {
			attrs[n++] = attrs[i];
		}
	}
	view->nattrs = n;
}

static int is_wanted(const struct dit_entry_scan *scan, const struct dit_entry_view *view,
                     struct dit_arena *arena)
{
	if (scan->match == NULL || view->is_hole) {
		return scan->match == NULL;
	}
	if (view->name_error < 0 || view->record_error < 0) {
		return 1;
	}
	return dit_entry_matches(scan->match, view, arena);
}

/*
 * The next entry of the range that is wanted; counts those that were read.
 *
 * @param arena  for values that a filter compares
 *
 * @return 1; 0: end of the range; DIT_E_STOPPED; errors of reading
 */
static int show_next(const struct dit_entry_scan *scan, struct dit_scan_member *member,
                     struct dit_scan_range *range, struct dit_arena *arena,
                     struct dit_entry_view *ret)
{
	int r = read_next(scan, member, range, ret);

	while (r > 0) {
		range->nread++;
		r = is_wanted(scan, ret, arena);
		if (r > 0 && scan->is_hidden != NULL) {
			hide_attrs(scan, ret);
		}
		if (r != 0) {
			return r;
		}
		r = read_next(scan, member, range, ret);
	}
	return r;
}

/* ---- programs that pull ---- */

/* No member has drawn anything. */
static void rewind_scan(struct dit_entry_scan *scan)
{
	for (unsigned i = 0; i < scan->nmembers; i++) {
		scan->members[i].has_range = false;
		scan->members[i].error = 0;
	}
	atomic_store_explicit(&scan->drawn, 0, memory_order_relaxed);
}

/* False: all ranges are drawn. */
static bool draw(struct dit_entry_scan *scan, struct dit_scan_member *member)
{
	size_t number = atomic_fetch_add_explicit(&scan->drawn, 1, memory_order_relaxed);

	if (number < scan->nranges) {
		member->range = range_of(scan, number);
		member->range.member = (unsigned)(member - scan->members);
		enter(scan, member, &member->range);
	}
	return number < scan->nranges;
}

int dit_entry_scan_next(struct dit_entry_scan *scan, unsigned reader,
                        const struct dit_entry_view **ret)
{
	struct dit_scan_member *member = NULL;

	if (reader >= scan->nmembers) {
		return -EINVAL;
	}
	member = &scan->members[reader];
	while (member->error == 0 && (member->has_range || draw(scan, member))) {
		int r = 0;

		dit_arena_reset(&member->arena);
		r = show_next(scan, member, &member->range, &member->arena,
		              &member->view);
		member->has_range = r > 0;
		if (r > 0) {
			*ret = &member->view;
			return 1;
		}
		member->error = r;
	}
	/* After an error the others need not begin what comes after. */
	atomic_store_explicit(&scan->drawn, scan->nranges, memory_order_relaxed);
	return member->error;
}

/* ---- a run ---- */

/* The result of a range of a batch. */
struct range_work {
	struct dit_scan_range range;
	/* [handoff: member > main, as the slot] */
	struct dit_arena *arena; /* the member's for this batch */
	bool has_begun;          /* and main has not had it */
	int error;
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

	slot->nranges = left < scan->batch_ranges ? left : scan->batch_ranges;
	if (DIT_GROW(slot->works, slot->works_size, slot->nranges) < 0) {
		slot->nranges = 0;
		return -ENOMEM;
	}
	for (size_t i = 0; i < slot->nranges; i++) {
		slot->works[i] =
			(struct range_work){.range = range_of(scan, scan->next_range++)};
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
		enter(scan, member, range);
		do {
			r = show_next(scan, member, range, work->arena, &view);
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
	for (unsigned s = 0; s < DIT_PIPELINE_NSLOTS_MAX && scan->ops->drop != NULL;
	     s++) {
		for (size_t i = 0; i < scan->slots[s].nranges; i++) {
			struct range_work *work = &scan->slots[s].works[i];

			if (work->has_begun) {
				scan->ops->drop(scan->ctx, &work->range);
			}
		}
	}
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
	int r = 0;

	scan->ops = ops;
	scan->ctx = ctx;
	scan->next_range = 0;
	rewind_scan(scan); /* the readers go elsewhere */
	atomic_store_explicit(&scan->failed_at, UINT64_MAX, memory_order_relaxed);
	r = dit_pipeline_new(&pipeline, &opts);
	if (r == 0) {
		r = dit_pipeline_run(pipeline, &stage);
		if (r < 0) {
			/* The members are at rest; the arenas are still there. */
			drop_rest(scan);
		}
	}
	dit_pipeline_free(pipeline);
	for (unsigned i = 0; i < DIT_PIPELINE_NSLOTS_MAX; i++) {
		free(scan->slots[i].works);
		scan->slots[i] = (struct scan_slot){.works = NULL};
	}
	/* To end a run is no failure, whatever came of it first. */
	return r < 0 && dit_stop_is_set(scan->stop) ? DIT_E_STOPPED : r;
}
