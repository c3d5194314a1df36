/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of classes, structural class and content rule (values.md 7.2 B, C, E, F). */
#include "entry/entry_check.h"

#include <errno.h>
#include <stdio.h>

/* ---- B ---- */

/* Note why: an object class that the entry has, and a name that the text shows. */
static void why_class(struct dit_entry_check *check, enum dit_why_kind kind,
                      struct dit_span value, const char *detail)
{
	dit_check_why_value(check, kind, check->work->object_class, value, detail);
}

static void why_chain(struct dit_entry_check *check, struct dit_span one,
                      struct dit_span other)
{
	size_t len = one.len + other.len + sizeof(" and ");
	char *text = dit_arena_bytes(check->arena, len);

	if (text != NULL) {
		(void)snprintf(text, len, "%.*s and %.*s", DIT_SPAN_ARGS(one),
		               DIT_SPAN_ARGS(other));
		why_class(check, DIT_WHY_CLASS_CHAIN, other, text);
	}
}

static int refuse_outcome(struct dit_entry_check *check)
{
	const struct dit_class_set *set = check->set;
	const struct dit_span *values = check->classes;

	switch (set->outcome) {
	case DIT_STRUCTURAL_UNKNOWN_CLASS:
		why_class(check, DIT_WHY_CLASS_UNDEFINED, values[set->culprits[0]], "");
		return dit_check_refuse(check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_NONE,
		                        "unrecognized objectClass '%.*s'",
		                        DIT_SPAN_ARGS(values[set->culprits[0]]));
	case DIT_STRUCTURAL_CHAIN:
		why_chain(check, values[set->culprits[0]], values[set->culprits[1]]);
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_NONE,
			"invalid structural object class chain (%.*s/%.*s)",
			DIT_SPAN_ARGS(values[set->culprits[0]]),
			DIT_SPAN_ARGS(values[set->culprits[1]]));
	case DIT_STRUCTURAL_NONE:
		dit_check_why_attr(check, DIT_WHY_CLASS_NONE, check->work->object_class,
		                   "");
		return dit_check_refuse(check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_NONE,
		                        "no structural object class provided");
	case DIT_STRUCTURAL_FOUND:
		break;
	}
	return 0;
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

static void why_own(struct dit_entry_check *check, enum dit_why_kind kind,
                    struct dit_span name, const char *detail)
{
	const struct dit_ad *ad = check->structural != NULL
	                                  ? check->work->structural_class
	                                  : check->work->object_class;

	dit_check_why_value(check, kind, ad, name, detail);
}

/* The entry's own structural class; @p name as the entry has it. */
static int check_own_structural(struct dit_entry_check *check, struct dit_span name)
{
	const struct dit_class *oc = dit_schema_find_class(check->context->schema, name);
	const struct dit_class *structural = check->set->structural;

	if (oc == NULL) {
		why_own(check, DIT_WHY_OWN_UNDEFINED, name, "");
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_CHECK_ONLY,
			"unrecognized structuralObjectClass '%.*s'", DIT_SPAN_ARGS(name));
	}
	if (oc->kind != DIT_CLASS_STRUCTURAL) {
		why_own(check, DIT_WHY_OWN_KIND, name, "");
		return dit_check_refuse(check, DIT_LDAP_OTHER, DIT_NOTE_CHECK_ONLY,
		                        "structuralObjectClass '%.*s' is not STRUCTURAL",
		                        DIT_SPAN_ARGS(name));
	}
	if (oc->is_obsolete) {
		why_own(check, DIT_WHY_OWN_OBSOLETE, name, "");
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_CHECK_ONLY,
			"structuralObjectClass '%.*s' is OBSOLETE", DIT_SPAN_ARGS(name));
	}
	if (oc != structural) {
		why_own(check, DIT_WHY_OWN_OTHER, name, structural->name);
		return dit_check_refuse(
			check, DIT_LDAP_NO_CLASS_MODS, DIT_NOTE_NONE,
			"structural object class modification from '%.*s' "
			"to '%s' not allowed",
			DIT_SPAN_ARGS(name), structural->name);
	}
	return 0;
}

int dit_check_structural(struct dit_entry_check *check)
{
	int r = refuse_outcome(check);

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
	case DIT_STEP_RULE_REQUIRES:
	case DIT_STEP_CLASS_REQUIRES:
		return dit_check_has_seen(check, step->type);
	case DIT_STEP_RULE_PRECLUDES:
		return !dit_check_has_seen(check, step->type);
	case DIT_STEP_CLASS_IN_ROOTDSE:
		return check->entry->dn.nrdns == 0;
	case DIT_STEP_CLASS_IN_SUBENTRY:
		return (check->entry->oc_flags & DIT_OC_SUBENTRY) != 0;
	case DIT_STEP_CLASS_IN_DYNAMIC:
		return check->context->allow_dynamic;
	case DIT_STEP_RULE_OBSOLETE:
	case DIT_STEP_CLASS_OBSOLETE:
	case DIT_STEP_CLASS_ABSTRACT:
	case DIT_STEP_CLASS_NOT_IN_RULE:
		break;
	}
	return false;
}

