/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stored entry checked: is it what the schema makes of its values? Each normal form,
 * order and flag is made again. slapadd may leave these out: normal forms of
 * attributes that slapd makes itself, and of an attribute with a value that its rule
 * refuses. Errors of the tree are found elsewhere (check_tree.c), as are values in id2v
 * that belong to no entry (check_split.c).
 */
#include "check/check_content.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "codec/entry_codec.h"
#include "entry/entry.h"
#include "indexing/stored_keys.h"
#include "values/value.h"
#include "values/value_order.h"

#define ARENA_BYTES (16u << 10)

struct dit_check_entry {
	const struct dit_check_content *content; /* borrowed */
	const struct dit_schema *schema;
	const struct dit_ad_names *names;
	const struct dit_ad *object_class;
	struct dit_arena arena; /* of one entry */
	struct dit_dn_cache dns;
	struct dit_view_attrs attrs; /* of one entry */
	char *dn;                    /* of the entry, with a NUL; owned */
	size_t dn_size;
	struct dit_check_finding place; /* of the entry */
};

#define FIND(check, kind, ...)                                                           \
 dit_check_report((check)->content->findings, (kind), &(check)->place, __VA_ARGS__)

/* ---- a new object ---- */

int dit_check_entry_new(struct dit_check_entry **ret,
                        const struct dit_check_content *content)
{
	struct dit_check_entry *check = calloc(1, sizeof(*check));
	const struct dit_schema *schema = content->settings->schema;
	const struct dit_attr_type *type =
		dit_schema_find_type(schema, DIT_SPAN("objectClass"));

	if (check == NULL) {
		return -ENOMEM;
	}
	check->content = content;
	check->schema = schema;
	check->names = dit_entry_scan_names(content->scan);
	check->object_class = type == NULL ? NULL : &type->ad;
	dit_arena_init(&check->arena, ARENA_BYTES);
	*ret = check;
	return 0;
}

void dit_check_entry_free(struct dit_check_entry *check)
{
	if (check != NULL) {
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
			FIND(check, DIT_CHECK_ENTRY_ATTRIBUTE,
			     "attribute #%u has the number %u, which is %s ad2i", i,
			     number,
			     dit_ad_names_is_forged(check->names, number)
			             ? "no attribute description in"
			             : "not in");
		}
	}
	if (r == DIT_E_CORRUPT) {
		FIND(check, DIT_CHECK_ENTRY_RECORD,
		     "the record of %zu bytes contradicts its format", view->record.len);
		r = 0;
	}
	return r;
}

/* ---- values ---- */

/* 1: @p ret is the normal form; 0: the rule refuses the value; errors. */
static int normal_of(struct dit_check_entry *check, const struct dit_ad *ad,
                     struct dit_span value, struct dit_span *ret)
{
	int r = dit_attr_normalize(check->schema, ad->type, value, &check->arena, ret);

	return r == DIT_E_INVALID || r == DIT_E_UNKNOWN ? 0 : r < 0 ? r : 1;
}

/*
 * A naming value of an X-ORDERED type has the normal form that it has in the DN, where
 * "{3}" is no place.
 */
static int match_normal_in_dn(struct dit_check_entry *check, const struct dit_attr *attr,
                              uint32_t i)
{
	const struct dit_attr_type *type = attr->ad->type;
	struct dit_span normal;
	int r = 0;

	if (dit_attr_order_prefix(type, attr->values[i]) == 0) {
		return 0;
	}
	r = dit_value_normalize(check->schema, type->equality->normalizer,
	                        attr->values[i], &check->arena, &normal);
	return r == 0 ? dit_span_eq(normal, attr->normal[i])
	       : r == DIT_E_INVALID || r == DIT_E_UNKNOWN ? 0
	                                                  : r;
}

/* A value that came as " {2}b" is "{0} {2}b" now. slapd has taken the first number of its
 * normal form "{2}b" for the value's place, and put another one there. */
static bool is_numbered(const struct dit_attr *attr, uint32_t i, struct dit_span normal)
{
	struct dit_span stored = attr->normal[i];
	struct dit_span text;
	size_t n = dit_attr_order_prefix(attr->ad->type, attr->values[i]);

	if (n == 0 || stored.len < n || memcmp(stored.data, normal.data, n) != 0) {
		return false;
	}
	dit_cut(&normal, n);
	dit_cut(&stored, n);
	return normal.len > 0 && normal.data[0] == '{' &&
	       dit_cut_until(&normal, '}', &text) && dit_span_eq(normal, stored);
}

