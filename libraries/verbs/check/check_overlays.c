/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overlays: do memberships, references and unique values agree? The entries are taken by
 * the scan that makes keys, and main tells what is left over.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/check_content.h"
#include "reader/entry_reader.h"

struct telling {
	struct dit_check_content *content;
	struct dit_entry_reader *entries;
	const struct dit_overlay_item *item;
	char value[DIT_CHECK_SHOWN];
	char other[DIT_CHECK_SHOWN];
};

/* A mistake in the directives of an overlay matters to who asks for overlays. */
int dit_check_overlays_begin(struct dit_check_content *content)
{
	bool is_asked = content->wants_overlays;
	struct dit_overlays_opts opts = {
		.rules = &content->rules,
		.nproducers = dit_snapshot_nreaders(content->snapshot),
		.memory_bytes = (size_t)content->memory_bytes / 8,
		.shared = dit_job_shared(content->job, content->seal),
		.with_memberof = true,
		.with_refint = is_asked,
		.with_unique = is_asked};
	int r = dit_overlay_rules_make(content->job, content->database, &content->rules);

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
	case DIT_OVERLAY_MISSING:
	case DIT_OVERLAY_SURPLUS:
		break;
	}
	return ad == rules->memberof[item->rule].memberof;
}

/* The value that the item names; of an entry that was read before. @return its
 * attribute; NULL: it cannot be found */
static const struct dit_ad *find_value(struct telling *telling,
                                       const struct dit_entry_view *entry)
{
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

static const char *show_other(struct telling *telling)
{
	struct dit_dn_text dn;
	int r = telling->item->other == 0 ? DIT_E_UNKNOWN
	                                  : dit_dn_reader_get(telling->content->dns,
	                                                      telling->item->other, &dn);

	return r < 0 ? "an entry without a name"
	             : dit_check_show(telling->other, dn.pretty);
}

/* @param ad  that the finding is about; NULL: as a damaged entry may have it */
static void report(struct telling *telling, const struct dit_ad *ad)
{
	static const struct {
		unsigned kind;
		const char *before; /* the value */
		const char *after;
		bool has_other; /* and the name of the other entry at the end */
	} texts[] = {
		[DIT_OVERLAY_DANGLING] = {DIT_CHECK_REFERENCE_DANGLING,
	                                  "no entry is called ", "", false},
		[DIT_OVERLAY_REFERENCE] = {DIT_CHECK_REFERENCE_DANGLING,
	                                   "no entry is called ", "", false},
		[DIT_OVERLAY_MISSING] = {DIT_CHECK_MEMBERSHIP_MISSING,
	                                 "the entry is a member of ", "", true},
		[DIT_OVERLAY_SURPLUS] = {DIT_CHECK_MEMBERSHIP_SURPLUS,
	                                 "the entry is no member of ", "", false},
		[DIT_OVERLAY_TWICE] = {DIT_CHECK_VALUE_TWICE, "the value ",
	                               " is not unique: it is also that of ", true},
	};
	struct dit_check_content *content = telling->content;
	enum dit_overlay_kind kind = telling->item->kind;
	const char *other = texts[kind].has_other ? show_other(telling) : "";
	struct dit_check_finding place =
		dit_check_entry_place(content, "id2e", telling->item->id);

	place.attribute = ad == NULL ? NULL : ad->name.data;
	dit_check_report(content->findings, texts[kind].kind, &place, "%s%s%s%s",
	                 texts[kind].before,
	                 kind == DIT_OVERLAY_MISSING ? "" : telling->value,
	                 texts[kind].after, other);
}

static int tell(struct telling *telling)
{
	const struct dit_overlay_item *item = telling->item;
	const struct dit_overlay_rules *rules = &telling->content->rules;
	struct dit_entry_view entry;
	int r = 0;

	if (item->kind == DIT_OVERLAY_MEMBER ||
	    (item->kind == DIT_OVERLAY_DANGLING && !telling->content->wants_overlays)) {
		return 0;
	}
	if (item->kind == DIT_OVERLAY_MISSING) {
		report(telling, rules->memberof[item->rule].memberof);
		return 0;
	}
	r = dit_entry_reader_seek(telling->entries, item->id, &entry);
	if (r > 0) {
		telling->value[0] = '\0';
		report(telling, find_value(telling, &entry));
	}
	return r < 0 ? r : 0;
}

int dit_check_overlays(struct dit_check_content *content)
{
	const struct dit_entry_reader_opts opts = {
		.snapshot = content->snapshot,
		.names = dit_entry_scan_names(content->scan),
		.without_dn = true};
	struct dit_overlay_item item;
	struct telling telling = {.content = content, .item = &item};
	int r = content->overlays == NULL ? 0 : dit_overlays_join(content->overlays);

	if (r < 0 || content->overlays == NULL) {
		return r;
	}
	r = dit_entry_reader_new(&telling.entries, &opts);
	while (r == 0 && (r = dit_overlays_next(content->overlays, &item)) > 0) {
		r = dit_stop_is_set(content->stop) ? DIT_E_STOPPED : tell(&telling);
	}
	dit_entry_reader_free(telling.entries);
	return r;
}