static void why_step(struct dit_entry_check *check, const struct dit_class_step *step)
{
	struct dit_span value = check->classes[step->value];
	const struct dit_content_rule *rule = check->set->rule;
	const char *type = step->type == NULL ? "" : step->type->name;
	const char *name = rule == NULL ? "" : rule->name;

	switch (step->kind) {
	case DIT_STEP_RULE_OBSOLETE:
		why_class(check, DIT_WHY_RULE_OBSOLETE, value, name);
		break;
	case DIT_STEP_RULE_REQUIRES:
		why_class(check, DIT_WHY_RULE_REQUIRES, value, type);
		break;
	case DIT_STEP_RULE_PRECLUDES:
		dit_check_why_attr(check, DIT_WHY_RULE_PRECLUDES, &step->type->ad, name);
		break;
	case DIT_STEP_CLASS_OBSOLETE:
		why_class(check, DIT_WHY_CLASS_OBSOLETE, value, "");
		break;
	case DIT_STEP_CLASS_IN_ROOTDSE:
		why_class(check, DIT_WHY_CLASS_ROOTDSE, value, "");
		break;
	case DIT_STEP_CLASS_IN_SUBENTRY:
		why_class(check, DIT_WHY_CLASS_SUBENTRY, value, "");
		break;
	case DIT_STEP_CLASS_IN_DYNAMIC:
		why_class(check, DIT_WHY_CLASS_DYNAMIC, value, "");
		break;
	case DIT_STEP_CLASS_ABSTRACT:
		why_class(check, DIT_WHY_CLASS_ABSTRACT, value, "");
		break;
	case DIT_STEP_CLASS_NOT_IN_RULE:
		why_class(check, DIT_WHY_RULE_CLASS, value, name);
		break;
	case DIT_STEP_CLASS_REQUIRES:
		why_class(check, DIT_WHY_CLASS_REQUIRES, value, type);
		break;
	}
}

static int refuse_step(struct dit_entry_check *check, const struct dit_class_step *step)
{
	struct dit_span value = check->classes[step->value];
	const struct dit_class *oc = check->set->classes[step->value];
	const struct dit_content_rule *rule = check->set->rule;
	const int code = DIT_LDAP_CLASS_VIOLATION;

	why_step(check, step);
	switch (step->kind) {
	case DIT_STEP_RULE_OBSOLETE:
		return dit_check_refuse(check, code, DIT_NOTE_ENTRY_COLON,
		                        "content rule '%s' is obsolete", rule->name);
	case DIT_STEP_RULE_REQUIRES:
		return dit_check_refuse(check, code, DIT_NOTE_ENTRY_COLON,
		                        "content rule '%s' requires attribute '%s'",
		                        rule->name, step->type->name);
	case DIT_STEP_RULE_PRECLUDES:
		return dit_check_refuse(check, code, DIT_NOTE_ENTRY_COLON,
		                        "content rule '%s' precluded attribute '%s'",
		                        rule->name, step->type->name);
	case DIT_STEP_CLASS_OBSOLETE:
		return dit_check_refuse(check, code, DIT_NOTE_CHECK,
		                        "objectClass '%.*s' is OBSOLETE",
		                        DIT_SPAN_ARGS(value));
	case DIT_STEP_CLASS_IN_ROOTDSE:
		return dit_check_refuse(check, code, DIT_NOTE_NONE,
		                        "objectClass \"%s\" only allowed in the root DSE",
		                        oc->oid);
	case DIT_STEP_CLASS_IN_SUBENTRY:
		return dit_check_refuse(check, code, DIT_NOTE_NONE,
		                        "objectClass \"%s\" only allowed in subentries",
		                        oc->oid);
	case DIT_STEP_CLASS_IN_DYNAMIC:
		return dit_check_refuse(check, code, DIT_NOTE_NONE,
		                        "objectClass \"%s\" not supported in context",
		                        oc->oid);
	case DIT_STEP_CLASS_ABSTRACT:
		return dit_check_refuse(check, code, DIT_NOTE_CHECK,
		                        "instantiation of abstract objectClass '%.*s' "
		                        "not allowed",
		                        DIT_SPAN_ARGS(value));
	case DIT_STEP_CLASS_NOT_IN_RULE:
		return dit_check_refuse(check, code, DIT_NOTE_ENTRY_COLON,
		                        "class '%s' not allowed by content rule '%s'",
		                        oc->name, rule->name);
	case DIT_STEP_CLASS_REQUIRES:
		break;
	}
	return dit_check_refuse(check, code, DIT_NOTE_ENTRY_COLON,
	                        "object class '%.*s' requires attribute '%s'",
	                        DIT_SPAN_ARGS(value), step->type->name);
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
