/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all named elements: NAMEs, their copies, duplicates. */
#include "schema/schema_private.h"

#include "base/ascii.h"
#include "base/error.h"

/* RFC 4512 section 1.4, descr */
static bool is_descriptor(const char *name)
{
	if (!dit_ascii_is_alpha(*name)) {
		return false;
	}
	for (; *name != '\0'; name++) {
		if (!dit_ascii_is_name(*name)) {
			return false;
		}
	}
	return true;
}

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
		if (!is_descriptor(names[i])) {
			return names[i];
		}
	}
	return NULL;
}

const char **dit_names_copy(struct dit_schema *schema, dit_names names)
{
	size_t n = dit_names_count(names);
	const char **copy = dit_arena_calloc(&schema->arena, n + 1, sizeof(*copy));

	if (copy == NULL) {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		copy[i] = dit_arena_copy(&schema->arena, dit_span_of(names[i])).data;
		if (copy[i] == NULL) {
			return NULL;
		}
	}
	return copy;
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
		if (old.names[i] == NULL || strcasecmp(old.names[i], new.names[i]) != 0) {
			return false;
		}
	}
	return true;
}

int dit_identity_check(const struct dit_name_table *table, struct dit_identity identity,
                       struct dit_identity (*identify)(const void *element),
                       const char **ret_culprit)
{
	const void *old = dit_name_table_find(table, dit_span_of(identity.oid));

	if (old != NULL) {
		*ret_culprit = identity.oid;
		return is_same(identify(old), identity) ? DIT_E_DUPLICATE : DIT_E_INVALID;
	}
	for (size_t i = 0; identity.names[i] != NULL; i++) {
		*ret_culprit = identity.names[i];
		if (dit_name_table_find(table, dit_span_of(identity.names[i])) != NULL) {
			return DIT_E_INVALID;
		}
		for (size_t j = 0; j < i; j++) {
			if (strcasecmp(identity.names[i], identity.names[j]) == 0) {
				return DIT_E_DUPLICATE;
			}
		}
	}
	return 0;
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
