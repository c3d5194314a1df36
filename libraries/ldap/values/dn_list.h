/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DN taken apart: RDNs, their AVAs sorted by type name, each with the forms asked for
 * (values.md 5.2 - 5.4). For the files of this room only.
 *
 *   dit_dn_list_init();
 *   dit_dn_list_read();
 *   dit_dn_list_put() once per form
 *
 * Nothing to free: all of it is in the arena of the scope. Threads: no state.
 */
#ifndef DITKIT_DN_LIST_H
#define DITKIT_DN_LIST_H

#include "values/dn_parse.h"
#include "values/value_scope.h"

#define DIT_DN_NFORMS         2
#define DIT_DN_FORM_BIT(form) (1u << (form) & ((1u << DIT_DN_NFORMS) - 1))

struct dit_dn_item {
	struct dit_dn_item *next;
	const struct dit_attr_type *type;
	struct dit_span value[DIT_DN_NFORMS]; /* without escapes */
	bool is_plain[DIT_DN_NFORMS];         /* no escapes needed */
};

struct dit_dn_rdn {
	struct dit_dn_rdn *next;
	struct dit_dn_item *items; /* by type name */
	unsigned nitems;
};

struct dit_dn_list {
	struct dit_value_scope inner; /* of the values in this DN */
	unsigned forms;               /* DIT_DN_FORM_BIT()s; none: only validate */
	bool is_hex;                  /* escape what is not ASCII (certificates) */
	const struct dit_attr_type *last_type;
	struct dit_dn_rdn *first;
	struct dit_dn_rdn *last;
	unsigned n;
};

/** @param scope  of the whole DN */
void dit_dn_list_init(struct dit_dn_list *list, const struct dit_value_scope *scope,
                      unsigned forms);

/** Length, bytes and depth that any reading demands. */
int dit_dn_list_check(const struct dit_dn_list *list, struct dit_span text);

/** Read a DN. @return 0; DIT_E_INVALID; DIT_E_UNSUPPORTED; -ENOMEM */
int dit_dn_list_read(struct dit_dn_list *list, struct dit_span text);

/** Read the first RDN; the text after it is not looked at. */
int dit_dn_list_read_first(struct dit_dn_list *list, struct dit_span text);

/** The type of an AVA; NULL if there is no such type or it cannot be in a DN. */
const struct dit_attr_type *dit_dn_list_type(struct dit_dn_list *list,
                                             struct dit_span name);

/** The rule that makes normal forms in DNs; UUIDs stay text. */
enum dit_normalizer dit_dn_normalizer(const struct dit_attr_type *type);

/** Syntaxes that take any ASCII text but the empty one. */
bool dit_dn_takes_ascii(enum dit_validator validator);

/** Rules that only squeeze and fold ASCII: no byte comes up that has to be escaped. */
bool dit_dn_keeps_plain(enum dit_normalizer normalizer);

/**
 * Write one form of the DN. Plain values of the items are afterwards those in the output.
 *
 * @param tail  DN to put after it, or empty
 * @param at    list->n offsets of the RDNs, or NULL: not wanted
 */
int dit_dn_list_put(struct dit_dn_list *list, enum dit_dn_form form, struct dit_span tail,
                    uint32_t *at, struct dit_span *ret);

#endif
