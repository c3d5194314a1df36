/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of classes, structural class and content rule (values.md 7.2 B, C, E, F). */
#include "entry/entry_check.h"

#include <errno.h>

/* ---- B ---- */

static int refuse_outcome(struct dit_entry_check *check)
{
	const struct dit_class_set *set = check->set;
	const struct dit_span *values = check->classes;

	switch (set->outcome) {
	case DIT_STRUCTURAL_UNKNOWN_CLASS:
		return dit_check_refuse(check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_NONE,
		                        "unrecognized objectClass '%.*s'",
		                        DIT_SPAN_ARGS(values[set->culprits[0]]));
	case DIT_STRUCTURAL_CHAIN:
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_NONE,
			"invalid structural object class chain (%.*s/%.*s)",
			DIT_SPAN_ARGS(values[set->culprits[0]]),
			DIT_SPAN_ARGS(values[set->culprits[1]]));
	case DIT_STRUCTURAL_NONE:
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

/* The entry's own structural class; @p name as the entry has it. */
static int check_own_structural(struct dit_entry_check *check, struct dit_span name)
{
	const struct dit_class *oc = dit_schema_find_class(check->context->schema, name);
	const struct dit_class *structural = check->set->structural;

	if (oc == NULL) {
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_CHECK_ONLY,
			"unrecognized structuralObjectClass '%.*s'", DIT_SPAN_ARGS(name));
	}
	if (oc->kind != DIT_CLASS_STRUCTURAL) {
		return dit_check_refuse(check, DIT_LDAP_OTHER, DIT_NOTE_CHECK_ONLY,
		                        "structuralObjectClass '%.*s' is not STRUCTURAL",
		                        DIT_SPAN_ARGS(name));
	}
	if (oc->is_obsolete) {
		return dit_check_refuse(
			check, DIT_LDAP_CLASS_VIOLATION, DIT_NOTE_CHECK_ONLY,
			"structuralObjectClass '%.*s' is OBSOLETE", DIT_SPAN_ARGS(name));
	}
	if (oc != structural) {
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

static int refuse_step(struct dit_entry_check *check, const struct dit_class_step *step)
{
	struct dit_span value = check->classes[step->value];
	const struct dit_class *oc = check->set->classes[step->value];
	const struct dit_content_rule *rule = check->set->rule;
	const int code = DIT_LDAP_CLASS_VIOLATION;

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
