/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memberships are mended: the attributes of the overlay memberof become what the members
 * of groups say. An entry that changes is changed as the overlay would do it: its
 * modifiersName is the overlay's, and its other stamps stay.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "modify/modify_impl.h"
#include "overlays/overlays.h"

struct mending {
	struct modifier *modifier;
	struct dit_overlay_rules rules;
	struct dit_snapshot *snapshot; /* all entries, on all threads */
	struct dit_entry_scan *scan;
	struct dit_overlays *overlays;
	struct dit_dn_reader *dns;

	/* Of one entry. */
	struct dit_overlay_item *items; /* owned */
	size_t nitems;
	size_t items_size;
	struct modify_mod *mods; /* in the scratch of the run */
	size_t nmods;
};

/* ---- all entries ---- */

static int want(void *ctx, const struct dit_ad *ad)
{
	return ad != NULL && dit_overlays_want(ctx, ad);
}

static int take(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	const struct mending *mending = ctx;

	return dit_overlays_take(mending->overlays, range->member, entry);
}

static int in_order(void *ctx, struct dit_scan_range *range)
{
	const struct mending *mending = ctx;

	(void)range;
	dit_tick_often(dit_job_ticker(&mending->modifier->job));
	return 0;
}

static int scan_entries(struct mending *mending, struct dit_fault *fault)
{
	static const struct dit_entry_scan_ops ops = {.entry = take,
	                                              .in_order = in_order};
	struct modifier *modifier = mending->modifier;
	unsigned nthreads = modifier->job.nthreads;
	const struct dit_overlays_opts opts = {
		.rules = &mending->rules,
		.nproducers = nthreads,
		.memory_bytes =
			(size_t)dit_memory_share(modifier->opts->memory_bytes) / 2,
		.shared = dit_job_shared(&modifier->job, modifier->seal),
		.with_memberof = true};
	struct dit_scan_snapshot_opts scan = {
		.schema = modifier->job.chosen.settings->schema,
		.wanted = want,
		.wanted_ctx = &mending->rules,
		.stop = &modifier->job.stop};
	int r = dit_modify_open_snapshot(modifier, nthreads, fault, &mending->snapshot);

	scan.snapshot = mending->snapshot;
	r = r ?: dit_overlays_new(&mending->overlays, &opts);
	r = r ?: dit_entry_scan_new(&mending->scan, &scan);
	r = r ?: dit_entry_scan_run(mending->scan, &ops, mending);
	r = r ?: dit_dn_reader_new(&mending->dns, mending->snapshot, 0);
	return r ?: dit_overlays_join(mending->overlays);
}

/* ---- one entry ---- */

static int add_mod(struct mending *mending, enum modify_how how, const struct dit_ad *ad,
                   struct dit_span value, struct dit_span normal)
{
	struct modifier *modifier = mending->modifier;
	struct dit_span *spans = dit_arena_alloc(&modifier->scratch, 2 * sizeof(*spans));
	uint32_t number = 0; /* the description gets one */
	int r = spans == NULL ? -ENOMEM : dit_ad_number(&modifier->numbers, ad, &number);

	if (r < 0) {
		return r;
	}
	spans[0] = value;
	spans[1] = normal;
	mending->mods[mending->nmods++] = (struct modify_mod){
		.how = how,
		.attr = {.ad = ad, .values = spans, .normal = &spans[1], .nvalues = 1}};
	return 0;
}

static int add_membership(struct mending *mending, const struct modify_node *node,
                          const struct dit_overlay_item *item)
{
	const struct dit_ad *ad = mending->rules.memberof[item->rule].memberof;
	const struct dit_attr *attr = dit_entry_find(node->entry, ad);
	const struct dit_dn_text *group =
		dit_overlays_group(mending->overlays, item->other);

	if (item->kind == DIT_OVERLAY_SURPLUS) {
		return attr == NULL || item->number >= attr->nvalues
		               ? DIT_E_CORRUPT
		               : add_mod(mending, MODIFY_HOW_DELETE, ad,
		                         attr->values[item->number],
		                         dit_attr_keys(attr)[item->number]);
	}
	return add_mod(mending, MODIFY_HOW_SOFT_ADD, ad, group->pretty, group->norm);
}

static int make_mods(struct mending *mending, const struct modify_node *node)
{
	static const struct dit_span modifier_name = DIT_SPAN("modifiersName");
	struct modifier *modifier = mending->modifier;
	const struct dit_memberof_rule *last =
		&mending->rules.memberof[mending->items[mending->nitems - 1].rule];
	const struct dit_ad *ad = NULL;
	int r = 0;

	mending->nmods = 0;
	mending->mods = dit_arena_alloc(&modifier->scratch,
	                                (mending->nitems + 1) * sizeof(*mending->mods));
	if (mending->mods == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < mending->nitems && r == 0; i++) {
		r = add_membership(mending, node, &mending->items[i]);
	}
	if (r < 0 || last->dn.data == NULL) {
		return r;
	}
	r = dit_ad_find(modifier->changing.schema, NULL, modifier_name, &ad, NULL);
	return r ?: add_mod(mending, MODIFY_HOW_REPLACE, ad, last->dn, last->dn_norm);
}