static int verify_normal(struct dit_check_entry *check, const struct dit_attr *attr,
                         uint32_t i)
{
	struct dit_span normal;
	char stored[DIT_CHECK_SHOWN];
	char made[DIT_CHECK_SHOWN];
	int r = normal_of(check, attr->ad, attr->values[i], &normal);

	if (r == 0) {
		FIND(check, DIT_CHECK_VALUE_NORMAL,
		     "value #%u has the normal form \"%s\"; its rule refuses the value",
		     i, dit_check_show(stored, attr->normal[i]));
		return 0;
	}
	if (r < 0 || dit_span_eq(normal, attr->normal[i])) {
		return r < 0 ? r : 0;
	}
	r = is_numbered(attr, i, normal) ? 1 : match_normal_in_dn(check, attr, i);
	if (r == 0) {
		FIND(check, DIT_CHECK_VALUE_NORMAL,
		     "value #%u has the normal form \"%s\", not \"%s\"", i,
		     dit_check_show(stored, attr->normal[i]),
		     dit_check_show(made, normal));
	}
	return r < 0 ? r : 0;
}

/* The rule makes none. The overlay dds repeats the value of entryTtl. */
static void find_surplus_normal(struct dit_check_entry *check,
                                const struct dit_attr *attr)
{
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		if (!dit_span_eq(attr->normal[i], attr->values[i])) {
			FIND(check, DIT_CHECK_VALUE_NORMAL,
			     "value #%u has a normal form; the attribute's "
			     "rule makes none",
			     i);
		}
	}
}

static int verify_normals(struct dit_check_entry *check, const struct dit_attr *attr)
{
	int r = 0;

	if (!dit_attr_has_normal(attr->ad->type)) {
		find_surplus_normal(check, attr);
		return 0;
	}
	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		r = verify_normal(check, attr, i);
	}
	return r;
}

/*
 * A naming value that its rule refuses takes the normal forms of the other values with it
 * (entry_check_names.c), and slapd stores none for what it generates. Where all values
 * are their own normal forms, none is missed.
 */
static int verify_absence(struct dit_check_entry *check, const struct dit_attr *attr)
{
	bool is_missed = false;
	int r = 1;

	if (!dit_attr_has_normal(attr->ad->type) ||
	    attr->ad->type->usage != DIT_USAGE_USER) {
		return 0;
	}
	for (uint32_t i = 0; i < attr->nvalues && r == 1; i++) {
		struct dit_span normal;

		r = normal_of(check, attr->ad, attr->values[i], &normal);
		is_missed =
			is_missed || (r == 1 && !dit_span_eq(normal, attr->values[i]));
	}
	if (r == 1 && is_missed) {
		FIND(check, DIT_CHECK_VALUE_NORMAL, "the values have no normal forms");
	}
	return r < 0 ? r : 0;
}

static void verify_order(struct dit_check_entry *check, const struct dit_attr *attr)
{
	const struct dit_attr_type *type = attr->ad->type;
	const struct dit_span *keys = dit_attr_keys(attr);
	dit_value_order_fn order = dit_value_order(type);
	const uint64_t *sorted = check->content->sorted;

	for (uint32_t i = 1; attr->is_sorted && i < attr->nvalues; i++) {
		if (order(keys[i - 1], keys[i]) >= 0) {
			FIND(check, DIT_CHECK_VALUE_ORDER,
			     "value #%u is not above the one before it, and "
			     "the values are marked as sorted",
			     i);
		}
	}
	if (!attr->is_sorted && sorted != NULL &&
	    (sorted[type->ordinal / 64] >> (type->ordinal % 64) & 1) != 0) {
		/* They were stored before sortvals named the attribute. */
		FIND(check, DIT_CHECK_VALUE_UNSORTED,
		     "the values are not sorted; sortvals names the attribute");
	}
}

/* @param has_order  false: the order of values is not looked at */
static int verify_attr(struct dit_check_entry *check, const struct dit_attr *attr,
                       bool has_order)
{
	struct dit_arena_mark mark = dit_arena_mark(&check->arena);
	int r = 0;

	check->place.attribute = attr->ad->name.data;
	r = attr->normal != NULL ? verify_normals(check, attr)
	                         : verify_absence(check, attr);
	dit_arena_rewind(&check->arena, mark);
	if (has_order) {
		verify_order(check, attr);
	}
	check->place.attribute = NULL;
	return r;
}

static bool has_value(const struct dit_check_entry *check, const struct dit_entry *entry,
                      const struct dit_attr_type *type, struct dit_span asserted)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		if (attr->ad == &type->ad &&
		    dit_attr_has_name_value(check->schema, attr, asserted)) {
			return true;
		}
	}
	return false;
}

