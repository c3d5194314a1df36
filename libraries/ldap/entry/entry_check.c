/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of one entry: its parts in slapd's order (values.md 7). */
#include "entry/entry_work.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

/* slapd formats refusals into a buffer of 256 bytes; longer texts are cut. */
#define TEXT_MAX 255

/* slapd writes this to its log before slapadd's own line, with the DN in the middle. */
static const struct {
	const char *before;
	const char *after;
} log_lines[] = {
	[DIT_NOTE_COMMA] = {"Entry (", "), "},
	[DIT_NOTE_COLON] = {"Entry (", "): "},
	[DIT_NOTE_CHECKED] = {"entry_check_schema(", "): "},
	[DIT_NOTE_CHECKED_ONLY] = {"entry_check_schema(", "): "},
};

int dit_check_refuse_as(struct dit_entry_check *check, struct dit_why why,
                        const char *text, enum dit_refusal_note note)
{
	char *filled = dit_why_fill(&why, text, check->arena);

	if (filled == NULL) {
		return -ENOMEM;
	}
	if (strlen(filled) > TEXT_MAX) {
		filled[TEXT_MAX] = '\0';
	}
	if (note != DIT_NOTE_NONE) {
		dit_notes_add(check->notes, DIT_REPORT_DIAGNOSTIC, "%s%.*s%s%s",
		              log_lines[note].before,
		              DIT_SPAN_ARGS(check->entry->dn.pretty),
		              log_lines[note].after, filled);
	}
	why.text =
		note == DIT_NOTE_CHECKED_ONLY || check->loses_texts ? "(null)" : filled;
	return dit_why_set(check->notes, why) < 0 ? -ENOMEM : DIT_E_INVALID;
}

int dit_check_refuse(struct dit_entry_check *check, struct dit_why why)
{
	const struct dit_refusal *refusal = &dit_refusals[why.kind];

	return dit_check_refuse_as(check, why, refusal->text, refusal->note);
}

int dit_check_refuse_attr(struct dit_entry_check *check, enum dit_why_kind kind,
                          const struct dit_ad *ad, const char *detail)
{
	return dit_check_refuse(check, dit_why_attr(kind, ad, detail));
}

/* ---- each attribute on its own (values.md 7.2 A and G) ---- */

/* Bits of a type that any of these checks looks at; most types have none. */
#define PLACE_FLAGS                                                                      \
 (DIT_TYPE_ROOTDSE_ONLY | DIT_TYPE_ALIAS_ONLY | DIT_TYPE_REFERRAL_ONLY |                 \
  DIT_TYPE_SUBENTRY_ONLY | DIT_TYPE_DYNAMIC_ONLY | DIT_TYPE_ADMIN_ROLE |                 \
  DIT_TYPE_COLLECTIVE)

/* The class that an entry needs to have attributes with a flag. */
static const struct {
	unsigned type_flag;
	unsigned oc_flag;
	const char *place;
} places[] = {
	{DIT_TYPE_ALIAS_ONLY, DIT_OC_ALIAS, "the alias"},
	{DIT_TYPE_REFERRAL_ONLY, DIT_OC_REFERRAL, "the referral"},
	{DIT_TYPE_SUBENTRY_ONLY, DIT_OC_SUBENTRY, "the subentry"},
	{DIT_TYPE_DYNAMIC_ONLY, DIT_OC_DYNAMIC, "dynamic object"},
};

static int check_place(struct dit_entry_check *check, const struct dit_ad *ad)
{
	unsigned flags = ad->type->flags;

	if ((flags & DIT_TYPE_ADMIN_ROLE) != 0) {
		return dit_check_refuse_attr(check, DIT_WHY_UNSUPPORTED, ad, "");
	}
	if ((flags & DIT_TYPE_ROOTDSE_ONLY) != 0 && check->entry->dn.nrdns > 0) {
		return dit_check_refuse_attr(check, DIT_WHY_ROOT_DSE, ad, "");
	}
	if ((flags & DIT_TYPE_DYNAMIC_ONLY) != 0 && !check->context->allow_dynamic) {
		return dit_check_refuse_attr(check, DIT_WHY_DYNAMIC, ad, "");
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if ((flags & places[i].type_flag) != 0 &&
		    (check->entry->oc_flags & places[i].oc_flag) == 0) {
			return dit_check_refuse_attr(check, DIT_WHY_PLACE, ad,
			                             places[i].place);
		}
	}
	/* Subentries for collective attributes do not exist in standard builds. */
	if ((flags & DIT_TYPE_COLLECTIVE) != 0 &&
	    (check->entry->oc_flags & DIT_OC_COLLECTIVE) == 0) {
		return dit_check_refuse_attr(check, DIT_WHY_COLLECTIVE, ad, "");
	}
	return 0;
}

static int check_attr_places(struct dit_entry_check *check)
{
	int r = 0;

	for (uint32_t i = 0; i < check->entry->nattrs && r == 0; i++) {
		const struct dit_attr *attr = &check->entry->attrs[i];
		unsigned flags = attr->ad->type->flags;

		if ((flags & PLACE_FLAGS) != 0) {
			r = check_place(check, attr->ad);
		}
		if (r == 0 && (flags & DIT_TYPE_SINGLE) != 0 && attr->nvalues > 1) {
			r = dit_check_refuse_attr(check, DIT_WHY_SINGLE, attr->ad, "");
		}
	}
	return r;
}

