/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memberships are mended: the attributes of the overlay memberof become what the members
 * of groups say. An entry that changes is changed as the overlay would do it: its
 * modifiersName is the overlay's, and its other stamps stay.
 */
#include <errno.h>

#include "base/error.h"
#include "modify/modify_impl.h"
#include "overlays/overlays.h"
#include "scan/scan_snapshot.h"

struct mending {
	struct modifier *modifier;
	struct dit_overlay_rules rules;
	struct dit_entry_scan *scan;
	struct dit_overlays *overlays;
	/* The entry that is mended. [own: main] */
	struct dit_overlay_asked asked;
};

/* An entry whose memberships are wrong, in the arena of its range. They are in a ring:
 * the result of a range is the last one, and the first one comes after it. */
struct wrong_entry {
	struct wrong_entry *next;
	struct dit_span dn;
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

static int tick(void *ctx, struct dit_scan_range *range)
{
	const struct mending *mending = ctx;

	(void)range;
	dit_tick_often(dit_job_ticker(&mending->modifier->job));
	return 0;
}

/* ---- entries whose memberships are wrong ---- */

static bool is_wrong(const struct dit_overlay_item *item)
{
	return item->kind == DIT_OVERLAY_MISSING || item->kind == DIT_OVERLAY_SURPLUS;
}

static int look(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	const struct mending *mending = ctx;
	struct wrong_entry *last = range->result;
	struct wrong_entry *one = NULL;
	struct dit_overlay_asked asked;
	size_t i = 0;
	int r = dit_overlays_ask(mending->overlays, range->member, entry, &asked);

	while (r == 0 && i < asked.n && !is_wrong(&asked.items[i])) {
		i++;
	}
	if (r < 0 || i == asked.n) {
		return r;
	}
	one = dit_scan_range_alloc(range, sizeof(*one));
	if (one == NULL) {
		return -ENOMEM;
	}
	one->dn = dit_arena_copy(dit_scan_range_arena(range), entry->dn);
	one->next = last == NULL ? one : last->next;
	if (last != NULL) {
		last->next = one;
	}
	range->result = one;
	return one->dn.data == NULL ? -ENOMEM : 0;
}

/* ---- one entry ---- */

/* In place of a value that is surplus. */
static const char gone[] = "";

static void put(struct dit_attr *attr, struct dit_span value, struct dit_span normal)
{
	attr->values[attr->nvalues] = value;
	attr->normal[attr->nvalues++] = normal;
}

/* All blocks of the attribute of a rule become one: values that stay, then the groups
 * that are missing. A value that stays is one of the groups. */
static int replace(const struct mending *mending, const struct dit_entry *stored,
                   uint32_t rule, struct modify_mod *ret)
{
	const struct dit_overlay_asked *asked = &mending->asked;
	struct dit_attr *attr = &ret->attr;
	struct dit_span *spans = dit_arena_calloc(&mending->modifier->scratch, asked->n,
	                                          2 * sizeof(*spans));

	*ret = (struct modify_mod){.how = MODIFY_HOW_REPLACE_ALL};
	attr->ad = mending->rules.memberof[rule].memberof;
	attr->values = spans;
	attr->normal = spans + asked->n;
	if (spans == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < stored->nattrs; i++) {
		const struct dit_attr *block = &stored->attrs[i];

		for (uint32_t k = 0; block->ad == attr->ad && k < block->nvalues; k++) {
			if (block->values[k].data != gone) {
				put(attr, block->values[k], dit_attr_keys(block)[k]);
			}
		}
	}
	for (size_t i = 0; i < asked->n; i++) {
		const struct dit_overlay_item *item = &asked->items[i];

		if (item->kind == DIT_OVERLAY_MISSING && item->first == rule) {
			put(attr, item->name->pretty, item->name->norm);
		}
	}
	return 0;
}

/* The attributes that change, in the order of the groups, as slapd's changes come, and
 * modifiersName (overlays.md 2). As dit_modify_edit() */
static int change(const struct mending *mending, struct modify_edit *edit,
                  const struct dit_dn *dn)
{
	struct dit_memberof_rule *rules = mending->rules.memberof;
	struct dit_memberof_rule *last = NULL;
	struct modify_mod *mods = dit_arena_calloc(
		&edit->modifier->scratch, mending->rules.nmemberof + 1, sizeof(*mods));
	size_t n = 0;
	int r = mods == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < mending->asked.n; i++) {
		const struct dit_overlay_item *item = &mending->asked.items[i];

		if (item->kind == DIT_OVERLAY_SURPLUS) {
			edit->entry.attrs[item->block].values[item->number].data = gone;
		}
	}
	for (size_t i = 0; i < mending->asked.n && r == 0; i++) {
		const struct dit_overlay_item *item = &mending->asked.items[i];
		size_t k = 0;

		while (k < n && mods[k].attr.ad != rules[item->first].memberof) {
			k++;
		}
		if (is_wrong(item)) {
			last = &rules[item->rule];
			r = k < n ? 0
			          : replace(mending, &edit->entry, item->first,
			                    &mods[n++]);
		}
	}
	if (r == 0 && last != NULL && last->dn.pretty.data != NULL) {
		const struct dit_attr_type *type = dit_schema_find_type(
			mending->rules.schema, DIT_SPAN("modifiersName"));

		mods[n++] = (struct modify_mod){MODIFY_HOW_REPLACE_ALL,
		                                {.ad = &type->ad,
		                                 .values = &last->dn.pretty,
		                                 .normal = &last->dn.norm,
		                                 .nvalues = 1}};
	}
	return r ?: dit_modify_edit(edit, dn, mods, n, NULL);
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