/* A consumer of some attributes alone may have entries without those that name them. */
static void find_unnamed(struct dit_check_entry *check, const struct dit_entry *entry,
                         const struct dit_ava *ava)
{
	bool is_absent = dit_entry_find(entry, &ava->type->ad) == NULL;
	char text[DIT_CHECK_SHOWN];

	check->place.attribute = ava->type->name;
	FIND(check, is_absent ? DIT_CHECK_NAME_ABSENT : DIT_CHECK_NAME_VALUE,
	     "the entry does not have the %s \"%s\" %s",
	     is_absent ? "attribute whose value" : "value",
	     dit_check_show(text, ava->value), is_absent ? "names it" : "that names it");
	check->place.attribute = NULL;
}

/*
 * The values of the first RDN are among those of the entry. An entry of the class glue
 * needs none.
 */
static int verify_naming_values(struct dit_check_entry *check,
                                const struct dit_entry *entry)
{
	const struct dit_dn *dn = &entry->dn;
	int r = 0;

	if ((entry->oc_flags & DIT_OC_GLUE) != 0) {
		return 0;
	}
	for (unsigned i = 0; i < dn->navas && r >= 0; i++) {
		const struct dit_ava *ava = &dn->avas[i];
		struct dit_span asserted;

		r = dit_name_value(check->schema, ava, &check->arena, &asserted);
		if (r == DIT_E_INVALID || r == DIT_E_UNKNOWN) {
			asserted = ava->value;
			r = 0;
		}
		if (r == 0 && !has_value(check, entry, ava->type, asserted)) {
			find_unnamed(check, entry, ava);
		}
	}
	return r < 0 ? r : 0;
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
				FIND(check, DIT_CHECK_SPLIT_MISSING,
				     "the values are not in the entry, and "
				     "there are none in id2v");
			} else {
				FIND(check, DIT_CHECK_ENTRY_ATTRIBUTE,
				     "attribute #%u has no values", i);
			}
			check->place.attribute = NULL;
		}
		if (attr->ad != NULL) {
			r = verify_attr(check, &check->attrs.attrs[known++],
			                !attr->is_split);
			/* DNs within DNs within DNs: not to be told. */
			r = r == DIT_E_UNSUPPORTED ? 0 : r;
		}
	}
	return r;
}

static void find_bad_name(struct dit_check_entry *check)
{
	FIND(check, DIT_CHECK_NAME_NORMAL, "the name is no DN that slapd accepts");
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

		FIND(check, DIT_CHECK_NAME_NORMAL,
		     "the name has the normal form \"%s\", not \"%s\"",
		     dit_check_show(stored, view->norm_dn),
		     dit_check_show(made, entry->dn.norm));
	}
	if (r == 0 && !view->is_hole) {
		r = verify_naming_values(check, entry);
	}
	return r == DIT_E_UNSUPPORTED ? 0 : r;
}

/* The flags of the entry are those of the classes in its first block (storage.md 4.5). */
static void verify_classes(struct dit_check_entry *check, const struct dit_entry *entry)
{
	const struct dit_attr *classes = dit_entry_find(entry, check->object_class);
	unsigned flags = DIT_OC_COMPUTED;

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(check->schema, classes->values[i]);

		flags |= oc == NULL ? 0 : oc->oc_flags;
	}
	if (flags != entry->oc_flags) {
		FIND(check, DIT_CHECK_ENTRY_CLASSES,
		     "the entry has other flags than 0x%x, which its object "
		     "classes give it",
		     flags);
	}
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
		verify_classes(check, &entry);
	}
	return r;
}

/* ---- any entry ---- */

static int set_place(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	if (DIT_GROW(check->dn, check->dn_size, view->dn.len + 1) < 0) {
		return -ENOMEM;
	}
	if (view->dn.len > 0) {
		memcpy(check->dn, view->dn.data, view->dn.len);
	}
	check->dn[view->dn.len] = '\0';
	check->place = (struct dit_check_finding)DIT_CHECK_PLACE("id2e");
	check->place.id = view->id;
	check->place.dn = view->name_error == 0 ? check->dn : NULL;
	return 0;
}

int dit_check_entry(struct dit_check_entry *check, const struct dit_entry_view *view)
{
	int r = set_place(check, view);

	if (r < 0) {
		return r;
	}
	if (view->id > DIT_CHECK_ID_MAX) {
		FIND(check, DIT_CHECK_ENTRY_ID,
		     "the ID is above %u; its index keys are not compared",
		     DIT_CHECK_ID_MAX);
	}
	dit_arena_reset(&check->arena);
	return view->record_error != 0 ? find_unknown(check, view) : verify(check, view);
}
