/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member reads a range: all records of it, or the candidates in it. It shows those that
 * are wanted. A program that pulls entries is a member itself, and draws its ranges here.
 */
#include <errno.h>

#include "base/ids.h"
#include "scan/scan_impl.h"

struct dit_scan_range dit_scan_range_of(const struct dit_entry_scan *scan, size_t number)
{
	size_t at = number * scan->nfirsts / scan->nranges;

	return (struct dit_scan_range){
		.number = number,
		.first_id = scan->firsts[at],
		.end_id = at + 1 < scan->nfirsts ? scan->firsts[at + 1] : 0};
}

void dit_scan_enter(const struct dit_entry_scan *scan, struct dit_scan_member *member,
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

int dit_scan_show_next(const struct dit_entry_scan *scan, struct dit_scan_member *member,
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

void dit_scan_rewind(struct dit_entry_scan *scan)
{
	for (unsigned i = 0; i < scan->nmembers; i++) {
		scan->members[i].has_range = false;
		scan->members[i].is_at_end = false;
		scan->members[i].error = 0;
	}
	atomic_store_explicit(&scan->drawn, 0, memory_order_relaxed);
}

/* @return 1; 0: all ranges are drawn */
static int draw(struct dit_entry_scan *scan, struct dit_scan_member *member)
{
	size_t number = atomic_fetch_add_explicit(&scan->drawn, 1, memory_order_relaxed);

	if (number >= scan->nranges) {
		return 0;
	}
	member->range = dit_scan_range_of(scan, number);
	member->range.member = (unsigned)(member - scan->members);
	dit_scan_enter(scan, member, &member->range);
	member->has_range = true;
	return 1;
}

int dit_entry_scan_next(struct dit_entry_scan *scan, unsigned reader,
                        const struct dit_entry_view **ret)
{
	struct dit_scan_member *member = NULL;
	int r = 0;

	if (reader >= scan->nmembers) {
		return -EINVAL;
	}
	member = &scan->members[reader];
	if (member->is_at_end) {
		return member->error;
	}
	do {
		if (!member->has_range && draw(scan, member) == 0) {
			member->is_at_end = true;
			return 0;
		}
		dit_arena_reset(&member->arena);
		r = dit_scan_show_next(scan, member, &member->range, &member->arena,
		                       &member->view);
		member->has_range = r > 0;
	} while (r == 0);
	if (r < 0) {
		member->is_at_end = true;
		member->error = r;
		/* The others need not begin what comes after. */
		atomic_store_explicit(&scan->drawn, scan->nranges, memory_order_relaxed);
		return r;
	}
	*ret = &member->view;
	return 1;
}
