/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An entry gets attributes of memberships, as slapd's changes put them (overlays.md 2).
 */
#include "overlays/overlays_impl.h"

#include <errno.h>

#include "entry/entry.h"

static void put(struct dit_attr *attr, struct dit_span value, struct dit_span normal)
{
	attr->values[attr->nvalues] = value;
	attr->normal[attr->nvalues++] = normal;
}

/* Surplus values ascend. */
static void keep_values(const struct dit_memberships *memberships)
{
	const struct dit_entry *stored = memberships->stored;
	const struct dit_overlay_item *item = memberships->asked.items;
	const struct dit_overlay_item *end = item + memberships->asked.n;
	struct dit_attr *attr = memberships->attr;

	for (uint32_t i = 0; stored != NULL && i < stored->nattrs; i++) {
		const struct dit_attr *block = &stored->attrs[i];

		for (uint32_t k = 0; block->ad == attr->ad && k < block->nvalues; k++) {
			while (item < end && (item->kind != DIT_OVERLAY_SURPLUS ||
			                      stored->attrs[item->block].ad != attr->ad ||
			                      item->block < i ||
			                      (item->block == i && item->number < k))) {
				item++;
			}
			if (item == end || item->block != i || item->number != k) {
				put(attr, block->values[k], dit_attr_keys(block)[k]);
			}
		}
	}
}

/* For all groups, after the values that are there. */
static int make_room(const struct dit_memberships *memberships, struct dit_attr *attr)
{
	size_t room = attr->nvalues + memberships->asked.n;
	struct dit_span *spans =
		dit_arena_calloc(memberships->arena, room, 2 * sizeof(*spans));

	if (spans == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		spans[i] = attr->values[i];
		spans[room + i] = dit_attr_keys(attr)[i];
	}
	attr->values = spans;
	attr->normal = spans + room;
	attr->has_room = memberships->stored == NULL;
	return 0;
}

/* A value that stays is one of the groups. */
static struct dit_attr *new_attr(const struct dit_memberships *memberships,
                                 const struct dit_ad *ad)
{
	struct dit_attr *attr = dit_entry_add(memberships->entry, ad, memberships->arena);

	return attr == NULL || make_room(memberships, attr) < 0 ? NULL : attr;
}

int dit_memberships_change(struct dit_memberships *memberships,
                           const struct dit_overlay_item *item)
{
	const struct dit_memberof_rule *rule =
		&memberships->overlays->opts.rules->memberof[item->rule];

	if (memberships->attr == NULL || memberships->attr->ad != rule->memberof) {
		memberships->attr = dit_entry_find(memberships->entry, rule->memberof);
	}
	if (memberships->attr == NULL) {
		memberships->attr = new_attr(memberships, rule->memberof);
		if (memberships->attr == NULL) {
			return -ENOMEM;
		}
		keep_values(memberships);
	} else if (memberships->stored == NULL && !memberships->attr->has_room &&
	           make_room(memberships, memberships->attr) < 0) {
		return -ENOMEM;
	}
	if (item->kind != DIT_OVERLAY_SURPLUS) {
		put(memberships->attr, item->name->pretty, item->name->norm);
	}
	memberships->last = rule;
	return 0;
}

void dit_memberships_remove(struct dit_entry *entry, const struct dit_ad *ad)
{
	struct dit_attr *attr = NULL;

	while ((attr = dit_entry_find(entry, ad)) != NULL) {
		dit_entry_remove(entry, attr);
	}
}

static int put_modifier(const struct dit_memberships *memberships)
{
	const struct dit_schema *schema = memberships->context->schema;
	const struct dit_ad *ad =
		&dit_schema_find_type(schema, DIT_SPAN("modifiersName"))->ad;
	struct dit_attr *attr = NULL;

	dit_memberships_remove(memberships->entry, ad);
	attr = new_attr(memberships, ad);
	if (attr == NULL) {
		return -ENOMEM;
	}
	put(attr, memberships->last->dn, memberships->last->dn_norm);
	return 0;
}

int dit_memberships_end(struct dit_memberships *memberships)
{
	const struct dit_overlay_rules *rules = memberships->overlays->opts.rules;
	const struct dit_memberof_rule *last = memberships->last;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = 0;

	for (size_t i = 0; i < rules->nmemberof && r == 0; i++) {
		struct dit_attr *attr =
			dit_entry_find(memberships->entry, rules->memberof[i].memberof);

		if (attr != NULL &&
		    dit_entry_is_sorted(memberships->context, attr->ad->type)) {
			attr->is_sorted = true;
			r = dit_attr_sort(attr, memberships->arena, &twice);
		}
	}
	return r < 0 || last == NULL || last->dn.data == NULL ? r
	                                                      : put_modifier(memberships);
}
