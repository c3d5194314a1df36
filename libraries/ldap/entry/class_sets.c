/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Class sets: the schema check of a list of object classes, compiled.
 *
 * Directories hold millions of entries but few different lists of objectClass values, so
 * all that depends on the list alone is worked out once: the structural class, the
 * classes' flags, the set of allowed attribute types, and the list of steps that decide
 * what must be present. For
 *
 *   objectClass: person
 *   objectClass: inetOrgPerson    (MUST sn, cn through person)
 *   objectClass: posixAccount     (MUST cn, uid, uidNumber, gidNumber, homeDirectory)
 *
 * the steps are: value 1 requires objectClass, sn, cn; value 2 requires uid, uidNumber,
 * gidNumber, homeDirectory; value 0, a superclass, has none. A requirement of an earlier
 * step is not repeated, because only the first failure is told.
 *
 * Sets are found by the values as typed ("Person" and "person" are two lists): messages
 * show them so. A file with more lists than SETS_MAX, which only a generated one has,
 * starts over with an empty memory.
 */
#include "entry/class_sets.h"

#include <assert.h>
#include <errno.h>

#define SETS_MAX          512
#define ARENA_BLOCK_BYTES 16384

struct builder {
	const struct dit_schema *schema;
	struct dit_class_sets *sets;
	struct dit_class_set *set;
	struct dit_class_step *steps;
	uint32_t nsteps;
	uint32_t steps_size; /* count_steps() */
	uint64_t *allowed;
	uint64_t *required; /* types that a step requires already */
	size_t nwords;      /* of the bit sets */
	const struct dit_class *top;
};

void dit_class_sets_init(struct dit_class_sets *sets)
{
	*sets = (struct dit_class_sets){0};
	dit_arena_init(&sets->arena, ARENA_BLOCK_BYTES);
}

void dit_class_sets_deinit(struct dit_class_sets *sets)
{
	dit_arena_deinit(&sets->arena);
	*sets = (struct dit_class_sets){0};
}

static size_t list_len(const struct dit_attr_type **list)
{
	size_t n = 0;

	while (list != NULL && list[n] != NULL) {
		n++;
	}
	return n;
}

static bool has_class(const struct dit_class **list, const struct dit_class *oc)
{
	for (; list != NULL && *list != NULL; list++) {
		if (*list == oc) {
			return true;
		}
	}
	return false;
}

static bool add_bit(uint64_t *set, const struct dit_attr_type *type)
{
	uint64_t *word = &set[type->ordinal / 64];
	uint64_t bit = (uint64_t)1 << (type->ordinal % 64);
	bool is_new = (*word & bit) == 0;

	*word |= bit;
	return is_new;
}

static void add_bits(uint64_t *set, const struct dit_attr_type **list)
{
	for (; list != NULL && *list != NULL; list++) {
		(void)add_bit(set, *list);
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
static enum dit_structural find_structural(struct dit_class_set *set)
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
			set->culprits[0] = best;
			set->culprits[1] = i;
			return DIT_STRUCTURAL_CHAIN;
		}
	}
	if (best == UINT32_MAX) {
		return DIT_STRUCTURAL_NONE;
	}
	set->structural = set->classes[best];
	return DIT_STRUCTURAL_FOUND;
}

static int resolve_classes(struct builder *b)
{
	struct dit_class_set *set = b->set;

	set->classes =
		dit_arena_alloc(&b->sets->arena, set->nvalues * sizeof(*set->classes));
	if (set->classes == NULL) {
		return -ENOMEM;
	}
	set->outcome = DIT_STRUCTURAL_FOUND;
	set->oc_flags = DIT_OC_COMPUTED;
	for (uint32_t i = 0; i < set->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(b->schema, set->values[i]);

		set->classes[i] = oc;
		if (oc != NULL) {
			set->oc_flags |= oc->oc_flags;
		} else if (set->outcome == DIT_STRUCTURAL_FOUND) {
			set->outcome = DIT_STRUCTURAL_UNKNOWN_CLASS;
			set->culprits[0] = i;
		}
	}
	if (set->outcome == DIT_STRUCTURAL_FOUND) {
		set->outcome = find_structural(set);
	}
	return 0;
}

/* ---- the steps (values.md 7.2 E and F) ---- */

static void add_step(struct builder *b, enum dit_why_kind kind, uint32_t value,
                     const struct dit_attr_type *type)
{
	assert(b->nsteps < b->steps_size);
	b->steps[b->nsteps++] = (struct dit_class_step){kind, value, type};
}

