/* SPDX-License-Identifier: BSD-2-Clause */
/* Flaws of stored entries: each is found by making the thing again. */
#include "entry/entry_verify.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "entry/entry_check.h"
#include "values/value.h"
#include "values/value_order.h"

#define ARENA_BYTES (64u << 10)

struct dit_verifier {
	struct dit_verifier_opts opts;
	struct dit_arena arena; /* of one call */
	struct dit_class_sets classes;
};

int dit_verifier_new(struct dit_verifier **ret, const struct dit_verifier_opts *opts)
{
	struct dit_verifier *verifier = calloc(1, sizeof(*verifier));

	if (verifier == NULL) {
		return -ENOMEM;
	}
	verifier->opts = *opts;
	dit_arena_init(&verifier->arena, ARENA_BYTES);
	dit_class_sets_init(&verifier->classes);
	*ret = verifier;
	return 0;
}

void dit_verifier_free(struct dit_verifier *verifier)
{
	if (verifier != NULL) {
		dit_class_sets_deinit(&verifier->classes);
		dit_arena_deinit(&verifier->arena);
		free(verifier);
	}
}

static void tell(const struct dit_verifier *verifier, const struct dit_flaw *flaw)
{
	verifier->opts.found(verifier->opts.ctx, flaw);
}

/* ---- normal forms ---- */

/* 1: @p ret is the normal form; 0: the rule refuses the value; errors. */
static int normal_of(struct dit_verifier *verifier, const struct dit_ad *ad,
                     struct dit_span value, struct dit_span *ret)
{
	int r = dit_attr_normalize(verifier->opts.schema, ad->type, value,
	                           &verifier->arena, ret);

	return r == DIT_E_INVALID || r == DIT_E_UNKNOWN ? 0 : r < 0 ? r : 1;
}

/*
 * A naming value of an X-ORDERED type has the normal form that it has in the DN, where
 * "{3}" is no place.
 */
static int match_normal_in_dn(struct dit_verifier *verifier, const struct dit_attr *attr,
                              uint32_t i)
{
	const struct dit_attr_type *type = attr->ad->type;
	struct dit_span normal;
	int r = 0;

	if (dit_attr_order_prefix(type, attr->values[i]) == 0) {
		return 0;
	}
	r = dit_value_normalize(verifier->opts.schema, type->equality->normalizer,
	                        attr->values[i], &verifier->arena, &normal);
	return r == 0 ? dit_span_eq(normal, attr->normal[i])
	       : r == DIT_E_INVALID || r == DIT_E_UNKNOWN ? 0
	                                                  : r;
}

static int verify_normal(struct dit_verifier *verifier, const struct dit_attr *attr,
                         uint32_t i)
{
	struct dit_flaw flaw = {.ad = attr->ad, .value = i, .stored = attr->normal[i]};
	int r = normal_of(verifier, attr->ad, attr->values[i], &flaw.made);

	if (r == 0) {
		flaw.kind = DIT_FLAW_NORMAL_REFUSED;
		tell(verifier, &flaw);
		return 0;
	}
	if (r < 0 || dit_span_eq(flaw.made, flaw.stored)) {
		return r < 0 ? r : 0;
	}
	r = match_normal_in_dn(verifier, attr, i);
	if (r == 0) {
		flaw.kind = DIT_FLAW_NORMAL;
		tell(verifier, &flaw);
	}
	return r < 0 ? r : 0;
}

static int verify_normals(struct dit_verifier *verifier, const struct dit_attr *attr)
{
	int r = 0;

	if (!dit_attr_has_normal(attr->ad->type)) {
		const struct dit_flaw flaw = {.kind = DIT_FLAW_NORMAL_SURPLUS,
		                              .ad = attr->ad};

		tell(verifier, &flaw);
		return 0;
	}
	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		r = verify_normal(verifier, attr, i);
	}
	return r;
}

/*
 * A naming value that its rule refuses takes the normal forms of the other values with it
 * (entry_check_names.c), and slapd stores none for what it generates. Where all values
 * are their own normal forms, none is missed.
 */