/* An entry that may not have the attribute stays as it is: slapd logs that. */
static int tell_refusal(const struct mending *mending, const struct dit_dn *dn,
                        const struct dit_notes *notes)
{
	const struct dit_why *why = notes->why;
	const struct dit_refusal *refusal =
		&dit_refusals[why == NULL ? DIT_WHY_NONE : why->kind];

	dit_job_report(&mending->modifier->job, DIT_REPORT_WARNING,
	               "dn=\"%.*s\": its memberships cannot be stored: %s",
	               DIT_SPAN_ARGS(dn->pretty),
	               dit_why_fill(why, refusal->text ?: refusal->what, notes->arena)
	                       ?: "");
	mending->modifier->stats->nrefused++;
	return 0;
}

static void count(const struct mending *mending)
{
	struct dit_modify_stats *stats = mending->modifier->stats;

	for (size_t i = 0; i < mending->nitems; i++) {
		if (mending->items[i].kind == DIT_OVERLAY_MISSING) {
			stats->nmemberships_added++;
		} else {
			stats->nmemberships_removed++;
		}
	}
	stats->nmodified++;
}

static int mend_entry(struct mending *mending)
{
	struct modifier *modifier = mending->modifier;
	struct modify_node *node = NULL;
	struct dit_notes notes;
	struct dit_dn_text text;
	struct dit_span unknown;
	struct dit_dn dn;
	int r = 0;

	dit_arena_reset(&modifier->scratch);
	dit_notes_init(&notes, &modifier->scratch);
	r = dit_dn_reader_get(mending->dns, mending->items[0].id, &text);
	r = r
	            ?: dit_dn_parse(modifier->changing.schema, text.pretty,
	                            &modifier->scratch, NULL, &dn);
	r = r < 0 ? r : dit_modify_find(modifier, &dn, &node);
	r = r <= 0 ? r : dit_modify_load(modifier, node, &unknown);
	if (r <= 0) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	r = make_mods(mending, node);
	r = r
	            ?: dit_modify_edit(modifier, node, &dn, mending->mods, mending->nmods,
	                               NULL, &notes);
	if (r == DIT_E_INVALID) {
		return tell_refusal(mending, &dn, &notes);
	}
	if (r == 0) {
		count(mending);
		if (modifier->opts->is_verbose) {
			dit_job_report(&modifier->job, DIT_REPORT_ADDED,
			               "memberships: \"%.*s\" (%08llx)",
			               DIT_SPAN_ARGS(dn.norm),
			               (unsigned long long)node->id);
		}
	}
	return r;
}

static int mend_entries(struct mending *mending)
{
	struct dit_overlay_item item;
	int r = 0;

	while ((r = dit_overlays_next(mending->overlays, &item)) > 0) {
		bool is_wrong = item.kind == DIT_OVERLAY_MISSING ||
		                item.kind == DIT_OVERLAY_SURPLUS;

		if (mending->nitems > 0 && item.id != mending->items[0].id) {
			r = mend_entry(mending);
			mending->nitems = 0;
		}
		r = r < 0 || !is_wrong ? r
		                       : DIT_APPEND(mending->items, mending->items_size,
		                                    mending->nitems, item);
		if (r >= 0 && dit_stop_is_set(&mending->modifier->job.stop)) {
			r = DIT_E_STOPPED;
		}
		if (r < 0) {
			return r;
		}
		dit_tick_often(dit_job_ticker(&mending->modifier->job));
	}
	return r < 0 || mending->nitems == 0 ? r : mend_entry(mending);
}

/* ---- the whole ---- */

static int refuse_conf(const struct modifier *modifier)
{
	dit_job_report(&modifier->job, DIT_REPORT_ERROR,
	               "the configuration has no overlay memberof for the database in %s",
	               modifier->db->data.directory);
	return DIT_E_CONFIG;
}

int dit_modify_mend_memberof(struct modifier *modifier)
{
	struct mending mending = {.modifier = modifier};
	struct dit_fault fault = {""};
	int r = dit_overlay_rules_make(&modifier->job, modifier->db, &mending.rules);

	if (r == 0 && mending.rules.nmemberof == 0) {
		r = refuse_conf(modifier);
	}
	if (r != DIT_E_CONFIG) {
		r = r ?: scan_entries(&mending, &fault);
		r = r < 0 ? r : mend_entries(&mending);
		r = r < 0 ? dit_modify_fail(modifier, r, modifier->db->data.directory)
		          : 0;
	}
	free(mending.items);
	dit_dn_reader_free(mending.dns);
	dit_entry_scan_close(mending.scan);
	dit_overlays_free(mending.overlays);
	if (mending.snapshot != NULL) {
		dit_snapshot_close(mending.snapshot);
	}
	dit_overlay_rules_deinit(&mending.rules);
	return r;
}