	for (size_t i = 0; i < mending->asked.n; i++) {
		enum dit_overlay_kind kind = mending->asked.items[i].kind;

		stats->nmemberships_added += kind == DIT_OVERLAY_MISSING;
		stats->nmemberships_removed += kind == DIT_OVERLAY_SURPLUS;
	}
	stats->nmodified++;
}

/* In whole, with the place of each value: the scans show but some attributes. */
static int ask_again(struct mending *mending, const struct modify_edit *edit,
                     const struct dit_dn *dn)
{
	unsigned producer = mending->modifier->job.nthreads;
	struct dit_entry entry = edit->entry;
	struct dit_entry_view view;
	int r = 0;

	entry.dn = *dn;
	r = dit_overlays_show(mending->overlays, producer, &entry, edit->node->id, &view);
	return r ?: dit_overlays_ask(mending->overlays, producer, &view, &mending->asked);
}

static int mend_entry(struct mending *mending, struct dit_span text)
{
	struct modifier *modifier = mending->modifier;
	struct dit_notes notes;
	struct modify_edit edit = {.modifier = modifier, .notes = &notes};
	struct dit_dn dn;
	int r = 0;

	dit_arena_reset(&modifier->scratch);
	dit_notes_init(&notes, &modifier->scratch);
	r = dit_dn_parse(modifier->changing.schema, text, &modifier->scratch, NULL, &dn);
	r = r < 0 ? r : dit_modify_find(modifier, &dn, 0, &edit.node);
	r = r <= 0 ? r : dit_modify_read(&edit);
	if (r <= 0) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	r = ask_again(mending, &edit, &dn);
	r = r ?: change(mending, &edit, &dn);
	if (r == DIT_E_INVALID) {
		return tell_refusal(mending, &dn, &notes);
	}
	if (r == 0) {
		count(mending);
		if (modifier->opts->is_verbose) {
			dit_job_report(&modifier->job, DIT_REPORT_ADDED,
			               "memberships: \"%.*s\" (%08lx)",
			               DIT_SPAN_ARGS(dn.norm), edit.node->id);
		}
	}
	return r;
}

static int mend_range(void *ctx, struct dit_scan_range *range)
{
	const struct wrong_entry *last = range->result;
	const struct wrong_entry *one = last;
	int r = tick(ctx, range);

	while (one != NULL && r == 0) {
		one = one->next;
		r = mend_entry(ctx, one->dn);
		one = one == last ? NULL : one;
	}
	return r;
}

/* All entries are read twice: for their names, and for what is asked of them. */
static int scan_entries(struct mending *mending)
{
	static const struct dit_entry_scan_ops names = {.entry = take, .in_order = tick};
	static const struct dit_entry_scan_ops questions = {.entry = look,
	                                                    .in_order = mend_range};
	struct modifier *modifier = mending->modifier;
	unsigned nthreads = modifier->job.nthreads;
	const struct dit_overlays_opts opts = {.rules = &mending->rules,
	                                       .nproducers = nthreads + 1 /* main */};
	const struct dit_scan_snapshot_opts scan = {
		.snapshot = modifier->snapshot,
		.nthreads = nthreads,
		.schema = modifier->job.chosen.settings->schema,
		.wanted = want,
		.wanted_ctx = &mending->rules,
		.stop = &modifier->job.stop};
	int r = dit_overlays_new(&mending->overlays, &opts);

	r = r ?: dit_entry_scan_new(&mending->scan, &scan);
	r = r ?: dit_entry_scan_run(mending->scan, &names, mending);
	r = r ?: dit_overlays_join(mending->overlays);
	return r ?: dit_entry_scan_run(mending->scan, &questions, mending);
}

/* ---- the whole ---- */

int dit_modify_mend_memberof(struct modifier *modifier)
{
	struct mending mending = {.modifier = modifier};
	int r = dit_overlay_rules_make(&modifier->job, modifier->db, false,
	                               &mending.rules);

	if (r == 0 && mending.rules.nmemberof == 0) {
		r = dit_overlay_rules_lack(&modifier->job, modifier->db, "memberof");
	}
	if (r != DIT_E_CONFIG) {
		r = r ?: scan_entries(&mending);
		r = r < 0 ? dit_modify_fail(modifier, r, modifier->db->data.directory)
		          : 0;
	}
	dit_entry_scan_close(mending.scan);
	dit_overlays_free(mending.overlays);
	dit_overlay_rules_deinit(&mending.rules);
	return r;
}
