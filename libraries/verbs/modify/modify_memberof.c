/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memberships are mended: the attributes of the overlay memberof become what the members
 * of groups say. An entry that changes is changed as the overlay would do it: its
 * modifiersName is the overlay's, and its other stamps stay.
 */
#include <errno.h>

#include "base/error.h"
#include "entry/value_sort.h"
#include "modify/modify_impl.h"
#include "overlays/overlays.h"
#include "scan/scan_snapshot.h"

struct mending {
	struct modifier *modifier;
	struct dit_overlay_rules rules;
	struct dit_snapshot *snapshot; /* all entries, on all threads */
	struct dit_entry_scan *scan;
	struct dit_overlays *overlays;
	/* Of one entry. [own: main] */
	const struct wrong_entry *wrong;
	struct modify_mod *mods; /* in the scratch of the run */
	size_t nmods;
};

/* An entry whose memberships are wrong, in the arena of its range. */
struct wrong_entry {
	struct wrong_entry *next;
	struct dit_span dn;
	size_t nitems;
	struct dit_overlay_item items[];
};

struct wrong_entries {
	struct wrong_entry *first;
	struct wrong_entry **end;
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

static int begin(void *ctx, struct dit_scan_range *range)
{
	struct wrong_entries *wrong = dit_scan_range_alloc(range, sizeof(*wrong));

	(void)ctx;
	if (wrong != NULL) {
		wrong->first = NULL;
		wrong->end = &wrong->first;
	}
	range->result = wrong;
	return wrong == NULL ? -ENOMEM : 0;
}

static bool is_wrong(const struct dit_overlay_item *item)
{
	return item->kind == DIT_OVERLAY_MISSING || item->kind == DIT_OVERLAY_SURPLUS;
}

static int look(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	const struct mending *mending = ctx;
	struct wrong_entries *wrong = range->result;
	struct dit_overlay_asked asked;
	struct wrong_entry *one = NULL;
	size_t n = 0;
	int r = dit_overlays_ask(mending->overlays, range->member, entry, &asked);

	for (size_t i = 0; i < asked.n && r == 0; i++) {
		n += is_wrong(&asked.items[i]);
	}
	if (r < 0 || n == 0) {
		return r;
	}
	one = dit_scan_range_alloc(range, sizeof(*one) + n * sizeof(*one->items));
	if (one == NULL) {
		return -ENOMEM;
	}
	*one = (struct wrong_entry){
		.dn = dit_arena_copy(dit_scan_range_arena(range), entry->dn)};
	for (size_t i = 0; i < asked.n; i++) {
		if (is_wrong(&asked.items[i])) {
			one->items[one->nitems++] = asked.items[i];
		}
	}
	*wrong->end = one;
	wrong->end = &one->next;
	return one->dn.data == NULL ? -ENOMEM : 0;
}

/* ---- one entry ---- */

/* @param attr  without values: the first block of the attribute goes */
static int add_mod(struct mending *mending, const struct dit_attr *attr)
{
	uint32_t number = 0; /* the description gets one */
	int r = attr->nvalues == 0
	                ? 0
	                : dit_ad_number(&mending->modifier->numbers, attr->ad, &number);

	mending->mods[mending->nmods++] =
		(struct modify_mod){.how = MODIFY_HOW_REPLACE, .attr = *attr};
	return r;
}

/* The values of a rule's attribute that stay. */
static void keep_values(struct mending *mending, const struct modify_node *node,
                        uint32_t rule, struct dit_attr *attr, uint32_t *ret_nblocks)
{
	const struct dit_overlay_item *items = mending->wrong->items;
	size_t nitems = mending->wrong->nitems;
	uint32_t number = 0;
	size_t next = 0;

	*ret_nblocks = 0;
	for (uint32_t i = 0; i < node->entry->nattrs; i++) {
		const struct dit_attr *stored = &node->entry->attrs[i];

		*ret_nblocks += stored->ad == attr->ad;
		for (uint32_t k = 0; stored->ad == attr->ad && k < stored->nvalues;
		     k++, number++) {
			/* Surplus values ascend. */
			while (next < nitems &&
			       (items[next].kind != DIT_OVERLAY_SURPLUS ||
			        items[next].rule != rule ||
			        items[next].number < number)) {
				next++;
			}
			if (next == nitems || items[next].number != number) {
				attr->values[attr->nvalues] = stored->values[k];
				attr->normal[attr->nvalues++] = dit_attr_keys(stored)[k];
			}
		}
	}
}

static void add_groups(const struct mending *mending, struct dit_attr *attr)
{
	for (size_t i = 0; i < mending->wrong->nitems; i++) {
		const struct dit_overlay_item *item = &mending->wrong->items[i];
		const struct dit_dn_text *group =
			dit_overlays_name(mending->overlays, item->other);

		if (item->kind == DIT_OVERLAY_MISSING &&
		    mending->rules.memberof[item->rule].memberof == attr->ad) {
			attr->values[attr->nvalues] = group->pretty;
			attr->normal[attr->nvalues++] = group->norm;
		}
	}
}

static size_t count_values(const struct modify_node *node, const struct dit_ad *ad)
{
	size_t n = 0;

	for (uint32_t i = 0; i < node->entry->nattrs; i++) {
		n += node->entry->attrs[i].ad == ad ? node->entry->attrs[i].nvalues : 0;
	}
	return n;
}

/* The attribute of a rule, in one block. */
static int replace_memberships(struct mending *mending, const struct modify_node *node,
                               uint32_t rule)
{
	struct modifier *modifier = mending->modifier;
	struct dit_attr attr = {.ad = mending->rules.memberof[rule].memberof};
	size_t room = count_values(node, attr.ad) + mending->wrong->nitems;
	uint32_t twice = DIT_VALUES_UNIQUE;
	uint32_t nblocks = 0;
	int r = 0;

	attr.values = dit_arena_calloc(&modifier->scratch, room, sizeof(*attr.values));
	attr.normal = dit_arena_calloc(&modifier->scratch, room, sizeof(*attr.normal));
	if (attr.values == NULL || attr.normal == NULL) {
		return -ENOMEM;
	}
	keep_values(mending, node, rule, &attr, &nblocks);
	add_groups(mending, &attr);
	if (dit_entry_is_sorted(&modifier->changing, attr.ad->type)) {
		r = dit_attr_sort(&attr, &modifier->scratch, &twice);
	}
	for (uint32_t i = 1; i < nblocks && r == 0; i++) {
		r = add_mod(mending, &(struct dit_attr){.ad = attr.ad});
	}
	return r ?: add_mod(mending, &attr);
}

static bool is_replaced(const struct mending *mending, const struct dit_ad *ad)
{
	size_t i = 0;

	while (i < mending->nmods && mending->mods[i].attr.ad != ad) {
		i++;
	}
	return i < mending->nmods;
}

static int put_modifier(struct mending *mending)
{
	const struct wrong_entry *wrong = mending->wrong;
	const struct dit_memberof_rule *last =
		&mending->rules.memberof[wrong->items[wrong->nitems - 1].rule];
	struct dit_span *spans =
		dit_arena_alloc(&mending->modifier->scratch, 2 * sizeof(*spans));
	struct dit_attr attr = {.nvalues = 1};
	int r = spans == NULL ? -ENOMEM : 0;

	if (r < 0 || last->dn.data == NULL) {
		return r;
	}
	spans[0] = last->dn;
	spans[1] = last->dn_norm;
	attr.values = spans;
	attr.normal = &spans[1];
	r = dit_ad_find(mending->modifier->changing.schema, NULL,
	                DIT_SPAN("modifiersName"), &attr.ad, NULL);
	return r ?: add_mod(mending, &attr);
}

static int make_mods(struct mending *mending, const struct modify_node *node)
{
	const struct dit_overlay_rules *rules = &mending->rules;
	size_t nmods = node->entry->nattrs + rules->nmemberof + 1;
	int r = 0;

	mending->nmods = 0;
	mending->mods = dit_arena_alloc(&mending->modifier->scratch,
	                                nmods * sizeof(*mending->mods));
	if (mending->mods == NULL) {
		return -ENOMEM;
	}
	/* In the order of the groups, as slapd's changes come. */
	for (size_t i = 0; i < mending->wrong->nitems && r == 0; i++) {
		const struct dit_ad *ad =
			rules->memberof[mending->wrong->items[i].rule].memberof;

		if (!is_replaced(mending, ad)) {
			r = replace_memberships(
				mending, node,
				rules->memberof[mending->wrong->items[i].rule].first);
		}
	}
	return r ?: put_modifier(mending);
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

	for (size_t i = 0; i < mending->wrong->nitems; i++) {
		if (mending->wrong->items[i].kind == DIT_OVERLAY_MISSING) {
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
	struct dit_span unknown;
	struct dit_dn dn;
	int r = 0;

	dit_arena_reset(&modifier->scratch);
	dit_notes_init(&notes, &modifier->scratch);
	r = dit_dn_parse(modifier->changing.schema, mending->wrong->dn,
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

static int mend_range(void *ctx, struct dit_scan_range *range)
{
	struct mending *mending = ctx;
	const struct wrong_entries *wrong = range->result;
	int r = tick(ctx, range);

	for (mending->wrong = wrong->first; mending->wrong != NULL && r == 0;
	     mending->wrong = mending->wrong->next) {
		r = mend_entry(mending);
	}
	return r;
}

/* All entries are read twice: for their names, and for what is asked of them. */
static int scan_entries(struct mending *mending, struct dit_fault *fault)
{
	static const struct dit_entry_scan_ops names = {.entry = take, .in_order = tick};
	static const struct dit_entry_scan_ops questions = {
		.begin = begin, .entry = look, .in_order = mend_range};
	struct modifier *modifier = mending->modifier;
	unsigned nthreads = modifier->job.nthreads;
	const struct dit_overlays_opts opts = {
		.rules = &mending->rules, .nproducers = nthreads, .with_memberof = true};
	struct dit_scan_snapshot_opts scan = {
		.schema = modifier->job.chosen.settings->schema,
		.wanted = want,
		.wanted_ctx = &mending->rules,
		.stop = &modifier->job.stop};
	int r = dit_modify_open_snapshot(modifier, nthreads, fault, &mending->snapshot);

	scan.snapshot = mending->snapshot;
	r = r ?: dit_overlays_new(&mending->overlays, &opts);
	r = r ?: dit_entry_scan_new(&mending->scan, &scan);
	r = r ?: dit_entry_scan_run(mending->scan, &names, mending);
	r = r ?: dit_overlays_join(mending->overlays);
	return r ?: dit_entry_scan_run(mending->scan, &questions, mending);
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
	int r = dit_overlay_rules_make(&modifier->job, modifier->db, false,
	                               &mending.rules);

	if (r == 0 && mending.rules.nmemberof == 0) {
		r = refuse_conf(modifier);
	}
	if (r != DIT_E_CONFIG) {
		r = r ?: scan_entries(&mending, &fault);
		r = r < 0 ? dit_modify_fail(modifier, r, modifier->db->data.directory)
		          : 0;
	}
	dit_entry_scan_close(mending.scan);
	dit_overlays_free(mending.overlays);
	if (mending.snapshot != NULL) {
		dit_snapshot_close(mending.snapshot);
	}
	dit_overlay_rules_deinit(&mending.rules);
	return r;
}