static int check_attrs_allowed(struct dit_entry_check *check)
{
	if (check->set->is_extensible) {
		return 0;
	}
	for (uint32_t i = 0; i < check->entry->nattrs; i++) {
		const struct dit_ad *ad = check->entry->attrs[i].ad;

		if (ad->type->usage == DIT_USAGE_USER &&
		    !dit_class_set_allows(check->set, ad->type)) {
			return dit_check_refuse_attr(check, DIT_WHY_NOT_ALLOWED, ad, "");
		}
	}
	return 0;
}

/* ---- all checks ---- */

/* Before every check; what all of them need is looked up at the first one. 0; -ENOMEM */
static int begin(struct dit_entry_check *check, const struct dit_entry_context *context,
                 struct dit_entry_caches *caches, struct dit_notes *notes)
{
	static const struct dit_span object_class = DIT_SPAN("objectClass");
	static const struct dit_span structural_class = DIT_SPAN("structuralObjectClass");
	const struct dit_schema *schema = context->schema;
	struct dit_entry_work *work = caches->work;

	check->context = context;
	check->work = work;
	check->arena = notes->arena;
	check->notes = notes;
	if (work->seen == NULL) {
		work->seen = calloc(dit_schema_ntypes(schema), sizeof(*work->seen));
		if (work->seen == NULL) {
			return -ENOMEM;
		}
		work->object_class = &dit_schema_find_type(schema, object_class)->ad;
		work->structural_class =
			&dit_schema_find_type(schema, structural_class)->ad;
		work->top = dit_schema_find_class(schema, DIT_SPAN("top"));
	}
	work->check++;
	if (work->check == 0) {
		memset(work->seen, 0, dit_schema_ntypes(schema) * sizeof(*work->seen));
		work->check = 1;
	}
	return 0;
}

static int find_set(struct dit_entry_check *check, const struct dit_attr *attr)
{
	return dit_class_sets_find(&check->work->classes, check->context->schema,
	                           attr->values, attr->nvalues, &check->set);
}

/*
 * Note which types are there, and find the object classes: the flags come from the first
 * block (storage.md 4.5), everything else from the last (values.md 2.2). There are two
 * with -q only, if the lines are not together.
 */
static int survey(struct dit_entry_check *check)
{
	struct dit_entry *entry = check->entry;
	const struct dit_attr *first = NULL;
	const struct dit_attr *last = NULL;
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		dit_check_see(check, attr->ad->type);
		if (attr->ad == check->work->object_class) {
			first = first == NULL ? attr : first;
			last = attr;
		} else if (attr->ad == check->work->structural_class) {
			check->structural = attr->values;
		}
	}
	entry->oc_flags = DIT_OC_COMPUTED;
	if (first == NULL) {
		return 0;
	}
	check->classes = last->values;
	r = find_set(check, first);
	if (r < 0) {
		return r;
	}
	entry->oc_flags = check->set->oc_flags;
	return last == first ? 0 : find_set(check, last);
}

/* From 2.7 on before all other checks, of glue entries too, and without a text. */
static int check_names_first(struct dit_entry_check *check)
{
	int r = 0;

	if (dit_entry_find(check->entry, check->work->object_class) == NULL) {
		return 0; /* that is told instead */
	}
	check->loses_texts = true;
	r = dit_check_names(check);
	check->loses_texts = false;
	return r;
}

static int check_schema(struct dit_entry_check *check)
{
	/* In slapd's order: the first that refuses is told. */
	static int (*const checks[])(struct dit_entry_check * check) = {
		check_attr_places, dit_check_structural, dit_check_names,
		dit_check_classes, check_attrs_allowed,
	};

	int r = 0;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && r == 0; i++) {
		/* Else they are done, and some values would not be found again. */
		if (checks[i] != dit_check_names || !check->context->names_first) {
			r = checks[i](check);
		}
	}
	return r;
}

int dit_entry_check_values(const struct dit_entry_context *context,
                           struct dit_entry_caches *caches, struct dit_entry *entry,
                           struct dit_notes *notes)
{
	struct dit_entry_check check = {.entry = entry};
	int r = begin(&check, context, caches, notes);

	return r ?: dit_check_values(&check);
}

int dit_entry_check(const struct dit_entry_context *context,
                    struct dit_entry_caches *caches, struct dit_entry *entry,
                    struct dit_notes *notes)
{
	struct dit_entry_check check = {.entry = entry};
	int r = begin(&check, context, caches, notes);

	if (r == 0 && context->names_first && context->check_schema) {
		r = check_names_first(&check);
	}
	r = r ?: survey(&check);
	if (r < 0) {
		return r;
	}
	if (check.classes == NULL) {
		return dit_check_refuse(&check, (struct dit_why){.kind = DIT_WHY_NO_CLASS,
		                                                 .place = DIT_WHY_AT_DN});
	}
	if (context->check_schema) {
		r = check_schema(&check);
	}
	if (r == 0 && context->check_values) {
		r = dit_check_values(&check);
	}
	return r;
}
