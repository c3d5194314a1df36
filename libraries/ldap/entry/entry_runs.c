/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of lines: neighbouring lines of one name. Without -q, runs whose names are
 * textually equal, case aside, are gathered after the first one:
 *
 *   lines    runs          chains              blocks
 *   cn: a    1 cn    a     1 cn    a -> 4      cn           a, d, b
 *   l: b     2 l     b     2 l     b           l            b
 *   CN: c    3 CN    c     (after 1)
 *   ...
 *
 * Later releases gather all runs of one description, with -q as well, and refuse another
 * name for a description of a single value, unless its lines are neighbours. They also
 * leave out the lines of dynamic attributes (storage-2.7.md 2.5).
 *
 * To find the earlier run in constant time, each attribute description has a mark that
 * names the newest chain of it in this record. Chains of one description under different
 * names (cn, commonName) are linked; there are few, one for each name. Names that are not
 * known, where they are accepted, are all in one such list.
 */
#include "entry/entry_work.h"

#include <errno.h>

#include "base/error.h"
#include "base/grow.h"

struct finding {
	const struct dit_entry_context *context;
	struct dit_entry_work *work;
	const struct dit_ldif_line *lines;
	uint32_t nruns;
	uint32_t unknown; /* newest chain of a name that is not known; 0: none */
	bool gathers;     /* lines that are not together */
};

/* Put a run after the last one of a chain's own name. */
static void insert(struct dit_entry_run *runs, uint32_t head, uint32_t self)
{
	runs[self].next = runs[runs[head].last].next;
	runs[runs[head].last].next = self;
	runs[head].last = self;
	runs[self].is_head = false;
}

/*
 * Later releases: a run whose description had other names only. Without -q each name has
 * its part of the chain; with -q runs follow one another as the lines do.
 */
static void gather_renamed(struct finding *finding, uint32_t *newest)
{
	struct dit_entry_run *runs = finding->work->runs;
	uint32_t self = finding->nruns;
	struct dit_entry_run *run = &runs[self];

	if ((run->ad->type->flags & DIT_TYPE_SINGLE) != 0 &&
	    runs[self - 1].ad != run->ad) {
		run->renamed = run->ad; /* told when its turn comes */
		run->ad = NULL;
		return;
	}
	if (finding->context->is_quick) {
		insert(runs, *newest, self);
		return;
	}
	runs[runs[*newest].last].next = self;
	run->is_head = false;
	run->alias = *newest;
	*newest = self;
}

/*
 * Gather the newest run after an earlier one of the same name, if there is one.
 *
 * @param newest  head of the newest chain that may be of this name, linked to others
 */
static void gather_behind(struct finding *finding, uint32_t *newest)
{
	struct dit_entry_run *runs = finding->work->runs;
	uint32_t self = finding->nruns;
	struct dit_entry_run *run = &runs[self];

	for (uint32_t head = *newest; head != 0; head = runs[head].alias) {
		if (dit_span_eq_nocase(runs[head].name, run->name)) {
			insert(runs, head, self);
			return;
		}
	}
	if (*newest != 0 && run->ad != NULL && finding->context->gathers_lines) {
		gather_renamed(finding, newest);
		return;
	}
	run->alias = *newest;
	*newest = self;
}

static int gather(struct finding *finding)
{
	struct dit_entry_work *work = finding->work;
	const struct dit_ad *ad = work->runs[finding->nruns].ad;
	size_t n = (size_t)ad->ordinal + 1;
	struct dit_entry_mark *mark = NULL;

	if (n > work->marks_size &&
	    DIT_GROW_CLEARED(work->marks, work->marks_size, n) < 0) {
		return -ENOMEM;
	}
	mark = &work->marks[ad->ordinal];
	if (mark->record != work->record) {
		*mark = (struct dit_entry_mark){work->record, 0};
	}
	gather_behind(finding, &mark->run);
	return 0;
}

static int add_run(struct finding *finding, size_t first, size_t end)
{
	struct dit_entry_run *run = &finding->work->runs[++finding->nruns];
	struct dit_span name = finding->lines[first].name;
	int r = 0;

	*run = (struct dit_entry_run){.name = name,
	                              .first = first,
	                              .nlines = end - first,
	                              .last = finding->nruns,
	                              .is_head = true};
	r = dit_ad_find(finding->context->schema, &finding->work->ads, name, &run->ad,
	                &run->reason);
	if (r == DIT_E_UNKNOWN) {
		run->ad = NULL; /* told when its turn comes */
		if (!finding->context->is_quick && !finding->context->check_schema) {
			gather_behind(finding, &finding->unknown);
		}
		return 0;
	}
	if (r < 0) {
		return r;
	}
	if (finding->context->drops_dynamic &&
	    (run->ad->type->flags & DIT_TYPE_DYNAMIC) != 0) {
		finding->nruns--;
		return 0;
	}
	return finding->gathers ? gather(finding) : 0;
}

int dit_entry_find_runs(const struct dit_entry_context *context,
                        struct dit_entry_caches *caches,
                        const struct dit_ldif_line *lines, size_t nlines, uint32_t *ret)
{
	struct dit_entry_work *work = caches->work;
	struct finding finding = {.context = context,
	                          .work = work,
	                          .lines = lines,
	                          .gathers =
	                                  !context->is_quick || context->gathers_lines};
	size_t first = 0;
	int r = 0;

	if (nlines >= UINT32_MAX) {
		return DIT_E_TOOLONG;
	}
	if (DIT_GROW(work->runs, work->runs_size, nlines + 1) < 0) {
		return -ENOMEM;
	}
	work->record++;
	if (work->record == 0) {
		memset(work->marks, 0, work->marks_size * sizeof(*work->marks));
		work->record = 1;
	}
	while (r == 0 && first < nlines) {
		size_t end = first + 1;

		while (end < nlines &&
		       dit_span_eq_nocase(lines[end].name, lines[first].name)) {
			end++;
		}
		r = add_run(&finding, first, end);
		first = end;
	}
	if (r == 0) {
		*ret = finding.nruns;
	}
	return r;
}