static void add_required(struct builder *b, enum dit_why_kind kind, uint32_t value,
                         const struct dit_attr_type **list)
{
	for (; list != NULL && *list != NULL; list++) {
		if (add_bit(b->required, *list)) {
			add_step(b, kind, value, *list);
		}
	}
}

static void add_rule_steps(struct builder *b)
{
	const struct dit_content_rule *rule = b->set->rule;

	if (rule->is_obsolete) {
		add_step(b, DIT_WHY_RULE_OBSOLETE, 0, NULL);
	}
	add_required(b, DIT_WHY_RULE_REQUIRES, 0, rule->must);
	for (const struct dit_attr_type **t = rule->precluded; t != NULL && *t != NULL;
	     t++) {
		add_step(b, DIT_WHY_RULE_PRECLUDES, 0, *t);
	}
	add_bits(b->allowed, rule->must);
	add_bits(b->allowed, rule->may);
}

/* True if another listed class is below the one of value @p i. */
static bool has_listed_subclass(const struct dit_class_set *set, uint32_t i)
{
	for (uint32_t j = 0; j < set->nvalues; j++) {
		if (set->classes[j] != set->classes[i] &&
		    dit_class_is_a(set->classes[j], set->classes[i])) {
			return true;
		}
	}
	return false;
}

static void add_place_step(struct builder *b, uint32_t i)
{
	switch (b->set->classes[i]->check) {
	case DIT_CLASS_CHECK_ROOTDSE:
		add_step(b, DIT_WHY_CLASS_ROOTDSE, i, NULL);
		break;
	case DIT_CLASS_CHECK_SUBENTRY:
		if ((b->set->classes[i]->oc_flags & DIT_OC_SUBENTRY) == 0) {
			add_step(b, DIT_WHY_CLASS_SUBENTRY, i, NULL);
		}
		break;
	case DIT_CLASS_CHECK_DYNAMIC:
		add_step(b, DIT_WHY_CLASS_DYNAMIC, i, NULL);
		break;
	case DIT_CLASS_CHECK_NONE:
	case DIT_CLASS_CHECK_ALIAS:    /* the class itself makes an entry an alias */
	case DIT_CLASS_CHECK_REFERRAL: /* likewise, as does the class subentry above */
		break;
	}
}

static void add_class_steps(struct builder *b, uint32_t i)
{
	struct dit_class_set *set = b->set;
	const struct dit_class *oc = set->classes[i];

	if (oc->is_obsolete) {
		add_step(b, DIT_WHY_CLASS_OBSOLETE, i, NULL);
	}
	add_place_step(b, i);
	if (oc->kind == DIT_CLASS_ABSTRACT) {
		/* "top" may stand with any class, also one that is not below it. */
		if (oc != b->top && !has_listed_subclass(set, i)) {
			add_step(b, DIT_WHY_CLASS_ABSTRACT, i, NULL);
		}
		return; /* what it requires and allows comes through its subclass */
	}
	if (oc->kind == DIT_CLASS_STRUCTURAL && oc != set->structural) {
		return; /* likewise: a superclass of the structural class */
	}
	if (oc->kind == DIT_CLASS_AUXILIARY && set->rule != NULL &&
	    !has_class(set->rule->aux, oc)) {
		add_step(b, DIT_WHY_RULE_CLASS, i, NULL);
	}
	add_required(b, DIT_WHY_CLASS_REQUIRES, i, oc->must);
	add_bits(b->allowed, oc->must);
	add_bits(b->allowed, oc->may);
}

/* At most: one for a rule that is obsolete, and for a class those of
 * add_class_steps(). */
static uint32_t count_steps(const struct dit_class_set *set)
{
	const size_t class_steps = 3; /* obsolete; place; abstract, or not in rule */
	size_t n = 0;

	if (set->rule != NULL) {
		n += 1 + list_len(set->rule->must) + list_len(set->rule->precluded);
	}
	for (uint32_t i = 0; i < set->nvalues; i++) {
		n += class_steps + list_len(set->classes[i]->must);
	}
	return (uint32_t)n;
}

