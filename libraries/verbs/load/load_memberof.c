/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overlays memberof and unique change an entry that is loaded: it is refused,
 * members are dropped, memberships are added, or it stays as it is. load_ahead.c has read
 * all names before.
 *
 * Threads: members.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "load/loader.h"

/* ---- refused, dropped ---- */

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

	(void)dit_why_set(&item->notes, why);
	dit_notes_add(&item->notes, DIT_REPORT_ERROR, "dn=\"%.*s\" (line=%lu): (%d) %s",
	              DIT_SPAN_ARGS(item->entry.dn.pretty), record->line, refusal->code,
	              dit_why_fill(&why, refusal->text, item->notes.arena) ?: "");
	return DIT_E_INVALID;
}

/* A value that another entry has, or a member that is not there. */
static int refuse_or_drop_value(const struct load_ahead *ahead,
                                const struct dit_ldif_record *record,
                                const struct dit_overlay_item *asked,
                                struct load_item *item)
{
	const struct dit_attr *attr = &item->entry.attrs[asked->block];
	struct dit_span *value = &attr->values[asked->number];
	struct dit_why why =
		dit_why_value(DIT_WHY_NO_MEMBER, attr->ad, *value, asked->number, "");

	if (asked->kind == DIT_OVERLAY_TWICE) {
		why.kind = DIT_WHY_NOT_UNIQUE;
		why.detail = asked->name->pretty;
	} else if (ahead->rules.memberof[asked->rule].dangling == DIT_DANGLING_DROP) {
		value->data = dropped;
		return 0;
	}
	return refuse(item, record, why);
}

/* The instance of the configuration that comes last is the first one in slapd. */
static int refuse_or_drop(const struct load_ahead *ahead,
                          const struct dit_ldif_record *record, struct load_item *item)
{
	int r = 0;

	for (size_t i = item->asked.n; i > 0 && r == 0; i--) {
		const struct dit_overlay_item *asked = &item->asked.items[i - 1];

		if (asked->kind == DIT_OVERLAY_TWICE ||
		    asked->kind == DIT_OVERLAY_DANGLING) {
			r = refuse_or_drop_value(ahead, record, asked, item);
		}
	}
	if (item->asked.items[0].kind == DIT_OVERLAY_DANGLING) {
		remove_dropped(&item->entry);
	}
	return r;
}

/* May an entry of these classes have the attribute? slapd's change would fail. */
static bool may_have(const struct dit_overlay_rules *rules, const struct dit_entry *entry,
                     const struct dit_attr_type *type)
{
	const struct dit_attr *classes = dit_entry_find(entry, &rules->object_class->ad);
	bool is_allowed = type->usage != DIT_USAGE_USER;

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues && !is_allowed;
	     i++) {
		const struct dit_class *oc =
			dit_schema_find_class(rules->schema, classes->values[i]);

		is_allowed =
			oc != NULL &&
			(dit_ascii_strcasecmp(oc->name, "extensibleObject") == 0 ||
		         DIT_IS_LISTED(type, oc->must) || DIT_IS_LISTED(type, oc->may));
	}
	return is_allowed;
}

static bool is_full(const struct dit_entry *entry, const struct dit_ad *ad)
{
	return (ad->type->flags & DIT_TYPE_SINGLE) != 0 &&
	       dit_entry_find(entry, ad) != NULL;
}

/* ---- memberships ---- */

/* Nobody but slapd writes an operational attribute. The values of another one stay as the
 * input has them: slapd's changes add to them. */
static bool stays(const struct dit_ad *ad)
{
	return ad->type->usage == DIT_USAGE_USER;
}

/* The values stand after those that are there, which stay. */
static int add_value(struct load_item *item, const struct dit_ad *ad,
                     struct dit_dn_text name, struct dit_arena *arena)
{
	struct dit_attr *attr = dit_entry_find(&item->entry, ad)
	                                ?: dit_entry_add(&item->entry, ad, arena);

	if (attr == NULL) {
		return -ENOMEM;
	}
	if (!attr->has_room) {
		attr->values = attr->values ?: &name.pretty; /* of none */
		attr->normal = dit_attr_keys(attr);
		if (dit_attr_copy_lists(attr, arena, attr->nvalues + item->asked.n) < 0) {
			return -ENOMEM;
		}
		attr->has_room = true;
	}
	attr->values[attr->nvalues] = name.pretty;
	attr->normal[attr->nvalues++] = name.norm;
	return 0;
}

/* Groups that were there before the entry, or those that came after it.
 *
 * @param last  gets the rule of the last one. 0; -ENOMEM */
static int put_groups(const struct loader *loader, struct load_item *item, bool is_early,
                      struct dit_arena *arena, const struct dit_memberof_rule **last)
{
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	const struct dit_ad *ad = NULL;
	bool is_allowed = false;
	int r = 0;

