/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the check of one entry; for the files of this room only.
 *
 *   entry_check.c         the order of the parts (values.md 7)
 *   entry_check_attrs.c   A: each attribute in its place; G: each attribute allowed
 *   entry_check_class.c   B, C, E, F: classes and content rule
 *   entry_check_names.c   D: naming values
 *   entry_check_values.c  syntax and duplicates, with value-check=yes
 *
 * All parts return 0; DIT_E_INVALID with the refusal set; -ENOMEM.
 */
#ifndef DITKIT_ENTRY_CHECK_H
#define DITKIT_ENTRY_CHECK_H

#include "entry/entry.h"
#include "entry/entry_work.h"
#include "entry/why.h"

/* LDAP result codes of refusals (RFC 4511 appendix A). */
#define DIT_LDAP_UNDEFINED_TYPE       17
#define DIT_LDAP_CONSTRAINT_VIOLATION 19
#define DIT_LDAP_TYPE_OR_VALUE_EXISTS 20
#define DIT_LDAP_INVALID_SYNTAX       21
#define DIT_LDAP_NAMING_VIOLATION     64
#define DIT_LDAP_CLASS_VIOLATION      65
#define DIT_LDAP_NO_CLASS_MODS        69
#define DIT_LDAP_OTHER                80

struct dit_entry_check {
	const struct dit_entry_context *context;
	struct dit_entry_work *work;
	struct dit_entry *entry;
	struct dit_arena *arena;
	struct dit_notes *notes;
	const struct dit_span *classes;    /* values of the last objectClass block */
	const struct dit_span *structural; /* of structuralObjectClass, or NULL: none */
	const struct dit_class_set *set;   /* of the classes */
	struct dit_entry_refusal *refusal;
};

/** How slapd writes the refusal to its log before slapadd's own line. */
enum dit_refusal_note {
	DIT_NOTE_NONE,
	DIT_NOTE_ENTRY_COMMA, /* Entry (DN), TEXT */
	DIT_NOTE_ENTRY_COLON, /* Entry (DN): TEXT */
	DIT_NOTE_CHECK,       /* entry_check_schema(DN): TEXT */
	DIT_NOTE_CHECK_ONLY,  /* likewise, and the refusal's own text is lost: "(null)" */
};

/** Set the refusal. @return DIT_E_INVALID or -ENOMEM */
int dit_check_refuse(struct dit_entry_check *check, int code, enum dit_refusal_note note,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Note why: @p ad, the last line of it, and a name (empty: none) that the text shows. */
static inline void dit_check_why_attr(struct dit_entry_check *check,
                                      enum dit_why_kind kind, const struct dit_ad *ad,
                                      const char *detail)
{
	dit_why_set(check->notes, (struct dit_why){.kind = kind,
	                                           .place = DIT_WHY_AT_ATTR,
	                                           .ad = ad,
	                                           .detail = dit_span_of(detail)});
}

/** Note why: a value of @p ad. */
static inline void dit_check_why_value(struct dit_entry_check *check,
                                       enum dit_why_kind kind, const struct dit_ad *ad,
                                       struct dit_span value, const char *detail)
{
	dit_why_set(check->notes, (struct dit_why){.kind = kind,
	                                           .place = DIT_WHY_AT_VALUE,
	                                           .ad = ad,
	                                           .value = value,
	                                           .detail = dit_span_of(detail)});
}

int dit_check_attr_places(struct dit_entry_check *check);
int dit_check_structural(struct dit_entry_check *check);
int dit_check_names(struct dit_entry_check *check);
int dit_check_classes(struct dit_entry_check *check);
int dit_check_attrs_allowed(struct dit_entry_check *check);
/** Also DIT_E_UNSUPPORTED. */
int dit_check_values(struct dit_entry_check *check);

/**
 * Does slapd take two values of a type, in their normal forms, for equal?
 *
 * @param value  of the entry; @p asserted what is looked for
 */
bool dit_check_values_equal(const struct dit_schema *schema,
                            const struct dit_attr_type *type, struct dit_span value,
                            struct dit_span asserted);

/* Types that the current check has seen in the entry, options aside. */
static inline void dit_check_see(struct dit_entry_check *check,
                                 const struct dit_attr_type *type)
{
	check->work->seen[type->ordinal] = check->work->check;
}

static inline bool dit_check_has_seen(const struct dit_entry_check *check,
                                      const struct dit_attr_type *type)
{
	return check->work->seen[type->ordinal] == check->work->check;
}

#endif
