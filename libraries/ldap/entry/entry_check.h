/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the check of one entry; for the files of this room only.
 *
 *   entry_check.c         the order of the parts (values.md 7); A: each attribute in its
 *                         place; G: each attribute allowed
 *   entry_check_class.c   B, C, E, F: classes and content rule
 *   entry_check_names.c   D: naming values
 *   entry_check_values.c  syntax and duplicates, with value-check=yes
 *
 * All parts return 0; DIT_E_INVALID with the reason noted; -ENOMEM.
 */
#ifndef DITKIT_ENTRY_CHECK_H
#define DITKIT_ENTRY_CHECK_H

#include "entry/entry.h"
#include "entry/entry_work.h"
#include "entry/why.h"

struct dit_entry_check {
	const struct dit_entry_context *context;
	struct dit_entry_work *work;
	struct dit_entry *entry;
	struct dit_arena *arena;
	struct dit_notes *notes;
	const struct dit_span *classes;    /* values of the last objectClass block */
	const struct dit_span *structural; /* of structuralObjectClass, or NULL: none */
	const struct dit_class_set *set;   /* of the classes */
	bool loses_texts;                  /* of refusals: slapd shows "(null)" */
};

/**
 * Refuse the entry, in slapd's words for that kind (entry_check.c).
 *
 * @return DIT_E_INVALID, with the reason noted; -ENOMEM
 */
int dit_check_refuse(struct dit_entry_check *check, struct dit_why why);

/** The same in other words. @param text  for dit_why_fill() */
int dit_check_refuse_as(struct dit_entry_check *check, struct dit_why why,
                        const char *text, enum dit_refusal_note note);

/** Refuse the last line of @p ad. @param detail  {d}; empty: none */
int dit_check_refuse_attr(struct dit_entry_check *check, enum dit_why_kind kind,
                          const struct dit_ad *ad, const char *detail);

int dit_check_structural(struct dit_entry_check *check);
int dit_check_names(struct dit_entry_check *check);
int dit_check_classes(struct dit_entry_check *check);
/** Also DIT_E_UNSUPPORTED. */
int dit_check_values(struct dit_entry_check *check);

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
