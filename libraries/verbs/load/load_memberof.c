/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overlays memberof and unique change an entry that is loaded: it is refused,
 * members are dropped, memberships are added, or it stays as it is. load_ahead.c has read
 * all names before.
 *
 * Threads: members.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "entry/value_sort.h"
#include "load/loader.h"

/* ---- refused, dropped ---- */

struct filling {
	const struct loader *loader;
	struct load_item *item;
	struct dit_arena *arena;
	const struct dit_overlay_item *items; /* that are asked of it */
	size_t nitems;
};

/* Value number n of the attributes that a rule takes for `member`; without a rule, of
 * those with this ordinal. */
static struct dit_attr *find_value(const struct dit_memberof_rule *rule, uint32_t ordinal,
                                   struct dit_entry *entry, uint32_t *n)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		struct dit_attr *attr = &entry->attrs[i];
		bool is_meant = rule != NULL ? dit_overlays_is_member(rule, attr->ad)
		                             : attr->ad->ordinal == ordinal;

		if (is_meant && *n < attr->nvalues) {
			return attr;
		}
		*n -= is_meant ? attr->nvalues : 0;
	}
	return NULL;
}

/* In place of a value that is dropped: the numbers of the others stay, and two rules may
 * drop the same one. */
static const char dropped[] = "";

static void remove_dropped(struct dit_entry *entry)
{
	for (uint32_t i = entry->nattrs; i > 0; i--) {
		struct dit_attr *attr = &entry->attrs[i - 1];
		uint32_t n = 0;

		for (uint32_t k = 0; k < attr->nvalues; k++) {
			if (attr->values[k].data == dropped) {
				continue;
			}
			attr->values[n] = attr->values[k];
			if (attr->normal != NULL) {
				attr->normal[n] = attr->normal[k];
			}
			n++;
		}
		attr->nvalues = n;
		if (n == 0) {
			dit_entry_remove(entry, attr);
		}
	}
}

static int refuse(struct load_item *item, const struct dit_ldif_record *record,
                  struct dit_why why)
{
	const struct dit_refusal *refusal = &dit_refusals[why.kind];

	dit_why_set(&item->notes, why);
	dit_notes_add(&item->notes, DIT_REPORT_ERROR, "dn=\"%.*s\" (line=%llu): (%d) %s",
	              DIT_SPAN_ARGS(item->entry.dn.pretty),
	              (unsigned long long)record->line, refusal->code,
	              dit_why_fill(&why, refusal->text, item->notes.arena) ?: "");
	return DIT_E_INVALID;
}

static int refuse_twice(const struct filling *filling,
                        const struct dit_ldif_record *record,
                        const struct dit_overlay_item *asked)
{
	uint32_t number = asked->number;
	const struct dit_attr *attr =
		find_value(NULL, asked->rule, &filling->item->entry, &number);
	const struct dit_dn_text *other =
		dit_overlays_name(filling->loader->ahead.overlays, asked->other);
	struct dit_why why;

	if (attr == NULL || other == NULL) {
		return 0;
	}
	why = dit_why_value(DIT_WHY_NOT_UNIQUE, attr->ad, attr->values[number], number,
	                    "");
	why.detail = other->pretty;
	return refuse(filling->item, record, why);
}

static int refuse_or_drop_member(const struct filling *filling,
                                 const struct dit_ldif_record *record,
                                 const struct dit_overlay_item *asked)
{
	const struct dit_memberof_rule *rule =
		&filling->loader->ahead.rules.memberof[asked->rule];
	struct dit_entry *entry = &filling->item->entry;
	uint32_t number = asked->number;
	struct dit_attr *attr = find_value(rule, 0, entry, &number);

	if (attr == NULL) {
		return 0;
	}
	if (rule->dangling == DIT_DANGLING_ERROR) {
		return refuse(filling->item, record,
		              dit_why_value(DIT_WHY_NO_MEMBER, attr->ad,
		                            attr->values[number], number, ""));
	}
	attr->values[number].data = dropped;
	return 0;
}

