/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all named elements: NAMEs, their copies, duplicates. */
#include "schema/schema_private.h"

#include <errno.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/pattern.h"

size_t dit_names_count(dit_names names)
{
	size_t n = 0;

	while (names != NULL && names[n] != NULL) {
		n++;
	}
	return n;
}

const char *dit_names_invalid(dit_names names)
{
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		if (!dit_pattern_is(dit_span_of(names[i]), DIT_ALPHA DIT_NAME "*")) {
			return names[i];
		}
	}
	return NULL;
}

/* Copy into the schema's arena. NULL: no memory */
static dit_names copy_names(struct dit_schema *schema, dit_names names)
{
	size_t n = dit_names_count(names);
	const char **copy = dit_arena_calloc(&schema->arena, n + 1, sizeof(*copy));

	for (size_t i = 0; i < n && copy != NULL; i++) {
		copy[i] = dit_arena_copy(&schema->arena, dit_span_of(names[i])).data;
		copy = copy[i] == NULL ? NULL : copy;
	}
	return copy;
}

int dit_identity_make(struct dit_schema *schema, const char *keyword, const char *oid,
                      dit_names names, struct dit_schema_error *error,
                      struct dit_identity *ret)
{
	const char *expanded = NULL;
	int r = dit_schema_expand_oid(schema, oid, &expanded);

	if (r < 0) {
		return r != DIT_E_UNKNOWN
		               ? r
		               : dit_schema_fail(error, r, keyword,
		                                 "OID could not be expanded", oid);
	}
	ret->oid = dit_arena_copy(&schema->arena, dit_span_of(expanded)).data;
	ret->names = copy_names(schema, names);
	if (ret->oid == NULL || ret->names == NULL) {
		return -ENOMEM;
	}
	ret->name = ret->names[0] == NULL ? ret->oid : ret->names[0];
	return 0;
}

/*
 * The same element again, in slapd's eyes: same OID, and the new names are the first of
 * the old ones. Order counts, and no names differ from any names.
 */
static bool is_same(struct dit_identity old, struct dit_identity new)
{
	size_t i = 0;

	if (strcmp(old.oid, new.oid) != 0) {
		return false;
	}
	if (new.names[0] == NULL) {
		return old.names[0] == NULL;
	}
	for (i = 0; new.names[i] != NULL; i++) {
		if (old.names[i] == NULL ||
		    dit_ascii_strcasecmp(old.names[i], new.names[i]) != 0) {
			return false;
		}
	}
	return true;
}

/* @return 0; DIT_E_DUPLICATE: it is there already; DIT_E_INVALID: part of it belongs to
 * another element; *ret_culprit is the OID or NAME in the way */
static int find_duplicate(const struct dit_name_table *table,
                          struct dit_identity identity, const char **ret_culprit)
{
	const void *old = dit_name_table_find(table, dit_span_of(identity.oid));

	if (old != NULL) {
		struct dit_identity other;

		memcpy(&other, old, sizeof(other));
		*ret_culprit = identity.oid;
		return is_same(other, identity) ? DIT_E_DUPLICATE : DIT_E_INVALID;
	}
	for (size_t i = 0; identity.names[i] != NULL; i++) {
		*ret_culprit = identity.names[i];
		if (dit_name_table_find(table, dit_span_of(identity.names[i])) != NULL) {
			return DIT_E_INVALID;
		}
		for (size_t j = 0; j < i; j++) {
			if (dit_ascii_strcasecmp(identity.names[i], identity.names[j]) ==
			    0) {
				return DIT_E_DUPLICATE;
			}
		}
	}
	return 0;
}

int dit_identity_check(const struct dit_name_table *table, struct dit_identity identity,
                       const struct dit_element_words *words,
                       const struct dit_origin *origin, struct dit_schema_error *error)
{
	const char *culprit = NULL;
	const char *what = NULL;
	int r = 0;

	if (origin->again == DIT_AGAIN_BY_NAME &&
	    dit_name_table_find(table, dit_span_of(identity.name)) != NULL) {
		return 1;
	}
	r = find_duplicate(table, identity, &culprit);
	if (r == 0 || (r == DIT_E_DUPLICATE && origin->again == DIT_AGAIN_ALIKE)) {
		return r == 0 ? 0 : 1;
	}
	what = r == DIT_E_DUPLICATE ? "Duplicate" : "Inconsistent duplicate";
	if (!origin->is_built_in) {
		dit_schema_say(error, "%s: %s %s: \"%s\"", words->keyword, what,
		               words->kind, culprit);
	} else {
		dit_schema_say(error, "%s \"( %s NAME '%s' )\": %s %s, %s", words->call,
		               identity.oid, identity.name, what, words->kind, culprit);
	}
	return DIT_E_DUPLICATE;
}

int dit_identity_put(struct dit_name_table *table, struct dit_identity identity,
                     void *element)
{
	size_t n = dit_names_count(identity.names);
	int r = dit_name_table_reserve(table, n + 1);

	if (r < 0) {
		return r;
	}
	if (identity.oid != NULL) {
		dit_name_table_put(table, dit_span_of(identity.oid), element);
	}
	for (size_t i = 0; i < n; i++) {
		dit_name_table_put(table, dit_span_of(identity.names[i]), element);
	}
	return 0;
}
