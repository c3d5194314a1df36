/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN: collected, compared with what is stored, written.
 */
#include "load/context_csn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "job/csn_list.h"

#define SUBENTRY_RDN "cn=ldapsync"
#define ARENA_BYTES  4096

struct dit_context_csn {
	/* [const] */
	struct dit_schema *schema;
	const struct dit_ad *entry_csn;
	const struct dit_ad *context_csn;
	const struct dit_sid_set *removed; /* NULL: none */

	struct dit_csn_list list;

	struct dit_arena arena;             /* of what is written */
	struct dit_context_csn_place place; /* since dit_context_csn_write() */
	struct dit_entry entry;             /* a subentry that was added */
	bool must_rewrite;
	uint32_t id; /* of the entry that is to be changed */
};

/* ---- beginning and end ---- */

int dit_context_csn_new(struct dit_context_csn **ret, struct dit_schema *schema,
                        const struct dit_sid_set *removed)
{
	struct dit_context_csn *csn = calloc(1, sizeof(*csn));
	int r = 0;

	if (csn == NULL) {
		return -ENOMEM;
	}
	csn->schema = schema;
	csn->removed = removed;
	dit_arena_init(&csn->arena, ARENA_BYTES);
	r = dit_ad_find(schema, NULL, DIT_SPAN("entryCSN"), &csn->entry_csn, NULL);
	if (r == 0) {
		r = dit_ad_find(schema, NULL, DIT_SPAN("contextCSN"), &csn->context_csn,
		                NULL);
	}
	if (r < 0) {
		dit_context_csn_free(csn);
		return r;
	}
	*ret = csn;
	return 0;
}

void dit_context_csn_free(struct dit_context_csn *csn)
{
	if (csn == NULL) {
		return;
	}
	dit_arena_deinit(&csn->arena);
	dit_csn_list_deinit(&csn->list);
	free(csn);
}

int dit_context_csn_note(struct dit_context_csn *csn, const struct dit_entry *entry,
                         struct dit_span *ret_bad)
{
	const struct dit_attr *attr = dit_entry_find(entry, csn->entry_csn);
	struct dit_span text = {0};
	int r = 0;

	if (attr == NULL || attr->nvalues == 0) {
		return 0;
	}
	text = attr->normal != NULL ? attr->normal[0] : attr->values[0];
	if (dit_csn_list_sid(text) < 0) {
		*ret_bad = text;
		return DIT_E_INVALID;
	}
	r = dit_csn_list_take(&csn->list, text, 0);
	return r < 0 ? r : 0;
}

/* ---- an entry that is there ---- */

/* Take over what the entry has. 1: one of its values is exceeded, or is removed; 0;
 * -ENOMEM */
static int merge_stored(struct dit_context_csn *csn, const struct dit_stored_attr *attr)
{
	int is_exceeded = 0;

	for (uint32_t i = 0; i < attr->nvalues; i++) {
		struct dit_span value = attr->values[i];
		int sid = dit_csn_list_sid(value);
		int r = 0;

		if (csn->removed != NULL && dit_sid_set_has(csn->removed, sid)) {
			is_exceeded = 1;
			continue;
		}
		r = sid < 0 ? 0 : dit_csn_list_take(&csn->list, value, 0);
		if (r < 0) {
			return r;
		}
		is_exceeded = is_exceeded || r > 0;
	}
	return is_exceeded;
}

/* @return 1: the values of the attribute have to be written; 0: they stay; error */
static int compare_stored(struct dit_context_csn *csn, struct dit_span record,
                          uint32_t number)
{
	struct dit_stored_entry entry = {0};
	int r = dit_entry_decode(record, &csn->arena, &entry);

	if (r < 0) {
		return r;
	}
	for (uint32_t i = 0; i < entry.nattrs; i++) {
		if (entry.attrs[i].ad_number != number) {
			continue;
		}
		return entry.attrs[i].values == NULL ? DIT_E_UNSUPPORTED
		                                     : merge_stored(csn, &entry.attrs[i]);
	}
	return 1;
}

/* NULL: no memory. */
static struct dit_span *make_values(struct dit_context_csn *csn)
{
	struct dit_span *values =
		dit_arena_calloc(&csn->arena, csn->list.n, sizeof(*values));

	for (size_t i = 0; values != NULL && i < csn->list.n; i++) {
		const struct dit_csn *one = &csn->list.list[i];

		values[i] = (struct dit_span){one->text, one->len};
	}
	return values;
}

static int change_entry(struct dit_context_csn *csn, uint32_t id,
                        struct dit_context_csn_result *ret)
{
	struct dit_record_output *output = csn->place.output;
	struct dit_span record = {0};
	struct dit_span *values = NULL;
	uint32_t number = 0;
	int r = dit_output_find_entry(output, id, &record);

	if (r <= 0) {
		return r; /* a hole stays one */
	}
	r = dit_ad_number(csn->place.numbers, csn->context_csn, &number);
	if (r == 0) {
		r = compare_stored(csn, record, number);
	}
	if (r <= 0) {
		return r;
	}
	values = make_values(csn);
	if (values == NULL) {
		return -ENOMEM;
	}
	r = dit_entry_set_values(record, number, values, (uint32_t)csn->list.n,
	                         &csn->arena, &record);
	if (r == 0) {
		r = dit_output_replace_entry(output, id, record);
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_context_csn_result){.deed = DIT_CONTEXT_CSN_CHANGED, .id = id};
	return 0;
}

/* When the output takes changes; only the attribute must have its number now. */
static int change_later(struct dit_context_csn *csn, uint32_t id,
                        struct dit_context_csn_result *ret)
{
	uint32_t number = 0;
	int r = id == 0 ? 0 : dit_dn_tree_find_hole(csn->place.tree, id);

