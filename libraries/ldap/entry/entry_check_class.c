/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of classes, structural class and content rule (values.md 7.2 B, C, E, F). */
#include "entry/entry_work.h"

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

static int refuse_set(struct dit_entry_check *check)
{
	const struct dit_class_set *set = check->set;
	struct dit_why why = {0};

	if (set->refusal == DIT_WHY_CLASS_NONE) {
		return dit_check_refuse_attr(check, set->refusal,
		                             check->work->object_class, "");
	}
	why = why_class(check, set->refusal, set->culprits[0]);
	if (set->refusal == DIT_WHY_CLASS_CHAIN) {
		why.name = check->classes[set->culprits[1]];
	}
	return dit_check_refuse(check, why);
}

/* ---- C ---- */

/* @param attr  NULL: no memory */
static int put_structural(struct dit_entry_check *check, struct dit_attr *attr)
{
	struct dit_span *value = dit_arena_alloc(check->arena, sizeof(*value));

	if (attr == NULL || value == NULL) {
		return -ENOMEM;
	}
	*value = dit_span_of(check->set->structural->name);
	attr->values = value;
	attr->nvalues = 1;
	dit_check_see(check, attr->ad->type);
	return 0;
}

static int add_structural(struct dit_entry_check *check)
{
	return put_structural(
		check,
		dit_entry_add(check->entry, check->work->structural_class, check->arena));
}

/* slapd lets a glue entry become another one. */
static int replace_glue(struct dit_entry_check *check)
{
	struct dit_attr *attr = check->entry->attrs;

	while (attr->values != check->structural) {
		attr++;
	}
	return put_structural(check, attr);
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
	} else if (oc != structural && (oc->oc_flags & DIT_OC_GLUE) != 0) {
		return replace_glue(check);
	} else if (oc != structural) {
		why.kind = DIT_WHY_OWN_OTHER;
	}
	return why.kind == DIT_WHY_NONE ? 0 : dit_check_refuse(check, why);
}

int dit_check_structural(struct dit_entry_check *check)
{
	if (check->set->refusal != DIT_WHY_NONE) {
		return refuse_set(check);
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

/* @param name  {a}; @p detail  {d} */
static int refuse_class(struct dit_entry_check *check, enum dit_why_kind kind, uint32_t i,
                        const char *name, const char *detail)
{
	struct dit_why why = why_class(check, kind, i);

	why.name = dit_span_of(name);
	why.detail = dit_span_of(detail);
	return dit_check_refuse(check, why);
}

/* The first type of the list that the entry does not have; NULL: none. */
static const struct dit_attr_type *find_missing(const struct dit_entry_check *check,
                                                const struct dit_attr_type **list)
{
	while (list != NULL && *list != NULL && dit_check_has_seen(check, *list)) {
		list++;
	}
	return list == NULL ? NULL : *list;
}

static int check_rule(struct dit_entry_check *check, const struct dit_content_rule *rule)
{
	const struct dit_attr_type *missing = NULL;

	if (rule->is_obsolete) {
		return refuse_class(check, DIT_WHY_RULE_OBSOLETE, 0, "", rule->name);
	}
	missing = find_missing(check, rule->must);
	if (missing != NULL) {
		return refuse_class(check, DIT_WHY_RULE_REQUIRES, 0, rule->name,
		                    missing->name);
	}
	for (const struct dit_attr_type **t = rule->precluded; t != NULL && *t != NULL;
	     t++) {
		if (dit_check_has_seen(check, *t)) {
			return dit_check_refuse_attr(check, DIT_WHY_RULE_PRECLUDES,
			                             &(*t)->ad, rule->name);
		}
	}
	return 0;
}

/* Why slapd does not take the class in the place of the entry. */
static enum dit_why_kind find_misplaced(const struct dit_entry_check *check,
                                        const struct dit_class *oc)
{
	bool is_misplaced = false;

	switch (oc->check) {
	case DIT_CLASS_CHECK_ROOTDSE:
		is_misplaced = check->entry->dn.nrdns > 0;
		return is_misplaced ? DIT_WHY_CLASS_ROOT_DSE : DIT_WHY_NONE;
	case DIT_CLASS_CHECK_SUBENTRY:
		is_misplaced =
			((oc->oc_flags | check->entry->oc_flags) & DIT_OC_SUBENTRY) == 0;
		return is_misplaced ? DIT_WHY_CLASS_SUBENTRY : DIT_WHY_NONE;
	case DIT_CLASS_CHECK_DYNAMIC:
		is_misplaced = !check->context->allow_dynamic;
		return is_misplaced ? DIT_WHY_CLASS_DYNAMIC : DIT_WHY_NONE;
	default: /* the class itself makes an entry an alias or a referral */
		return DIT_WHY_NONE;
	}
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

static int check_class(struct dit_entry_check *check, uint32_t i)
{
	const struct dit_class_set *set = check->set;
	const struct dit_class *oc = set->classes[i];
	enum dit_why_kind kind =
		oc->is_obsolete ? DIT_WHY_CLASS_OBSOLETE : find_misplaced(check, oc);
	const struct dit_attr_type *missing = NULL;

	if (kind == DIT_WHY_NONE && oc->kind == DIT_CLASS_ABSTRACT &&
	    oc != check->work->top && !has_listed_subclass(set, i)) {
		kind = DIT_WHY_CLASS_ABSTRACT;
	}
	if (kind != DIT_WHY_NONE) {
		return refuse_class(check, kind, i, "", oc->oid);
	}
	if (!dit_class_set_counts(set, oc)) {
		return 0;
	}
	if (oc->kind == DIT_CLASS_AUXILIARY && set->rule != NULL &&
	    !DIT_IS_LISTED(oc, set->rule->aux)) {
		return refuse_class(check, DIT_WHY_RULE_CLASS, i, oc->name,
		                    set->rule->name);
	}
	missing = find_missing(check, oc->must);
	return missing == NULL ? 0
	                       : refuse_class(check, DIT_WHY_CLASS_REQUIRES, i, "",
	                                      missing->name);
}

int dit_check_classes(struct dit_entry_check *check)
{
	const struct dit_class_set *set = check->set;
	int r = set->rule == NULL ? 0 : check_rule(check, set->rule);

	for (uint32_t i = 0; i < set->nvalues && r == 0; i++) {
		r = check_class(check, i);
	}
	return r;
}
