/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a stored entry what the schema makes of its values?
 *
 *   dit_verifier_new();
 *   for each entry:  dit_verify_attr() of each attribute, dit_verify_classes(),
 *                    dit_verify_names()
 *   dit_verifier_free()
 *
 * Findings go to a callback; nothing is changed. A thing that slapadd may leave out is no
 * flaw: normal forms of attributes that slapd makes itself, and of an attribute with a
 * value that its rule refuses.
 *
 * Threads: belongs to one thread; the schema is shared and constant.
 */
#ifndef DITKIT_ENTRY_VERIFY_H
#define DITKIT_ENTRY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "entry/entry.h"

enum dit_flaw_kind {
	DIT_FLAW_NORMAL,         /* a normal form is not that of its value */
	DIT_FLAW_NORMAL_REFUSED, /* there is one, and the rule refuses the value */
	DIT_FLAW_NORMAL_MISSING, /* of the whole attribute */
	DIT_FLAW_NORMAL_SURPLUS, /* likewise: the rule makes none */
	DIT_FLAW_ORDER,          /* marked as sorted; the value is not above the last */
	DIT_FLAW_UNSORTED,       /* of the whole attribute: sortvals wants order */
	DIT_FLAW_CLASSES,        /* the entry's flags are not those of its classes */
	DIT_FLAW_NAME_VALUE,     /* the entry lacks a value that names it */
};

struct dit_flaw {
	enum dit_flaw_kind kind;
	const struct dit_ad *ad; /* NULL: the entry */
	uint32_t value;          /* its index, if it is about one */
	struct dit_span stored;  /* normal form; what names the entry */
	struct dit_span made;    /* normal form */
	uint32_t flags;          /* those that its classes make */
};

/** The flaw is valid during the call. */
typedef void (*dit_flaw_fn)(void *ctx, const struct dit_flaw *flaw);

struct dit_verifier;

struct dit_verifier_opts {
	const struct dit_schema *schema; /* borrowed */
	const uint64_t *sorted; /* as in struct dit_entry_context; borrowed; NULL: none */
	dit_flaw_fn found;
	void *ctx; /* of found */
};

/** @return 0 or -ENOMEM */
int dit_verifier_new(struct dit_verifier **ret, const struct dit_verifier_opts *opts);
/** NULL is fine. */
void dit_verifier_free(struct dit_verifier *verifier);

/*
 * All return 0, with flaws or without; -ENOMEM; DIT_E_UNSUPPORTED: DNs in values of DNs
 * nest too deeply, and the value was not looked at.
 */

/** @param has_order  false: the order of values is not looked at */
int dit_verify_attr(struct dit_verifier *verifier, const struct dit_attr *attr,
                    bool has_order);

/**
 * The flags of an entry (storage.md 4.5).
 *
 * @param classes  the first objectClass attribute; NULL: there is none
 */
int dit_verify_classes(struct dit_verifier *verifier, const struct dit_attr *classes,
                       uint32_t oc_flags);

/**
 * The values of the first RDN are among those of the entry. An entry of the class glue
 * needs none.
 */
int dit_verify_names(struct dit_verifier *verifier, const struct dit_entry *entry);

#endif