	for (size_t i = 0; i < item->asked.n && r == 0; i++) {
		const struct dit_overlay_item *asked = &item->asked.items[i];

		if ((asked->kind != DIT_OVERLAY_MEMBER &&
		     asked->kind != DIT_OVERLAY_MISSING) ||
		    asked->is_early != is_early) {
			continue;
		}
		if (rules->memberof[asked->rule].memberof != ad) {
			ad = rules->memberof[asked->rule].memberof;
			is_allowed = may_have(rules, &item->entry, ad->type);
		}
		if (asked->kind == DIT_OVERLAY_MEMBER && stays(ad)) {
			continue;
		}
		if (is_allowed && !is_full(&item->entry, ad)) {
			r = add_value(item, ad, *asked->name, arena);
			*last = &rules->memberof[asked->rule];
		} else if (!is_early) {
			item->nmissing -= asked->kind == DIT_OVERLAY_MISSING;
		}
	}
	return r;
}

/* As sortvals wants. */
static int sort_groups(const struct loader *loader, const struct load_item *item,
                       struct dit_arena *arena)
{
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = 0;

	for (size_t i = 0; i < rules->nmemberof && r == 0; i++) {
		const struct dit_ad *ad = rules->memberof[i].memberof;
		struct dit_attr *attr = dit_entry_find(&item->entry, ad);

		if (attr != NULL &&
		    dit_entry_is_sorted(&loader->reading.context, ad->type)) {
			attr->is_sorted = true;
			r = dit_attr_sort(attr, arena, &twice);
		}
	}
	return r;
}

void dit_load_ahead_expect(const struct loader *loader,
                           const struct dit_pipeline_share *share)
{
	const struct load_slot *slot = &loader->input.slots[share->slot];
	struct dit_span dns[DIT_OVERLAYS_EXPECTED];
	size_t n = 0;

	for (size_t i = share->first; i < share->end && n < DIT_OVERLAYS_EXPECTED; i++) {
		if (slot->items[i].state == LOAD_GOOD) {
			dns[n++] = slot->items[i].entry.dn.norm;
		}
	}
	dit_overlays_expect(loader->ahead.overlays, dns, n);
}

static int ask(const struct loader *loader, const struct load_member *member,
               struct load_item *item)
{
	struct dit_overlays *overlays = loader->ahead.overlays;
	struct dit_entry_view view;
	int r = dit_overlays_show(overlays, member->number, &item->entry, item->number,
	                          &view);

	return r ?: dit_overlays_ask(overlays, member->number, &view, &item->asked);
}

/* An entry whose memberships agree stays as it is in the input. */
int dit_load_ahead_start(const struct loader *loader, const struct load_member *member,
                         const struct dit_ldif_record *record, struct load_item *item,
                         struct dit_arena *arena)
{
	const struct load_ahead *ahead = &loader->ahead;
	const struct dit_memberof_rule *last = NULL;
	int r = ask(loader, member, item);

	r = r < 0 || item->asked.n == 0 ? r : refuse_or_drop(ahead, record, item);
	for (size_t i = 0; i < item->asked.n && r == 0; i++) {
		const struct dit_overlay_item *asked = &item->asked.items[i];

		item->nmissing += asked->kind == DIT_OVERLAY_MISSING;
		item->nsurplus += asked->kind == DIT_OVERLAY_SURPLUS &&
		                  !stays(ahead->rules.memberof[asked->rule].memberof);
	}
	if (r < 0 || item->nmissing + item->nsurplus == 0) {
		return r;
	}
	for (size_t i = 0; i < ahead->rules.nmemberof; i++) {
		const struct dit_ad *ad = ahead->rules.memberof[i].memberof;

		if (!stays(ad)) {
			dit_entry_remove_all(&item->entry, ad);
		}
	}
	return put_groups(loader, item, true, arena, &last);
}

int dit_load_ahead_end(const struct loader *loader, struct load_item *item,
                       struct dit_arena *arena)
{
	const struct dit_memberof_rule *last = NULL;
	int r = 0;

	if (item->nmissing + item->nsurplus == 0) {
		return 0;
	}
	r = put_groups(loader, item, false, arena, &last);
	r = r ?: sort_groups(loader, item, arena);
	if (r == 0 && last != NULL && last->dn.pretty.data != NULL) {
		const struct dit_ad *ad =
			&dit_schema_find_type(loader->ahead.rules.schema,
		                              DIT_SPAN("modifiersName"))
				 ->ad;

		dit_entry_remove_all(&item->entry, ad);
		r = add_value(item, ad, last->dn, arena);
	}
	return r;
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
			"values of memberOf in the input, left out because the group does not name the entry: %lu",
			stats->nmemberships_removed);
	}
	if (nlate > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"memberships not made, as slapd makes none when the member comes after its group: %lu; \"ditmodify --memberof\" makes them",
			nlate);
	}
}
