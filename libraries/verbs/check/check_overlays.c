/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overlays: do memberships, references and unique values agree? The scan that makes keys
 * takes the names; a second one asks about each entry.
 */
#include <stdio.h>

#include "base/error.h"
#include "check/check_content.h"

struct telling {
	const struct dit_check_content *content;
	const struct dit_entry_view *entry;
	const struct dit_overlay_item *item;
	char value[DIT_CHECK_SHOWN];
	char other[DIT_CHECK_SHOWN];
};

/* A mistake in the directives of an overlay matters to who asks for overlays. */
int dit_check_overlays_begin(struct dit_check_content *content)
{
	bool is_asked = content->wants_overlays;
	struct dit_overlays_opts opts = {.rules = &content->rules,
	                                 .nproducers =
	                                         dit_snapshot_nreaders(content->snapshot),
	                                 .with_memberof = true,
	                                 .with_refint = is_asked,
	                                 .with_unique = is_asked};
	int r = dit_overlay_rules_make(content->job, content->database, is_asked,
	                               &content->rules);

	if (r == DIT_E_CONFIG && !is_asked) {
		return 0;
	}
	return r < 0 || (content->rules.nmemberof == 0 &&
	                 !(is_asked && dit_overlay_rules_has(&content->rules)))
	               ? r
	               : dit_overlays_new(&content->overlays, &opts);
}

void dit_check_overlays_end(struct dit_check_content *content)
{
	dit_overlays_free(content->overlays);
	dit_overlay_rules_deinit(&content->rules);
}

/* ---- what is told ---- */

/* Is the description one that the item is about? A rule's `member` counts with all that
 * are derived from it. */
static bool is_meant(const struct telling *telling, const struct dit_ad *ad)
{
	const struct dit_overlay_rules *rules = &telling->content->rules;
	const struct dit_overlay_item *item = telling->item;

	switch (item->kind) {
	case DIT_OVERLAY_DANGLING:
		return dit_overlays_is_member(&rules->memberof[item->rule], ad);
	case DIT_OVERLAY_REFERENCE:
		return ad == rules->refint[item->rule].ad;
	case DIT_OVERLAY_TWICE:
		return ad->ordinal == item->rule;
	case DIT_OVERLAY_MEMBER:
	case DIT_OVERLAY_ALLOWED:
	case DIT_OVERLAY_MISSING:
	case DIT_OVERLAY_SURPLUS:
		break;
	}
	return ad == rules->memberof[item->rule].memberof;
}

/* The attribute and the value that the item names. */
static const struct dit_ad *find_value(struct telling *telling)
{
	const struct dit_entry_view *entry = telling->entry;
	uint32_t number = telling->item->number;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !is_meant(telling, attr->ad)) {
			continue;
		}
		if (number < attr->nvalues) {
			(void)dit_check_show(telling->value, attr->values[number]);
			return attr->ad;
		}
		number -= attr->nvalues;
	}
	return NULL;
}

static void report(struct telling *telling)
{
	static const struct {
		unsigned kind;
		const char *before; /* the value */
		const char *after;  /* and before the name of the other entry */
	} texts[] = {
		[DIT_OVERLAY_DANGLING] = {DIT_CHECK_REFERENCE_DANGLING,
	                                  "no entry is called ", ""},
		[DIT_OVERLAY_REFERENCE] = {DIT_CHECK_REFERENCE_DANGLING,
	                                   "no entry is called ", ""},
		[DIT_OVERLAY_MISSING] = {DIT_CHECK_MEMBERSHIP_MISSING,
	                                 "the entry is a member of ", ""},
		[DIT_OVERLAY_SURPLUS] = {DIT_CHECK_MEMBERSHIP_SURPLUS,
	                                 "the entry is no member of ", ""},
		[DIT_OVERLAY_TWICE] = {DIT_CHECK_VALUE_TWICE, "the value ",
	                               " is not unique: it is also that of "},
	};
	const struct dit_check_content *content = telling->content;
	enum dit_overlay_kind kind = telling->item->kind;
	const struct dit_dn_text *other =
		kind != DIT_OVERLAY_MISSING && kind != DIT_OVERLAY_TWICE
			? NULL
			: dit_overlays_name(content->overlays, telling->item->other);
	const struct dit_ad *ad =
		kind == DIT_OVERLAY_MISSING
			? content->rules.memberof[telling->item->rule].memberof
			: find_value(telling);
	struct dit_check_finding place = DIT_CHECK_PLACE("id2e");
	char dn[DIT_CHECK_DN_SHOWN];

	(void)snprintf(dn, sizeof(dn), "%.*s", DIT_SPAN_ARGS(telling->entry->dn));
	place.id = telling->entry->id;
	place.dn = dn;
	place.attribute = ad == NULL ? NULL : ad->name.data;
	dit_check_report(content->findings, texts[kind].kind, &place, "%s%s%s%s",
	                 texts[kind].before, telling->value, texts[kind].after,
	                 other == NULL ? ""
	                               : dit_check_show(telling->other, other->pretty));
}

static int tell(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	const struct dit_check_content *content = ctx;
	struct telling telling = {.content = content, .entry = entry};
	struct dit_overlay_asked asked;
	int r = dit_overlays_ask(content->overlays, range->member, entry, &asked);

	for (size_t i = 0; i < asked.n && r == 0; i++) {
		telling.item = &asked.items[i];
		telling.value[0] = '\0';
		if (telling.item->kind != DIT_OVERLAY_MEMBER &&
		    telling.item->kind != DIT_OVERLAY_ALLOWED &&
		    (telling.item->kind != DIT_OVERLAY_DANGLING ||
		     content->wants_overlays)) {
			report(&telling);
		}
	}
	return r;
}

int dit_check_overlays(struct dit_check_content *content)
{
	static const struct dit_entry_scan_ops ops = {.entry = tell,
	                                              .in_order = dit_check_pass_range};
	int r = content->overlays == NULL ? 0 : dit_overlays_join(content->overlays);

	return r < 0 || content->overlays == NULL
	               ? r
	               : dit_entry_scan_run(content->scan, &ops, content);
}
