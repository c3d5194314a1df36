/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stored entry checked. entry/entry_verify.h finds the flaws; here they get their
 * words. Errors of the tree are found elsewhere (check_tree.c), as are values in id2v
 * that belong to no entry (check_split.c).
 */
#include "check/check_content.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "build/builders.h"
#include "build/view_attrs.h"
#include "codec/entry_codec.h"
#include "entry/entry_verify.h"

#define ARENA_BYTES (16u << 10)

struct dit_check_entry {
	const struct dit_check_content *content; /* borrowed */
	const struct dit_schema *schema;
	const struct dit_ad_names *names;
	const struct dit_ad *object_class;
	struct dit_verifier *verifier;
	struct dit_arena arena; /* of one entry */
	struct dit_dn_cache dns;
	struct dit_view_attrs attrs; /* of one entry */
	char *dn;                    /* of the entry, with a NUL; owned */
	size_t dn_size;
	struct dit_check_place place; /* of the entry */
};

/* ---- flaws in words ---- */

static void find_normal(struct dit_check_entry *check, const struct dit_flaw *flaw)
{
	char stored[DIT_CHECK_SHOWN];
	char made[DIT_CHECK_SHOWN];

	if (flaw->kind == DIT_FLAW_NORMAL_REFUSED) {
		dit_check_find(check->content->findings, DIT_CHECK_VALUE_NORMAL,
		               &check->place,
		               "value #%u has the normal form \"%s\"; its rule refuses "
		               "the value",
		               flaw->value, dit_check_show(stored, flaw->stored));
		return;
	}
	dit_check_find(check->content->findings, DIT_CHECK_VALUE_NORMAL, &check->place,
	               "value #%u has the normal form \"%s\", not \"%s\"", flaw->value,
	               dit_check_show(stored, flaw->stored),
	               dit_check_show(made, flaw->made));
}

static void find_flaw(void *ctx, const struct dit_flaw *flaw)
{
	struct dit_check_entry *check = ctx;
	struct dit_check_findings *findings = check->content->findings;
	char text[DIT_CHECK_SHOWN];

	check->place.attribute = flaw->ad == NULL ? NULL : flaw->ad->name.data;
	switch (flaw->kind) {
	case DIT_FLAW_NORMAL:
	case DIT_FLAW_NORMAL_REFUSED:
		find_normal(check, flaw);
		break;
	case DIT_FLAW_NORMAL_MISSING:
		dit_check_find(findings, DIT_CHECK_VALUE_NORMAL, &check->place,
		               "the values have no normal forms");
		break;
	case DIT_FLAW_NORMAL_SURPLUS:
		dit_check_find(
			findings, DIT_CHECK_VALUE_NORMAL, &check->place,
			"the values have normal forms; the attribute's rule makes none");
		break;
	case DIT_FLAW_ORDER:
		dit_check_find(findings, DIT_CHECK_VALUE_ORDER, &check->place,
		               "value #%u is not above the one before it, and the values "
		               "are marked as sorted",
		               flaw->value);
		break;
	case DIT_FLAW_UNSORTED:
		dit_check_find(findings, DIT_CHECK_VALUE_ORDER, &check->place,
		               "the values are not sorted; sortvals names the attribute");
		break;
	case DIT_FLAW_CLASSES:
		dit_check_find(findings, DIT_CHECK_ENTRY_CLASSES, &check->place,
		               "the entry has other flags than 0x%x, which its object "
		               "classes give it",
		               flaw->flags);
		break;
	case DIT_FLAW_NAME_VALUE:
		dit_check_find(findings, DIT_CHECK_NAME_VALUE, &check->place,
		               "the entry does not have the value \"%s\" that names it",
		               dit_check_show(text, flaw->stored));
		break;
	}
	check->place.attribute = NULL;
}

/* ---- a new object ---- */

int dit_check_entry_new(struct dit_check_entry **ret,
                        const struct dit_check_content *content)
{
	struct dit_check_entry *check = calloc(1, sizeof(*check));
	const struct dit_schema *schema = content->settings->schema;
	struct dit_verifier_opts verifier = {.schema = schema,
	                                     .sorted = content->sorted,
	                                     .found = find_flaw,
	                                     .ctx = check};
	const struct dit_attr_type *type =
		dit_schema_find_type(schema, DIT_SPAN("objectClass"));
	int r = 0;

	if (check == NULL) {
		return -ENOMEM;
	}
	check->content = content;
	check->schema = schema;
	check->names = dit_entry_scan_names(content->scan);
	check->object_class = type == NULL ? NULL : &type->ad;
	dit_arena_init(&check->arena, ARENA_BYTES);
	r = dit_verifier_new(&check->verifier, &verifier);
	if (r < 0) {
		dit_check_entry_free(check);
		return r;
	}
	*ret = check;
	return 0;
}

void dit_check_entry_free(struct dit_check_entry *check)
{
	if (check != NULL) {
		dit_verifier_free(check->verifier);
		dit_dn_cache_deinit(&check->dns);
		dit_arena_deinit(&check->arena);
		free(check->attrs.attrs);
		free(check->dn);
		free(check);
	}
}

/* ---- an entry that cannot be read ---- */

