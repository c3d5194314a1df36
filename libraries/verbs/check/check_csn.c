/* SPDX-License-Identifier: BSD-2-Clause */
/* contextCSN and the entryCSN of all entries: noted by members, then compared. */
#include "check/check_content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/value.h"

int dit_check_csn_init(struct dit_check_csn *csn, struct dit_check_content *content)
{
	struct dit_schema *schema = content->settings->schema;
	int r = dit_ad_find(schema, NULL, DIT_SPAN("entryCSN"), &csn->entry_csn, NULL);

	csn->content = content;
	return r < 0 ? r
	             : dit_ad_find(schema, NULL, DIT_SPAN("contextCSN"),
	                           &csn->context_csn, NULL);
}

static const struct dit_span *values_of(const struct dit_attr_view *attr)
{
	return attr->normal != NULL ? attr->normal : attr->values;
}

static int take_all(struct dit_csn_list *list, const struct dit_attr_view *attr,
                    uint64_t id)
{
	const struct dit_span *values = values_of(attr);
	int r = 0;

	for (uint32_t i = 0; i < attr->nvalues && r >= 0; i++) {
		r = dit_csn_list_take(list, values[i], id);
	}
	return r < 0 ? r : 0;
}

/* A value that is no CSN. */
static int look_at_format(struct dit_check_content *content,
                          const struct dit_attr_view *attr)
{
	struct dit_check_context *context = &content->context;
	const struct dit_span *values = values_of(attr);
	char text[DIT_CHECK_SHOWN];

	for (uint32_t i = 0; i < attr->nvalues && context->bad == NULL; i++) {
		if (dit_value_validate(content->settings->schema, DIT_VALID_CSN,
		                       values[i]) < 0) {
			context->bad = strdup(dit_check_show(text, values[i]));
			return context->bad == NULL ? -ENOMEM : 0;
		}
	}
	return 0;
}

/* The values stand in the suffix entry, or in cn=ldapsync right below it. */
static int take_context(struct dit_check_content *content,
                        const struct dit_entry_view *entry,
                        const struct dit_attr_view *attr)
{
	struct dit_check_context *context = &content->context;
	int r = 0;

	free(context->dn);
	context->id = entry->id;
	context->dn =
		entry->dn.len == 0 ? strdup("") : strndup(entry->dn.data, entry->dn.len);
	if (context->dn == NULL) {
		return -ENOMEM;
	}
	r = look_at_format(content, attr);
	return r < 0 ? r : take_all(&context->csns, attr, entry->id);
}

int dit_check_csn_note(struct dit_check_csn *csn, const struct dit_entry_view *entry)
{
	int r = 0;

	csn->nids++;
	csn->last_id = entry->id > csn->last_id ? entry->id : csn->last_id;
	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == csn->entry_csn) {
			r = take_all(&csn->entries, attr, entry->id);
		} else if (attr->ad == csn->context_csn && attr->nvalues > 0) {
			dit_monitor_enter(&csn->content->monitor);
			r = take_context(csn->content, entry, attr);
			dit_monitor_leave(&csn->content->monitor);
		}
	}
	return r;
}

static struct dit_span text_of(const struct dit_csn *csn)
{
	return (struct dit_span){csn->text, csn->len};
}

int dit_check_csn_merge(struct dit_check_csn *into, const struct dit_check_csn *from)
{
	int r = 0;

	for (size_t i = 0; i < from->entries.n && r >= 0; i++) {
		const struct dit_csn *csn = &from->entries.list[i];

		r = dit_csn_list_take(&into->entries, text_of(csn), csn->id);
	}
	into->nids += from->nids;
	into->last_id = from->last_id > into->last_id ? from->last_id : into->last_id;
	return r < 0 ? r : 0;
}

/* The highest one of all servers; NULL: there is none. */
static const struct dit_csn *newest_of(const struct dit_csn_list *list)
{
	const struct dit_csn *newest = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (newest == NULL ||
		    dit_csn_compare(text_of(&list->list[i]), newest) > 0) {
			newest = &list->list[i];
		}
	}
	return newest;
}

/* Without a removed entry the newest change is that of an entry. */
static void look_at_newest(const struct dit_check_csn *all,
                           const struct dit_check_finding *place)
{
	const struct dit_csn *context = newest_of(&all->content->context.csns);
	const struct dit_csn *entry = newest_of(&all->entries);

	if (context != NULL && entry != NULL && all->nids == all->last_id &&
	    dit_csn_compare(text_of(context), entry) > 0) {
		dit_check_report(
			all->content->findings, DIT_CHECK_CONTEXT_CSN, place,
			"%.*s is newer than %.*s, the newest entryCSN, and no ID "
			"is missing",
			(int)context->len, context->text, (int)entry->len, entry->text);
	}
}

void dit_check_csn_end(const struct dit_check_csn *all)
{
	const struct dit_check_context *context = &all->content->context;
	struct dit_check_findings *findings = all->content->findings;
	struct dit_check_finding place = DIT_CHECK_PLACE("id2e");

	place.attribute = "contextCSN";
	place.dn = context->dn;
	place.id = context->id;
	if (context->bad != NULL) {
		dit_check_report(findings, DIT_CHECK_CSN_FORMAT, &place,
		                 "\"%s\" is no change sequence number", context->bad);
	}
	for (size_t i = 0; i < context->csns.n; i++) {
		const struct dit_csn *csn = &context->csns.list[i];
		const struct dit_csn *entry = dit_csn_list_find(&all->entries, csn->sid);

		if (entry != NULL && dit_csn_compare(text_of(csn), entry) < 0) {
			dit_check_report(findings, DIT_CHECK_CONTEXT_CSN, &place,
			                 "%.*s is older than %.*s, the entryCSN of the "
			                 "entry with ID %lu",
			                 (int)csn->len, csn->text, (int)entry->len,
			                 entry->text, entry->id);
		}
	}
	look_at_newest(all, &place);
}