static int compile_steps(struct builder *b)
{
	static const struct dit_span extensible =
		DIT_SPAN("1.3.6.1.4.1.1466.101.120.111");
	const struct dit_class *any = dit_schema_find_class(b->schema, extensible);
	const struct dit_attr_type *object_class =
		dit_schema_find_type(b->schema, DIT_SPAN("objectClass"));
	struct dit_class_set *set = b->set;

	set->rule = dit_schema_find_content_rule(b->schema, set->structural);
	b->steps_size = count_steps(set);
	b->nwords = (dit_schema_ntypes(b->schema) + 63) / 64;
	b->steps = dit_arena_calloc(&b->sets->arena, b->steps_size, sizeof(*b->steps));
	b->allowed = dit_arena_calloc(&b->sets->arena, b->nwords, sizeof(*b->allowed));
	b->required = dit_arena_calloc(&b->sets->arena, b->nwords, sizeof(*b->required));
	if (b->steps == NULL || b->allowed == NULL || b->required == NULL) {
		return -ENOMEM;
	}
	b->top = dit_schema_find_class(b->schema, DIT_SPAN("top"));
	/* Also where no class is below "top", which requires it. */
	(void)add_bit(b->allowed, object_class);
	if (set->rule != NULL) {
		add_rule_steps(b);
	}
	for (uint32_t i = 0; i < set->nvalues; i++) {
		add_class_steps(b, i);
		set->is_extensible = set->is_extensible || set->classes[i] == any;
	}
	set->steps = b->steps;
	set->nsteps = b->nsteps;
	set->allowed = b->allowed;
	return 0;
}

/* ---- the table ---- */

static bool is_set_of(const struct dit_class_set *set, const struct dit_span *values,
                      uint32_t nvalues)
{
	if (set == NULL || set->nvalues != nvalues) {
		return false;
	}
	for (uint32_t i = 0; i < nvalues; i++) {
		if (!dit_span_eq(set->values[i], values[i])) {
			return false;
		}
	}
	return true;
}

/* FNV-1a, with a byte that no class name holds after each value. */
static uint32_t hash_of(const struct dit_span *values, uint32_t nvalues)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < nvalues; i++) {
		for (size_t j = 0; j < values[i].len; j++) {
			hash = (hash ^ (unsigned char)values[i].data[j]) * 16777619u;
		}
		hash = (hash ^ 0xffu) * 16777619u;
	}
	return hash;
}

static struct dit_class_set *lookup(struct dit_class_sets *sets, uint32_t hash,
                                    const struct dit_span *values, uint32_t nvalues)
{
	struct dit_class_set *set = sets->slots[hash % DIT_CLASS_SETS_SLOTS];

	while (set != NULL && (set->hash != hash || !is_set_of(set, values, nvalues))) {
		set = set->next;
	}
	return set;
}

/* A set with a copy of the values; nothing else in it. NULL: no memory. */
static struct dit_class_set *set_new(struct dit_arena *arena,
                                     const struct dit_span *values, uint32_t nvalues)
{
	struct dit_class_set *set = dit_arena_calloc(arena, 1, sizeof(*set));

	if (set == NULL) {
		return NULL;
	}
	set->values = dit_arena_calloc(arena, nvalues, sizeof(*set->values));
	if (set->values == NULL) {
		return NULL;
	}
	for (uint32_t i = 0; i < nvalues; i++) {
		set->values[i] = dit_arena_copy(arena, values[i]);
		if (set->values[i].data == NULL) {
			return NULL;
		}
	}
	set->nvalues = nvalues;
	return set;
}

static int set_add(struct dit_class_sets *sets, const struct dit_schema *schema,
                   uint32_t hash, const struct dit_span *values, uint32_t nvalues)
{
	struct builder b = {.schema = schema, .sets = sets};
	struct dit_class_set **slot = &sets->slots[hash % DIT_CLASS_SETS_SLOTS];
	int r = 0;

	if (sets->nsets == SETS_MAX) {
		dit_arena_reset(&sets->arena);
		memset(sets->slots, 0, sizeof(sets->slots));
		sets->nsets = 0;
	}
	b.set = set_new(&sets->arena, values, nvalues);
	if (b.set == NULL) {
		return -ENOMEM;
	}
	r = resolve_classes(&b);
	if (r == 0 && b.set->outcome == DIT_STRUCTURAL_FOUND) {
		r = compile_steps(&b);
	}
	if (r < 0) {
		return r;
	}
	b.set->hash = hash;
	b.set->next = *slot;
	*slot = b.set;
	sets->nsets++;
	sets->last = b.set;
	return 0;
}

int dit_class_sets_find(struct dit_class_sets *sets, const struct dit_schema *schema,
                        const struct dit_span *values, uint32_t nvalues,
                        const struct dit_class_set **ret)
{
	uint32_t hash = 0;
	int r = 0;

	if (!is_set_of(sets->last, values, nvalues)) {
		hash = hash_of(values, nvalues);
		sets->last = lookup(sets, hash, values, nvalues);
	}
	if (sets->last == NULL) {
		r = set_add(sets, schema, hash, values, nvalues);
		if (r < 0) {
			return r;
		}
	}
	*ret = sets->last;
	return 0;
}