/* The instance of the configuration that comes last is the first one in slapd. */
static int refuse_or_drop(const struct filling *filling,
                          const struct dit_ldif_record *record)
{
	int r = 0;

	for (size_t i = filling->nitems; i > 0 && r == 0; i--) {
		const struct dit_overlay_item *asked = &filling->items[i - 1];

		if (asked->kind == DIT_OVERLAY_TWICE) {
			r = refuse_twice(filling, record, asked);
		} else if (asked->kind == DIT_OVERLAY_DANGLING) {
			r = refuse_or_drop_member(filling, record, asked);
		}
	}
	if (filling->nitems > 0 && filling->items[0].kind == DIT_OVERLAY_DANGLING) {
		remove_dropped(&filling->item->entry);
	}
	return r;
}

/* May an entry of these classes have the attribute? slapd's change would fail. */
static bool may_have(const struct dit_schema *schema, const struct dit_entry *entry,
                     const struct dit_attr_type *type)
{
	const struct dit_attr *classes = dit_entry_find(
		entry, &dit_schema_find_type(schema, DIT_SPAN("objectClass"))->ad);
	bool is_allowed = type->usage != DIT_USAGE_USER;

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues && !is_allowed;
	     i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		is_allowed |=
			strcasecmp(oc == NULL ? "" : oc->name, "extensibleObject") == 0;
		for (size_t k = 0; oc != NULL && oc->must[k] != NULL; k++) {
			is_allowed |= oc->must[k] == type;
		}
		for (size_t k = 0; oc != NULL && oc->may[k] != NULL; k++) {
			is_allowed |= oc->may[k] == type;
		}
	}
	return is_allowed;
}

/* ---- memberships ---- */

static bool is_wanted(const struct dit_overlay_item *asked)
{
	return asked->kind == DIT_OVERLAY_MEMBER || asked->kind == DIT_OVERLAY_MISSING;
}

/* A block at the end of the entry, with room for all groups. */
static struct dit_attr *begin_attr(const struct filling *filling, const struct dit_ad *ad)
{
	size_t room = (filling->nitems + 1) * sizeof(struct dit_span);
	struct dit_attr *attr = dit_entry_add(&filling->item->entry, ad, filling->arena);

	if (attr != NULL) {
		attr->values = dit_arena_alloc(filling->arena, room);
		attr->normal = dit_arena_alloc(filling->arena, room);
	}
	return attr == NULL || attr->values == NULL || attr->normal == NULL ? NULL : attr;
}

static int put_value(const struct filling *filling, const struct dit_ad *ad,
                     struct dit_span value, struct dit_span normal)
{
	struct dit_attr *attr = dit_entry_find(&filling->item->entry, ad);

	attr = attr == NULL ? begin_attr(filling, ad) : attr;
	if (attr == NULL) {
		return -ENOMEM;
	}
	attr->values[attr->nvalues] = value;
	attr->normal[attr->nvalues++] = normal;
	return 0;
}

/* Groups that were there before the entry, or those that came after it. */
static int put_groups(const struct filling *filling, bool is_early,
                      const struct dit_memberof_rule **ret_last)
{
	const struct load_ahead *ahead = &filling->loader->ahead;
	const struct dit_schema *schema = ahead->rules.schema;
	int r = 0;

	for (size_t i = 0; i < filling->nitems && r == 0; i++) {
		const struct dit_overlay_item *asked = &filling->items[i];
		const struct dit_memberof_rule *rule = NULL;
		const struct dit_dn_text *group = NULL;

		if (!is_wanted(asked) || asked->is_early != is_early) {
			continue;
		}
		rule = &ahead->rules.memberof[asked->rule];
		group = dit_overlays_name(ahead->overlays, asked->other);
		if (may_have(schema, &filling->item->entry, rule->memberof->type)) {
			r = put_value(filling, rule->memberof, group->pretty,
			              group->norm);
			*ret_last = rule;
		} else if (asked->kind == DIT_OVERLAY_MISSING && !is_early) {
			filling->item->nmissing--;
		}
	}
	return r;
}

static void remove_attr(struct dit_entry *entry, const struct dit_ad *ad)
{
	struct dit_attr *attr = NULL;

	while ((attr = dit_entry_find(entry, ad)) != NULL) {
		dit_entry_remove(entry, attr);
	}
}

static bool count(const struct filling *filling)
{
	struct load_item *item = filling->item;

	item->nmissing = 0;
	item->nsurplus = 0;
	for (size_t i = 0; i < filling->nitems; i++) {
		item->nmissing += filling->items[i].kind == DIT_OVERLAY_MISSING;
		item->nsurplus += filling->items[i].kind == DIT_OVERLAY_SURPLUS;
	}
	return item->nmissing + item->nsurplus > 0;
}

