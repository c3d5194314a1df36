/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a value stands: the inside of value.h and dn.h, for the files of this room only.
 *
 * A value of an attribute and the same value inside a DN are treated alike but for a few
 * rules (values.md 5.3), and a value inside a DN may be a DN again. The functions here do
 * the same as those without a scope, and follow these rules.
 *
 * Threads: no state.
 */
#ifndef DITKIT_VALUE_SCOPE_H
#define DITKIT_VALUE_SCOPE_H

#include <limits.h>
#include <stdbool.h>

#include "base/arena.h"
#include "schema/schema.h"

/* DNs inside values of DNs inside values ...: a bound that keeps the stack small. */
#define DIT_DN_DEPTH_MAX 16

struct dit_value_scope {
	const struct dit_schema *schema;
	struct dit_arena *arena;
	unsigned depth;    /* number of DNs around the value */
	bool is_assertion; /* in a DN or a filter: the value is in assertion syntax */
};

/* As in value.h. */
int dit_scope_validate(const struct dit_value_scope *scope, enum dit_validator validator,
                       struct dit_span value);
int dit_scope_pretty(const struct dit_value_scope *scope, enum dit_validator validator,
                     struct dit_span value, struct dit_span *ret);
int dit_scope_normalize(const struct dit_value_scope *scope,
                        enum dit_normalizer normalizer, struct dit_span value,
                        struct dit_span *ret);

/* DNs; dn.c. Values in them are one level deeper. */
enum dit_dn_form {
	DIT_DN_PRETTY,
	DIT_DN_NORM,
	DIT_DN_NONE, /* validation alone; there is no result */
};

/** Makes a form of a value. */
typedef int dit_form_fn(const struct dit_value_scope *scope, enum dit_dn_form form,
                        struct dit_span value, struct dit_span *ret);

dit_form_fn dit_scope_dn, dit_scope_rdn, dit_scope_name_uid;

/*
 * A DN taken apart: RDNs, their AVAs sorted by type name, each with the forms asked for
 * (values.md 5.2 - 5.4); dn_list.c.
 *
 *   dit_dn_list_init();  dit_dn_list_read();  dit_dn_list_put() once for each form
 *
 * Nothing to free: all of it is in the arena of the scope.
 */

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

/**
 * Read a DN.
 *
 * @param nrdns  the first so many RDNs, and the text after them is not looked at;
 *               UINT_MAX: all
 *
 * @return 0; DIT_E_INVALID; DIT_E_UNSUPPORTED; -ENOMEM
 */
int dit_dn_list_read(struct dit_dn_list *list, struct dit_span text, unsigned nrdns);

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
 * Write one form of the DN. Afterwards the plain values of the items lie in the output.
 *
 * @param tail  DN to put after it, or empty
 * @param at    list->n offsets of the RDNs, or NULL: not wanted
 */
int dit_dn_list_put(struct dit_dn_list *list, enum dit_dn_form form, struct dit_span tail,
                    uint32_t *at, struct dit_span *ret);

/* Rules with a form of their own; value_authz.c. DIT_E_UNKNOWN: there is no such
 * attribute. slapd has another code for that if the value is no part of a DN. */
dit_form_fn dit_scope_authz;
/** Access control information; value_aci.c. The forms differ in DNs. */
dit_form_fn dit_scope_aci;
/** Certificates: the pretty form is that of an assertion about one; value_cert.c. */
dit_form_fn dit_scope_certificate, dit_scope_certificate_list;
dit_form_fn dit_scope_attribute_certificate;
/**
 * Lines between '$', each prepared alone; empty ones stay empty (values.md 4.5). Of a
 * piece of such a value lines keep a space on the side where something went before or
 * follows; filter.c.
 *
 * @param piece  becomes its normal form
 */
int dit_scope_lines(const struct dit_value_scope *scope, bool is_first, bool is_last,
                    struct dit_span *piece);
/** Look up an attribute description. @return 0; DIT_E_UNKNOWN; -ENOMEM */
int dit_scope_find_ad(const struct dit_value_scope *scope, struct dit_span name,
                      const struct dit_ad **ret);

/*
 * DER, as far as certificates need it: elements one after the other, and the skeletons of
 * the structures that have a syntax of their own (values.md 3.7); der.c.
 */

/* Identifier octets; none here has a number above 30. */
#define DIT_DER_INTEGER          0x02u
#define DIT_DER_BIT_STRING       0x03u
#define DIT_DER_OCTET_STRING     0x04u
#define DIT_DER_OID              0x06u
#define DIT_DER_UTC_TIME         0x17u
#define DIT_DER_GENERALIZED_TIME 0x18u
#define DIT_DER_SEQUENCE         0x30u
#define DIT_DER_SET              0x31u
#define DIT_DER_CONTEXT(n)       (0xA0u | (n)) /* constructed */

/**
 * Take identifier and length of the next element off the front of @p in.
 *
 * @param ret_len  of its content, which may be longer than what is left; 0 if there is no
 *                 element
 *
 * @return first octet of the identifier; 0: they are not whole, and nothing was taken, or
 *         the length is indefinite
 */
unsigned dit_der_head(struct dit_span *in, size_t *ret_len);

/**
 * Take the next element off the front of @p in.
 *
 * @param ret_content  points into @p in
 *
 * @return its identifier octet; 0: there is no whole element, nothing was taken
 */
unsigned dit_der_next(struct dit_span *in, struct dit_span *ret_content);

/** As dit_der_next(), and the element must be of that kind. */
bool dit_der_take(struct dit_span *in, unsigned tag, struct dit_span *ret_content);

/** Take an element of that kind, if that is what comes next. */
bool dit_der_skip(struct dit_span *in, unsigned tag);

/** Take a small INTEGER. @return its value, 0 if it has no content; -1: there is none */
int dit_der_version(struct dit_span *in);

/** Two bytes and the first is that of a SEQUENCE. */
bool dit_der_is_sequence(struct dit_span value);

bool dit_der_is_certificate(struct dit_span value);
bool dit_der_is_certificate_list(struct dit_span value);
bool dit_der_is_attribute_certificate(struct dit_span value);
bool dit_der_is_private_key(struct dit_span value);

/* Small grammars; value_validate.c. */
#define DIT_BIT_STRING "'[01]*'B" /* for base/pattern.h */
bool dit_is_integer(struct dit_span text);
bool dit_is_numericoid(struct dit_span text);

/* Generalized time and CSN (values.md 4.6, 4.9); value_time.c. */
bool dit_is_time(struct dit_span text);
bool dit_is_utc_time(struct dit_span text); /* YYYYmmddHHMMSSZ and nothing else */
bool dit_is_csn(struct dit_span text);
int dit_time_normalize(struct dit_span text, struct dit_arena *arena,
                       struct dit_span *ret);
/* UTC only, and the fraction keeps its zeros (values.md 4.13). */
int dit_utc_time_normalize(struct dit_span text, struct dit_arena *arena,
                           struct dit_span *ret);
dit_form_fn dit_csn_normalize; /* both forms are the same */
int dit_csn_sid_normalize(struct dit_span text, struct dit_arena *arena,
                          struct dit_span *ret);

#endif
