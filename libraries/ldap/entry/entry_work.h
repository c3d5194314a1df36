/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a thread from entry to entry, and the parts of the check; for the files
 * of this room only.
 *
 * Threads: everything here belongs to the thread that owns the caches.
 */
#ifndef DITKIT_ENTRY_WORK_H
#define DITKIT_ENTRY_WORK_H

#include "entry/entry.h"
#include "entry/why.h"

/* class_sets.c: the meaning of a list of objectClass values, found once for each list */

struct dit_class_set {
	struct dit_class_set *next;
	struct dit_span *values;
	uint32_t nvalues;
	uint32_t oc_flags; /* storage.md 4.5 */

	/* Why there is no structural class; DIT_WHY_NONE: there is one. */
	enum dit_why_kind refusal;
	uint32_t culprits[2]; /* value indexes: the class in the way, the one before it */
	const struct dit_class **classes; /* one for each value; NULL: unknown */

	/* Only if a structural class was found. */
	const struct dit_class *structural;
	const struct dit_content_rule *rule; /* or NULL */
	bool is_extensible;                  /* any attribute may be present */
	const uint64_t *allowed;             /* bit set over ordinals of types */
};

struct dit_class_sets {
	struct dit_arena arena;
	struct dit_class_set *first; /* the one found last: most entries repeat it */
	unsigned nsets;
};

/**
 * The set for a list of objectClass values, made if it is new.
 *
 * @param ret  valid until the next call
 *
 * @return 0 or -ENOMEM
 */
int dit_class_sets_find(struct dit_class_sets *sets, const struct dit_schema *schema,
                        const struct dit_span *values, uint32_t nvalues,
                        const struct dit_class_set **ret);

/**
 * Does the class require and allow attributes by itself? Attributes of an abstract class,
 * or of a superclass of the structural class, are those of its subclass already.
 */
static inline bool dit_class_set_counts(const struct dit_class_set *set,
                                        const struct dit_class *oc)
{
	return oc->kind == DIT_CLASS_AUXILIARY || oc == set->structural;
}

static inline bool dit_class_set_allows(const struct dit_class_set *set,
                                        const struct dit_attr_type *type)
{
	return (set->allowed[type->ordinal / 64] >> (type->ordinal % 64) & 1) != 0;
}

/* The memory of the steps */

/** Neighbouring lines of one name, as typed; see entry_runs.c. */
struct dit_entry_run {
	const struct dit_ad *ad; /* NULL: unknown, or refused */
	const char *reason;      /* why it is unknown */
	/* With ad NULL: the description, of a single value, had another name before. */
	const struct dit_ad *renamed;
	struct dit_span name; /* as typed */
	size_t first;         /* line */
	size_t nlines;
	uint32_t next;  /* run that is gathered after this one; 0: none */
	uint32_t last;  /* of the first run of a name: its last run */
	uint32_t alias; /* of the first run of a name: that of another name; 0: none */
	bool is_head;
};

/** Where an attribute description was seen in the current record. */
struct dit_entry_mark {
	uint32_t record; /* number of the record for which run is valid */
	uint32_t run;    /* head of the newest chain of this description */
};

/** YYYYmmddHHMMSS of a time, as text. */
struct dit_entry_second {
	uint64_t second; /* since the epoch */
	char text[15];   /* with its NUL */
	bool is_set;
};

/** Operational attributes that an entry is given. */
#define DIT_ENTRY_NCOMPLETED 6

struct dit_entry_work {
	struct dit_ad_cache ads;

	/* entry_runs.c */
	struct dit_entry_run *runs; /* run 0 is not used */
	size_t runs_size;
	struct dit_entry_mark *marks; /* by ordinal of the description */
	size_t marks_size;
	uint32_t record; /* counts records; 0 marks nothing */

	/* entry_check.c */
	struct dit_class_sets classes;
	uint32_t *seen; /* by ordinal of the type: number of the check that saw it */
	uint32_t check; /* counts checks; 0 marks nothing */
	const struct dit_ad *object_class; /* looked up at the first check */
	const struct dit_ad *structural_class;
	const struct dit_class *top; /* may stand with any class, also one not below it */

	/* entry_complete.c */
	const struct dit_ad *completed[DIT_ENTRY_NCOMPLETED]; /* NULL before the first */
	struct dit_entry_second second;                       /* the last one */
};

/**
 * Find the runs of a record's lines, in caches->work->runs from 1 on; entry_runs.c.
 *
 * @param ret  number of the last one
 *
 * @return 0; DIT_E_TOOLONG: four thousand million lines; -ENOMEM
 */
int dit_entry_find_runs(const struct dit_entry_context *context,
                        struct dit_entry_caches *caches,
                        const struct dit_ldif_line *lines, size_t nlines, uint32_t *ret);

/*
 * The parts of the check of one entry:
 *
 *   entry_check.c         the order of the parts (values.md 7); A: each attribute in its
 *                         place; G: each attribute allowed
 *   entry_check_class.c   B, C, E, F: classes and content rule
 *   entry_check_names.c   D: naming values
 *   entry_check_values.c  syntax and duplicates, with value-check=yes
 *
 * All parts return 0; DIT_E_INVALID with the reason noted; -ENOMEM.
 */

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
