/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A digest of a schema: the sum over all elements, each as often as it has names. The
 * fields of an element are put one after the other; it names other elements by OID.
 */
#include "schema/schema_private.h"

static uint64_t put(uint64_t seed, const char *text)
{
	return dit_sum128_seed(dit_span_of(text), seed);
}

static uint64_t put_number(uint64_t seed, uint64_t n)
{
	return dit_sum128_seed((struct dit_span){(const char *)&n, sizeof(n)}, seed);
}

static uint64_t put_rule(uint64_t seed, const struct dit_rule *rule)
{
	return put(seed, rule == NULL ? "" : rule->oid);
}

static uint64_t put_types(uint64_t seed, const struct dit_attr_type *const *types)
{
	for (; *types != NULL; types++) {
		seed = put(seed, (*types)->oid);
	}
	return put(seed, "");
}

static uint64_t seed_of_type(const void *element)
{
	const struct dit_attr_type *type = element;
	uint64_t seed = put(put(0, type->oid), type->name);

	seed = put(seed, type->sup == NULL ? "" : type->sup->oid);
	seed = put(seed, type->syntax->oid);
	seed = put_rule(seed, type->equality);
	seed = put_rule(seed, type->ordering);
	seed = put_rule(seed, type->substr);
	seed = put_rule(seed, type->approx);
	seed = put_number(seed, type->validator);
	return put_number(seed, (uint64_t)type->usage << 32 | type->flags);
}

static uint64_t seed_of_class(const void *element)
{
	const struct dit_class *oc = element;
	uint64_t seed = put(put(0, oc->oid), oc->name);

	seed = put_number(seed, (uint64_t)oc->kind << 32 | oc->oc_flags);
	for (size_t i = 0; oc->sups[i] != NULL; i++) {
		seed = put(seed, oc->sups[i]->oid);
	}
	return put_types(put_types(put(seed, ""), oc->must), oc->may);
}

static void add_all(struct dit_sum128 *sum, const struct dit_name_table *table,
                    uint64_t (*seed_of)(const void *element))
{
	for (size_t i = 0; i < table->nslots; i++) {
		const struct dit_name_slot *slot = &table->slots[i];
		struct dit_sum128 digest;

		if (slot->name.data != NULL) {
			digest = dit_sum128_of(slot->name, seed_of(slot->value));
			dit_sum128_add(sum, &digest);
		}
	}
}

struct dit_sum128 dit_schema_digest(const struct dit_schema *schema)
{
	struct dit_sum128 sum = {0, 0};

	add_all(&sum, &schema->types, seed_of_type);
	add_all(&sum, &schema->classes, seed_of_class);
	return sum;
}