/* Which attribute refers to nothing. */
static int find_unknown(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	struct dit_stored_entry stored;
	int r = dit_entry_decode(view->record, &check->arena, &stored);

	for (uint32_t i = 0; r == 0 && i < stored.nattrs; i++) {
		uint32_t number = stored.attrs[i].ad_number;
		const struct dit_ad_name *name = dit_ad_names_get(check->names, number);

		if (name == NULL) {
			dit_check_find(
				check->content->findings, DIT_CHECK_ENTRY_ATTRIBUTE,
				&check->place,
				"attribute #%u has the number %u, which is %s ad2i", i,
				number,
				dit_ad_names_is_forged(check->names, number)
					? "no attribute description in"
					: "not in");
		}
	}
	if (r == DIT_E_CORRUPT) {
		dit_check_find(check->content->findings, DIT_CHECK_ENTRY_RECORD,
		               &check->place,
		               "the record of %zu bytes contradicts its format",
		               view->record.len);
		r = 0;
	}
	return r;
}

/* ---- an entry that can ---- */

static int verify_attrs(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	uint32_t known = 0;
	int r = 0;

	for (uint32_t i = 0; i < view->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &view->attrs[i];

		if (attr->nvalues == 0) {
			check->place.attribute =
				attr->ad == NULL ? NULL : attr->ad->name.data;
			if (attr->is_split) {
				dit_check_find(check->content->findings,
				               DIT_CHECK_SPLIT_MISSING, &check->place,
				               "the values are not in the entry, and "
				               "there are none in id2v");
			} else {
				dit_check_find(check->content->findings,
				               DIT_CHECK_ENTRY_ATTRIBUTE, &check->place,
				               "attribute #%u has no values", i);
			}
			check->place.attribute = NULL;
		}
		if (attr->ad != NULL) {
			r = dit_verify_attr(check->verifier, &check->attrs.attrs[known++],
			                    !attr->is_split);
			/* DNs within DNs within DNs: not to be told. */
			r = r == DIT_E_UNSUPPORTED ? 0 : r;
		}
	}
	return r;
}

static void find_bad_name(struct dit_check_entry *check)
{
	dit_check_find(check->content->findings, DIT_CHECK_NAME_NORMAL, &check->place,
	               "the name is no DN that slapd accepts");
}

/* The name as it is stored, its normal form, and the values in it. */
static int verify_name(struct dit_check_entry *check, const struct dit_entry_view *view,
                       struct dit_entry *entry)
{
	int r = dit_dn_parse(check->schema, view->dn, &check->arena, &check->dns,
	                     &entry->dn);

	if (r == DIT_E_INVALID) {
		find_bad_name(check);
		return 0;
	}
	if (r == 0 && !dit_span_eq(entry->dn.norm, view->norm_dn)) {
		char stored[DIT_CHECK_SHOWN];
		char made[DIT_CHECK_SHOWN];

		dit_check_find(check->content->findings, DIT_CHECK_NAME_NORMAL,
		               &check->place,
		               "the name has the normal form \"%s\", not \"%s\"",
		               dit_check_show(stored, view->norm_dn),
		               dit_check_show(made, entry->dn.norm));
	}
	if (r == 0 && !view->is_hole) {
		r = dit_verify_names(check->verifier, entry);
	}
	return r == DIT_E_UNSUPPORTED ? 0 : r;
}

static const struct dit_attr *find_classes(const struct dit_check_entry *check,
                                           const struct dit_entry *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (entry->attrs[i].ad == check->object_class) {
			return &entry->attrs[i];
		}
	}
	return NULL;
}

/* slapadd sets the flags before it adds a class that names the entry. */
static bool is_named_by_class(const struct dit_check_entry *check,
                              const struct dit_entry *entry)
{
	for (unsigned i = 0; i < entry->dn.navas; i++) {
		if (&entry->dn.avas[i].type->ad == check->object_class) {
			return true;
		}
	}
	return false;
}

static int verify(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	struct dit_entry entry = {.oc_flags = view->oc_flags};
	int r = dit_view_attrs_take(&check->attrs, view, &entry);

	if (r == 0 && !view->is_hole) {
		r = verify_attrs(check, view);
	}
	if (r == 0 && view->name_error == 0 && view->id != 0) {
		r = verify_name(check, view, &entry);
	}
	if (r == 0 && view->name_error == DIT_E_TOOLONG) {
		find_bad_name(check);
	}
	if (r == 0 && !view->is_hole && !is_named_by_class(check, &entry)) {
		r = dit_verify_classes(check->verifier, find_classes(check, &entry),
		                       view->oc_flags);
	}
	return r;
}

/* ---- any entry ---- */

static int set_place(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	char *dn = dit_grow(check->dn, &check->dn_size, view->dn.len + 1, 1);

	if (dn == NULL) {
		return -ENOMEM;
	}
	check->dn = dn;
	if (view->dn.len > 0) {
		memcpy(dn, view->dn.data, view->dn.len);
	}
	dn[view->dn.len] = '\0';
	check->place = (struct dit_check_place)DIT_CHECK_PLACE("id2e");
	check->place.id = view->id;
	check->place.dn = view->name_error == 0 ? dn : NULL;
	return 0;
}

int dit_check_entry(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	int r = set_place(check, view);

	if (r < 0) {
		return r;
	}
	if (view->id > DIT_BUILDERS_ID_MAX) {
		dit_check_find(check->content->findings, DIT_CHECK_ENTRY_ID,
		               &check->place,
		               "the ID is above %u; its index keys are not compared",
		               DIT_BUILDERS_ID_MAX);
	}
	dit_arena_reset(&check->arena);
	return view->record_error != 0 ? find_unknown(check, view) : verify(check, view);
}
