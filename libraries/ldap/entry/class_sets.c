/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Class sets: what the schema check wants to know of a list of object classes.
 *
 * Directories hold millions of entries but few different lists of objectClass values, so
 * what depends on the list alone is worked out once: the classes and their flags, the
 * structural class, its content rule, and the set of attribute types that they allow.
 *
 * Sets are found by the values as typed ("Person" and "person" are two lists): messages
 * show them so. After SETS_MAX of them the memory starts over: to work out one list costs
 * about as much as to compare it with so many.
 */
#include "entry/entry_work.h"

#include <errno.h>

#define SETS_MAX 64

static void add_bit(uint64_t *set, const struct dit_attr_type *type)
{
	set[type->ordinal / 64] |= (uint64_t)1 << (type->ordinal % 64);
}

static void add_bits(uint64_t *set, const struct dit_attr_type **list)
{
	for (; list != NULL && *list != NULL; list++) {
		add_bit(set, *list);
	}
}

/* ---- the structural class (values.md 7.2 B) ---- */

/* True if a listed structural class from @p from on is below both @p a and @p b. */
static bool has_common_subclass(const struct dit_class_set *set, uint32_t from,
                                const struct dit_class *a, const struct dit_class *b)
{
	for (uint32_t i = from; i < set->nvalues; i++) {
		const struct dit_class *oc = set->classes[i];

		if (oc->kind == DIT_CLASS_STRUCTURAL && dit_class_is_a(oc, a) &&
		    dit_class_is_a(oc, b)) {
			return true;
		}
	}
	return false;
}

/* All values name a class: is there one structural class below all the others? */
static enum dit_why_kind find_structural(struct dit_class_set *set)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < set->nvalues; i++) {
		const struct dit_class *oc = set->classes[i];

		if (oc->kind != DIT_CLASS_STRUCTURAL) {
			continue;
		}
		if (best == UINT32_MAX || dit_class_is_a(oc, set->classes[best])) {
			best = i;
			continue;
		}
		if (!dit_class_is_a(set->classes[best], oc) &&
		    !has_common_subclass(set, i + 1, set->classes[best], oc)) {
			set->culprits[0] = i;
			set->culprits[1] = best;
			return DIT_WHY_CLASS_CHAIN;
		}
	}
	if (best == UINT32_MAX) {
		return DIT_WHY_CLASS_NONE;
	}
	set->structural = set->classes[best];
	return DIT_WHY_NONE;
}

static int resolve_classes(struct dit_class_set *set, const struct dit_schema *schema,
                           struct dit_arena *arena)
{
	set->classes = dit_arena_alloc(arena, set->nvalues * sizeof(*set->classes));
	if (set->classes == NULL) {
		return -ENOMEM;
	}
	set->oc_flags = DIT_OC_COMPUTED;
	for (uint32_t i = 0; i < set->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, set->values[i]);

		set->classes[i] = oc;
		if (oc != NULL) {
			set->oc_flags |= oc->oc_flags;
		} else if (set->refusal == DIT_WHY_NONE) {
			set->refusal = DIT_WHY_CLASS_UNDEFINED;
			set->culprits[0] = i;
		}
	}
	if (set->refusal == DIT_WHY_NONE) {
		set->refusal = find_structural(set);
	}
	return 0;
}

/* ---- allowed types (values.md 7.2 G) ---- */

static int collect_allowed(struct dit_class_set *set, const struct dit_schema *schema,
                           struct dit_arena *arena)
{
	static const struct dit_span extensible =
		DIT_SPAN("1.3.6.1.4.1.1466.101.120.111");
	const struct dit_class *any = dit_schema_find_class(schema, extensible);
	size_t nwords = (dit_schema_ntypes(schema) + 63) / 64;
	uint64_t *allowed = dit_arena_calloc(arena, nwords, sizeof(*allowed));

	if (allowed == NULL) {
		return -ENOMEM;
	}
	set->allowed = allowed;
	set->rule = set->structural->content_rule;
	/* Also where no class is below "top", which requires it. */
	add_bit(allowed, dit_schema_find_type(schema, DIT_SPAN("objectClass")));
	if (set->rule != NULL) {
		add_bits(allowed, set->rule->must);
		add_bits(allowed, set->rule->may);
	}
	for (uint32_t i = 0; i < set->nvalues; i++) {
		const struct dit_class *oc = set->classes[i];

		set->is_extensible = set->is_extensible || oc == any;
		if (dit_class_set_counts(set, oc)) {
			add_bits(allowed, oc->must);
			add_bits(allowed, oc->may);
		}
	}
	return 0;
}

/* ---- the table ---- */

/* Put the set of these values in front of all others. @return false: there is none */
static bool find(struct dit_class_sets *sets, const struct dit_span *values,
                 uint32_t nvalues)
{
	struct dit_class_set **at = &sets->first;
	struct dit_class_set *set = NULL;

	while (*at != NULL && ((*at)->nvalues != nvalues ||
	                       !dit_spans_eq((*at)->values, values, nvalues))) {
		at = &(*at)->next;
	}
	set = *at;
	if (set != NULL) {
		*at = set->next;
		set->next = sets->first;
		sets->first = set;
	}
	return set != NULL;
}

static int set_add(struct dit_class_sets *sets, const struct dit_schema *schema,
                   const struct dit_span *values, uint32_t nvalues)
{
	struct dit_class_set *set = NULL;
	int r = 0;

	if (sets->nsets == SETS_MAX) {
		dit_arena_reset(&sets->arena);
		sets->first = NULL;
		sets->nsets = 0;
	}
	set = dit_arena_calloc(&sets->arena, 1, sizeof(*set));
	if (set == NULL) {
		return -ENOMEM;
	}
	set->values = dit_arena_copy_spans(&sets->arena, values, nvalues);
	set->nvalues = nvalues;
	if (set->values == NULL) {
		return -ENOMEM;
	}
	r = resolve_classes(set, schema, &sets->arena);
	if (r == 0 && set->refusal == DIT_WHY_NONE) {
		r = collect_allowed(set, schema, &sets->arena);
	}
	if (r < 0) {
		return r;
	}
	set->next = sets->first;
	sets->first = set;
	sets->nsets++;
	return 0;
}

int dit_class_sets_find(struct dit_class_sets *sets, const struct dit_schema *schema,
                        const struct dit_span *values, uint32_t nvalues,
                        const struct dit_class_set **ret)
{
	int r = find(sets, values, nvalues) ? 0 : set_add(sets, schema, values, nvalues);

	if (r == 0) {
		*ret = sets->first;
	}
	return r;
}
