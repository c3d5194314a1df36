/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overlays: do memberships, references and unique values agree, and which lists are
 * there? The scan that makes keys takes the names; a second one asks about each entry.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/check_content.h"

static struct dit_check_dynlist *make_dynlists(const struct dit_overlay_rules *rules)
{
	struct dit_check_dynlist *lists = calloc(rules->ndynlist + 1, sizeof(*lists));

	for (size_t i = 0; lists != NULL && i < rules->ndynlist; i++) {
		lists[i].group = rules->dynlist[i].group->name;
		lists[i].attribute = rules->dynlist[i].url->name.data;
	}
	return lists;
}

/* A mistake in the directives of an overlay matters to who asks for overlays. */
int dit_check_overlays_begin(struct dit_check_content *content)
{
	bool is_asked = content->wants_overlays;
	struct dit_overlays_opts opts = {.rules = &content->rules,
	                                 .nproducers = content->snapshot->nreaders};
	int r = dit_overlay_rules_make(content->job, content->database, is_asked,
	                               &content->rules);

	if (r == DIT_E_CONFIG && !is_asked) {
		return 0;
	}
	content->dynlists = make_dynlists(&content->rules);
	content->ndynlists = content->rules.ndynlist;
	r = r < 0 || content->dynlists != NULL ? r : -ENOMEM;
	return r < 0 || !dit_overlay_rules_has(&content->rules)
	               ? r
	               : dit_overlays_new(&content->overlays, &opts);
}

/* ---- what is told ---- */

/* How a finding of a kind is told. */
static const struct {
	unsigned kind;
	const char *before; /* the value */
	const char *after;  /* and before the name of the other entry */
} texts[] = {
	[DIT_OVERLAY_DANGLING] = {DIT_CHECK_REFERENCE_DANGLING, "no entry is called ",
                                  ""},
	[DIT_OVERLAY_REFERENCE] = {DIT_CHECK_REFERENCE_DANGLING, "no entry is called ",
                                   ""},
	[DIT_OVERLAY_MISSING] = {DIT_CHECK_MEMBERSHIP_MISSING,
                                 "the entry is a member of ", ""},
	[DIT_OVERLAY_SURPLUS] = {DIT_CHECK_MEMBERSHIP_SURPLUS,
                                 "the entry is no member of ", ""},
	[DIT_OVERLAY_TWICE] = {DIT_CHECK_VALUE_TWICE, "the value ",
                               " is not unique: it is also that of "},
	[DIT_OVERLAY_NO_URL] = {DIT_CHECK_URL_IGNORED, "the overlay dynlist ignores ",
                                ""},
};

static void report(const struct dit_check_content *content,
                   const struct dit_entry_view *entry,
                   const struct dit_overlay_item *item)
{
	const struct dit_attr_view *attr = &entry->attrs[item->block];
	bool is_missing = item->kind == DIT_OVERLAY_MISSING;
	const struct dit_ad *ad =
		is_missing ? content->rules.memberof[item->rule].memberof : attr->ad;
	struct dit_check_finding place = DIT_CHECK_PLACE("id2e");
	char value_shown[DIT_CHECK_SHOWN];
	char other_shown[DIT_CHECK_SHOWN];
	char dn[DIT_CHECK_DN_SHOWN];

	(void)snprintf(dn, sizeof(dn), "%.*s", DIT_SPAN_ARGS(entry->dn));
	place.id = entry->id;
	place.dn = dn;
	place.attribute = ad->name.data;
	dit_check_report(
		content->findings, texts[item->kind].kind, &place, "%s%s%s%s",
		texts[item->kind].before,
		is_missing ? "" : dit_check_show(value_shown, attr->values[item->number]),
		texts[item->kind].after,
		item->name == NULL ? ""
				   : dit_check_show(other_shown, item->name->pretty));
}

static void count(struct dit_check_content *content, const struct dit_overlay_item *item)
{
	struct dit_check_dynlist *one = &content->dynlists[item->rule];

	dit_monitor_enter(&content->monitor);
	one->nentries += item->kind == DIT_OVERLAY_LIST;
	one->nurls += item->kind != DIT_OVERLAY_LIST;
	one->nignored += item->kind == DIT_OVERLAY_NO_URL;
	dit_monitor_leave(&content->monitor);
}

static int tell(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	struct dit_check_content *content = ctx;
	struct dit_overlay_asked asked;
	int r = dit_overlays_ask(content->overlays, range->member, entry, &asked);

	for (size_t i = 0; i < asked.n && r == 0; i++) {
		enum dit_overlay_kind kind = asked.items[i].kind;

		if (texts[kind].before != NULL &&
		    (kind != DIT_OVERLAY_DANGLING || content->wants_overlays)) {
			report(content, entry, &asked.items[i]);
		}
		if (kind >= DIT_OVERLAY_LIST) {
			count(content, &asked.items[i]);
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
