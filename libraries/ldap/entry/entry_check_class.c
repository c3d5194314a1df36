/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of classes, structural class and content rule (values.md 7.2 B, C, E, F). */
#include "entry/entry_check.h"

#include <errno.h>

/* ---- B ---- */

/* Why an object class that the entry has is refused. */
static struct dit_why why_class(const struct dit_entry_check *check,
                                enum dit_why_kind kind, uint32_t value)
{
	return (struct dit_why){.kind = kind,
	                        .place = DIT_WHY_AT_VALUE,
	                        .ad = check->work->object_class,
	                        .value = check->classes[value]};
}

static int check_outcome(struct dit_entry_check *check)
{
	const uint32_t *culprits = check->set->culprits;
	struct dit_why why = {0};

	switch (check->set->outcome) {
	case DIT_STRUCTURAL_UNKNOWN_CLASS:
		why = why_class(check, DIT_WHY_CLASS_UNDEFINED, culprits[0]);
		break;
	case DIT_STRUCTURAL_CHAIN:
		why = why_class(check, DIT_WHY_CLASS_CHAIN, culprits[1]);
		why.name = check->classes[culprits[0]];
		break;
	case DIT_STRUCTURAL_NONE:
		return dit_check_refuse_attr(check, DIT_WHY_CLASS_NONE,
		                             check->work->object_class, "");
	case DIT_STRUCTURAL_FOUND:
		return 0;
	}
	return dit_check_refuse(check, why);
}

/* ---- C ---- */

static int add_structural(struct dit_entry_check *check)
{
	struct dit_attr *attr =
		dit_entry_add(check->entry, check->work->structural_class, check->arena);
	struct dit_span *value = NULL;

	if (attr == NULL) {
		return -ENOMEM;
	}
	value = dit_arena_alloc(check->arena, sizeof(*value));
	if (value == NULL) {
		return -ENOMEM;
	}
	*value = dit_span_of(check->set->structural->name);
	attr->values = value;
	attr->nvalues = 1;
	dit_check_see(check, attr->ad->type);
	return 0;
}

/* The entry's own structural class; @p name as the entry has it. */
static int check_own_structural(struct dit_entry_check *check, struct dit_span name)
{
	const struct dit_class *oc = dit_schema_find_class(check->context->schema, name);
	const struct dit_class *structural = check->set->structural;
	struct dit_why why = {.place = DIT_WHY_AT_VALUE,
	                      .ad = check->structural != NULL
	                                    ? check->work->structural_class
	                                    : check->work->object_class,
	                      .value = name,
	                      .detail = dit_span_of(structural->name)};

	if (oc == NULL) {
		why.kind = DIT_WHY_OWN_UNDEFINED;
	} else if (oc->kind != DIT_CLASS_STRUCTURAL) {
		why.kind = DIT_WHY_OWN_KIND;
	} else if (oc->is_obsolete) {
		why.kind = DIT_WHY_OWN_OBSOLETE;
	} else if (oc != structural) {
		why.kind = DIT_WHY_OWN_OTHER;
	}
	return why.kind == DIT_WHY_NONE ? 0 : dit_check_refuse(check, why);
}

int dit_check_structural(struct dit_entry_check *check)
{
	int r = check_outcome(check);

	if (r < 0) {
		return r;
	}
	if (check->structural != NULL) {
		return check_own_structural(check, check->structural[0]);
	}
	if (check->set->structural->is_obsolete) {
		return check_own_structural(check,
		                            dit_span_of(check->set->structural->name));
	}
	return add_structural(check);
}

/* ---- E and F ---- */

/* True if the entry passes a step. */
static bool passes(const struct dit_entry_check *check, const struct dit_class_step *step)
{
	switch (step->kind) {
	case DIT_WHY_RULE_REQUIRES:
	case DIT_WHY_CLASS_REQUIRES:
		return dit_check_has_seen(check, step->type);
	case DIT_WHY_RULE_PRECLUDES:
		return !dit_check_has_seen(check, step->type);
	case DIT_WHY_CLASS_ROOTDSE:
		return check->entry->dn.nrdns == 0;
	case DIT_WHY_CLASS_SUBENTRY:
		return (check->entry->oc_flags & DIT_OC_SUBENTRY) != 0;
	case DIT_WHY_CLASS_DYNAMIC:
		return check->context->allow_dynamic;
	default:
		return false;
	}
}

static int refuse_step(struct dit_entry_check *check, const struct dit_class_step *step)
{
	const struct dit_class *oc = check->set->classes[step->value];
	const struct dit_content_rule *rule = check->set->rule;
	struct dit_why why = why_class(check, step->kind, step->value);

	switch (step->kind) {
	case DIT_WHY_RULE_OBSOLETE:
		why.detail = dit_span_of(rule->name);
		break;
	case DIT_WHY_RULE_REQUIRES:
		why.name = dit_span_of(rule->name);
		why.detail = dit_span_of(step->type->name);
		break;
	case DIT_WHY_RULE_PRECLUDES:
		return dit_check_refuse_attr(check, step->kind, &step->type->ad,
		                             rule->name);
	case DIT_WHY_RULE_CLASS:
		why.name = dit_span_of(oc->name);
		why.detail = dit_span_of(rule->name);
		break;
	case DIT_WHY_CLASS_REQUIRES:
		why.detail = dit_span_of(step->type->name);
		break;
	default:
		why.detail = dit_span_of(oc->oid);
		break;
	}
	return dit_check_refuse(check, why);
}

int dit_check_classes(struct dit_entry_check *check)
{
	for (uint32_t i = 0; i < check->set->nsteps; i++) {
		if (!passes(check, &check->set->steps[i])) {
			return refuse_step(check, &check->set->steps[i]);
		}
	}
	return 0;
}