	if (r != 0) {
		return r < 0 ? r : 0;
	}
	csn->must_rewrite = true;
	csn->id = id;
	ret->deed = DIT_CONTEXT_CSN_LATER;
	return dit_ad_number(csn->place.numbers, csn->context_csn, &number);
}

/* ---- a new subentry ---- */

/* The values are copied. */
static int add_attr(struct dit_context_csn *csn, const char *name,
                    const struct dit_span *values, uint32_t nvalues)
{
	struct dit_span *copy = dit_arena_calloc(&csn->arena, nvalues, sizeof(*copy));
	const struct dit_ad *ad = NULL;
	struct dit_attr *attr = NULL;
	int r = dit_ad_find(csn->schema, NULL, dit_span_of(name), &ad, NULL);

	if (r < 0) {
		return r;
	}
	attr = dit_entry_add(&csn->entry, ad, &csn->arena);
	if (attr == NULL || copy == NULL) {
		return -ENOMEM;
	}
	memcpy(copy, values, nvalues * sizeof(*copy));
	attr->values = copy;
	attr->nvalues = nvalues;
	return 0;
}

/* The subentry with its DN given becomes complete. */
static int make_subentry(struct dit_context_csn *csn)
{
	static const struct dit_span classes[] = {
		{"top", 3}, {"subentry", 8}, {"syncProviderSubentry", 20}};
	static const struct dit_span structural = {"subentry", 8};
	static const struct dit_span cn = {"ldapsync", 8};
	static const struct dit_span everything = {"{}", 2};
	struct dit_span *values = make_values(csn);
	int r = values == NULL ? -ENOMEM : 0;

	csn->entry.oc_flags = DIT_OC_COMPUTED | DIT_OC_SYNC_PROVIDER | DIT_OC_SUBENTRY |
	                      DIT_OC_OPERATIONAL | DIT_OC_HIDDEN | DIT_OC_BUILTIN;
	if (r == 0) {
		r = add_attr(csn, "objectClass", classes, 3);
	}
	if (r == 0) {
		r = add_attr(csn, "structuralObjectClass", &structural, 1);
	}
	if (r == 0) {
		r = add_attr(csn, "cn", &cn, 1);
	}
	if (r == 0) {
		r = add_attr(csn, "subtreeSpecification", &everything, 1);
	}
	if (r == 0) {
		r = add_attr(csn, "contextCSN", values, (uint32_t)csn->list.n);
	}
	return r;
}

static int add_subentry(struct dit_context_csn *csn, const struct dit_dn_tree_name *name,
                        struct dit_context_csn_result *ret)
{
	struct dit_dn_tree *tree = csn->place.tree;
	struct dit_dn_tree_place where = {0};
	struct dit_encoded encoded = {0};
	int r = make_subentry(csn);

	if (r == 0) {
		r = dit_entry_encode(&csn->entry, csn->place.split_rules, &csn->arena,
		                     &encoded);
	}
	if (r == 0) {
		r = dit_dn_tree_find_place(tree, name, &where);
	}
	if (r == 0 && !dit_dn_tree_fits(tree, name, &where)) {
		r = DIT_E_TOOLONG;
	}
	if (r == 0) {
		r = dit_dn_tree_add(tree, name, &where, &ret->id);
	}
	for (unsigned i = 1; i < where.nnodes && r == 0; i++) {
		r = dit_entries_put_hole(csn->place.entries, ret->id - where.nnodes + i);
	}
	if (r == 0) {
		r = dit_entries_put(csn->place.entries, ret->id, &encoded);
	}
	ret->deed = DIT_CONTEXT_CSN_ADDED;
	ret->added = &csn->entry;
	return r;
}

/* ---- the decision ---- */

/* The DN of the entry that has contextCSN, with the rest of the entry empty. */
static int make_dn(struct dit_context_csn *csn)
{
	struct dit_span suffix = csn->place.suffix;
	const struct dit_span parts[] = {
		DIT_SPAN(SUBENTRY_RDN), {",", suffix.len > 0 ? 1 : 0}, suffix};
	struct dit_span text = suffix;
	int r = 0;

	csn->entry = (struct dit_entry){0};
	if (csn->place.use_subentry) {
		r = dit_arena_join(&csn->arena, parts, 3, &text);
	}
	return r < 0 ? r
	             : dit_dn_parse(csn->schema, text, &csn->arena, NULL, &csn->entry.dn);
}

int dit_context_csn_write(struct dit_context_csn *csn,
                          const struct dit_context_csn_place *place,
                          struct dit_context_csn_result *ret)
{
	struct dit_dn_tree_name name = {0};
	uint32_t id = 0;
	int r = 0;

	*ret = (struct dit_context_csn_result){0};
	if (csn->list.n == 0) {
		return 0;
	}
	csn->place = *place;
	r = make_dn(csn);
	if (r < 0) {
		return r;
	}
	if (csn->entry.dn.nrdns == 0) {
		/* slapadd says nothing if there is no such entry. */
		return dit_entries_has_root(place->entries) ? change_later(csn, 0, ret)
		                                            : 0;
	}
	dit_dn_tree_name_init(&name, place->key, &csn->entry.dn);
	r = dit_dn_tree_find(place->tree, &name, &id);
	if (r < 0) {
		return r;
	}
	if (id != 0) {
		return change_later(csn, id, ret);
	}
	if (place->use_subentry) {
		return add_subentry(csn, &name, ret);
	}
	ret->deed = DIT_CONTEXT_CSN_MISSING;
	return 0;
}

int dit_context_csn_rewrite(struct dit_context_csn *csn,
                            struct dit_context_csn_result *ret)
{
	*ret = (struct dit_context_csn_result){0};
	return csn->must_rewrite ? change_entry(csn, csn->id, ret) : 0;
}