static int verify_absence(struct dit_verifier *verifier, const struct dit_attr *attr)
{
	const struct dit_flaw flaw = {.kind = DIT_FLAW_NORMAL_MISSING, .ad = attr->ad};
	bool is_missed = false;
	int r = 1;

	if (!dit_attr_has_normal(attr->ad->type) ||
	    attr->ad->type->usage != DIT_USAGE_USER) {
		return 0;
	}
	for (uint32_t i = 0; i < attr->nvalues && r == 1; i++) {
		struct dit_span normal;

		r = normal_of(verifier, attr->ad, attr->values[i], &normal);
		is_missed =
			is_missed || (r == 1 && !dit_span_eq(normal, attr->values[i]));
	}
	if (r == 1 && is_missed) {
		tell(verifier, &flaw);
	}
	return r < 0 ? r : 0;
}

/* ---- order ---- */

static void verify_order(struct dit_verifier *verifier, const struct dit_attr *attr)
{
	const struct dit_attr_type *type = attr->ad->type;
	const struct dit_span *keys = attr->normal != NULL ? attr->normal : attr->values;
	dit_value_order_fn order = dit_value_order(type);
	const uint64_t *sorted = verifier->opts.sorted;
	struct dit_flaw flaw = {.ad = attr->ad};

	for (uint32_t i = 1; attr->is_sorted && i < attr->nvalues; i++) {
		if (order(keys[i - 1], keys[i]) >= 0) {
			flaw.kind = DIT_FLAW_ORDER;
			flaw.value = i;
			tell(verifier, &flaw);
		}
	}
	if (!attr->is_sorted && sorted != NULL &&
	    (sorted[type->ordinal / 64] >> (type->ordinal % 64) & 1) != 0) {
		flaw.kind = DIT_FLAW_UNSORTED;
		tell(verifier, &flaw);
	}
}

int dit_verify_attr(struct dit_verifier *verifier, const struct dit_attr *attr,
                    bool has_order)
{
	int r = attr->normal != NULL ? verify_normals(verifier, attr)
	                             : verify_absence(verifier, attr);

	dit_arena_reset(&verifier->arena);
	if (has_order) {
		verify_order(verifier, attr);
	}
	return r;
}

/* ---- classes ---- */

int dit_verify_classes(struct dit_verifier *verifier, const struct dit_attr *classes,
                       uint32_t oc_flags)
{
	struct dit_flaw flaw = {.kind = DIT_FLAW_CLASSES, .flags = DIT_OC_COMPUTED};
	const struct dit_class_set *set = NULL;
	int r = 0;

	if (classes != NULL) {
		r = dit_class_sets_find(&verifier->classes, verifier->opts.schema,
		                        classes->values, classes->nvalues, &set);
		if (r < 0) {
			return r;
		}
		flaw.flags = set->oc_flags;
	}
	if (flaw.flags != oc_flags) {
		tell(verifier, &flaw);
	}
	return 0;
}

/* ---- names ---- */

static bool has_value(const struct dit_verifier *verifier, const struct dit_entry *entry,
                      const struct dit_attr_type *type, struct dit_span asserted)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		if (attr->ad == &type->ad &&
		    dit_attr_has_name_value(verifier->opts.schema, attr, asserted)) {
			return true;
		}
	}
	return false;
}

int dit_verify_names(struct dit_verifier *verifier, const struct dit_entry *entry)
{
	const struct dit_dn *dn = &entry->dn;
	int r = 0;

	if ((entry->oc_flags & DIT_OC_GLUE) != 0) {
		return 0;
	}
	for (unsigned i = 0; i < dn->navas && r >= 0; i++) {
		const struct dit_ava *ava = &dn->avas[i];
		struct dit_flaw flaw = {.kind = DIT_FLAW_NAME_VALUE,
		                        .ad = &ava->type->ad,
		                        .stored = ava->value};
		struct dit_span asserted;

		r = dit_name_value(verifier->opts.schema, ava, &verifier->arena,
		                   &asserted);
		if (r == DIT_E_INVALID || r == DIT_E_UNKNOWN) {
			asserted = ava->value;
			r = 0;
		}
		if (r >= 0 && !has_value(verifier, entry, ava->type, asserted)) {
			tell(verifier, &flaw);
		}
	}
	dit_arena_reset(&verifier->arena);
	return r < 0 ? r : 0;
}