/* @param ret  its items are kept in the arena, for the end of the entry */
static int ask(const struct loader *loader, const struct load_member *member,
               struct load_item *item, struct dit_arena *arena)
{
	struct dit_entry_view view;
	struct dit_attr_view *attrs =
		dit_arena_alloc(arena, (item->entry.nattrs + 1) * sizeof(*attrs));
	struct dit_overlay_asked asked;
	size_t nbytes = 0;
	int r = attrs == NULL ? -ENOMEM : 0;

	if (r < 0) {
		return r;
	}
	dit_entry_show(&item->entry, attrs, &view);
	view.id = item->number;
	view.norm_dn = item->entry.dn.norm;
	r = dit_overlays_ask(loader->ahead.overlays, member->number, &view, &asked);
	nbytes = asked.n * sizeof(*asked.items);
	item->nasked = asked.n;
	item->asked = r < 0 || asked.n == 0 ? NULL : dit_arena_alloc(arena, nbytes);
	if (item->asked == NULL) {
		return r < 0 || asked.n == 0 ? r : -ENOMEM;
	}
	memcpy(item->asked, asked.items, nbytes);
	return 0;
}

/* An entry whose memberships agree stays as it is in the input. */
int dit_load_ahead_start(const struct loader *loader, const struct load_member *member,
                         const struct dit_ldif_record *record, struct load_item *item,
                         struct dit_arena *arena)
{
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	struct filling filling = {.loader = loader, .item = item, .arena = arena};
	const struct dit_memberof_rule *last = NULL;
	int r = loader->ahead.overlays == NULL ? 0 : ask(loader, member, item, arena);

	if (r < 0 || item->nasked == 0) {
		return r;
	}
	filling.items = item->asked;
	filling.nitems = item->nasked;
	r = refuse_or_drop(&filling, record);
	if (r < 0 || !count(&filling)) {
		return r;
	}
	for (size_t i = 0; i < rules->nmemberof; i++) {
		remove_attr(&item->entry, rules->memberof[i].memberof);
	}
	return put_groups(&filling, true, &last);
}

/* slapd's change for each group puts modifiersName at the end (overlays.md 2). */
static int put_modifier(const struct filling *filling,
                        const struct dit_memberof_rule *rule)
{
	const struct dit_schema *schema = filling->loader->reading.context.schema;
	const struct dit_ad *ad =
		&dit_schema_find_type(schema, DIT_SPAN("modifiersName"))->ad;

	if (rule == NULL || rule->dn.data == NULL) {
		return 0;
	}
	remove_attr(&filling->item->entry, ad);
	return put_value(filling, ad, rule->dn, rule->dn_norm);
}

int dit_load_ahead_end(const struct loader *loader, struct load_item *item,
                       struct dit_arena *arena)
{
	const struct dit_entry_context *context = &loader->reading.context;
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	const struct filling filling = {.loader = loader,
	                                .item = item,
	                                .arena = arena,
	                                .items = item->asked,
	                                .nitems = item->nasked};
	const struct dit_memberof_rule *last = NULL;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = 0;

	if (item->nmissing + item->nsurplus == 0) {
		return 0;
	}
	r = put_groups(&filling, false, &last);
	for (size_t i = 0; i < rules->nmemberof && r == 0; i++) {
		struct dit_attr *attr =
			dit_entry_find(&item->entry, rules->memberof[i].memberof);

		if (attr != NULL && dit_entry_is_sorted(context, attr->ad->type)) {
			attr->is_sorted = true;
			r = dit_attr_sort(attr, arena, &twice);
		}
	}
	return r ?: put_modifier(&filling, last);
}

void dit_load_ahead_tell(const struct loader *loader)
{
	const struct dit_load_stats *stats = loader->stats;
	uint64_t nlate = loader->ahead.overlays == NULL
	                         ? 0
	                         : dit_overlays_nlate(loader->ahead.overlays);

	if (stats->nmemberships_removed > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"values of memberOf in the input that no group bears out, and "
			"that were left out: %llu",
			(unsigned long long)stats->nmemberships_removed);
	}
	if (nlate > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"memberships that were not made, as slapd makes none of a member that "
			"comes after its group: %llu; \"ditmodify --memberof\" makes them",
			(unsigned long long)nlate);
	}
}
