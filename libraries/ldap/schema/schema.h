/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schema: syntaxes, matching rules, attribute types, object classes, content rules,
 * and the attribute descriptions made of them. Sources: RFC 4512, values.md section 3.
 *
 *   dit_schema_new()                      the hard-coded set (builtin-schema.tsv)
 *   dit_schema_define_*()...              definitions of the configuration, in order
 *   dit_schema_freeze()                   no more definitions; any thread may look up
 *   dit_schema_find_*(), dit_ad_find()    any thread
 *   dit_schema_free()
 *
 * The schema owns all elements; they live as long as the schema. Other code only reads
 * their fields.
 *
 * Threads: one thread until dit_schema_freeze(). Afterwards everything is constant, and
 * any thread may read. The one exception is the table of attribute descriptions with
 * options: it grows under a lock of its own, and the pointers that it returns stay valid.
 */
#ifndef DITKIT_SCHEMA_H
#define DITKIT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/digest.h"
#include "base/openldap.h"
#include "base/short_bytes.h"
#include "base/span.h"

struct dit_schema;

/** The values that a syntax accepts (values.md 3.7). */
enum dit_validator {
	DIT_VALID_NONE, /* the syntax has no validator: every value is accepted */
	DIT_VALID_ANY,
	DIT_VALID_UTF8,
	DIT_VALID_UTF8_NONEMPTY,
	DIT_VALID_IA5,
	DIT_VALID_PRINTABLE,
	DIT_VALID_PRINTABLES,
	DIT_VALID_COUNTRY,
	DIT_VALID_NUMERIC,
	DIT_VALID_INTEGER,
	DIT_VALID_BOOLEAN,
	DIT_VALID_BIT_STRING,
	DIT_VALID_NUMERICOID,
	DIT_VALID_OID_OR_DESCRIPTOR, /* of attributeTypes and its kin */
	DIT_VALID_GENERALIZED_TIME,
	DIT_VALID_POSTAL_ADDRESS,
	DIT_VALID_DELIVERY_METHOD,
	DIT_VALID_NIS_NETGROUP,
	DIT_VALID_BOOT_PARAMETER,
	DIT_VALID_SEQUENCE,
	DIT_VALID_CERTIFICATE,
	DIT_VALID_CERTIFICATE_LIST,
	DIT_VALID_ATTRIBUTE_CERTIFICATE,
	DIT_VALID_PRIVATE_KEY,
	DIT_VALID_LOGGED_CONTROL, /* reqControls of the overlay accesslog */
	DIT_VALID_REJECT_ALL,

	/* The others have a pretty form that may differ from the value. */
	DIT_VALID_UUID,
	DIT_VALID_SID,
	DIT_VALID_CSN,
	DIT_VALID_CLASS_NAME, /* of objectClass and the types below it */

	/* Parts of these values may be authorization rules. */
	DIT_VALID_DN,
	DIT_VALID_NAME_UID,
	DIT_VALID_RDN,
	DIT_VALID_AUTHZ,
	DIT_VALID_CERT_EXACT_ASSERTION,
	DIT_VALID_CERTLIST_EXACT_ASSERTION,
	DIT_VALID_ATTRCERT_EXACT_ASSERTION,
	DIT_VALID_ACI,
};

/** Normalisers of matching rules (values.md 4). */
enum dit_normalizer {
	DIT_NORM_NONE, /* no normal form: stored values are compared */
	DIT_NORM_UTF8_FOLD,
	DIT_NORM_UTF8_EXACT,
	DIT_NORM_IA5_FOLD,
	DIT_NORM_IA5_EXACT,
	DIT_NORM_NUMERIC,
	DIT_NORM_TELEPHONE,
	DIT_NORM_POSTAL_LIST,
	DIT_NORM_GENERALIZED_TIME,
	DIT_NORM_UUID16,
	DIT_NORM_FIRST_COMPONENT_INTEGER,
	DIT_NORM_FIRST_COMPONENT_OID,
	DIT_NORM_CSN,
	DIT_NORM_CSN_SID,
	DIT_NORM_DN,
	DIT_NORM_RDN,
	DIT_NORM_NAME_UID,
	DIT_NORM_AUTHZ,
	DIT_NORM_CERT_EXACT,
	DIT_NORM_CERTLIST_EXACT,
	DIT_NORM_ATTRCERT_EXACT,
	DIT_NORM_ACI,
	/* Normalisers of single attribute types of modules (values.md 4.13). */
	DIT_NORM_UTC_TIME,
	DIT_NORM_TYPE_OID,
};

/** Index key builders of matching rules (values.md 6.4). */
enum dit_indexer {
	DIT_INDEXER_NONE,
	DIT_INDEXER_HASH,
	DIT_INDEXER_SUBSTR,
	DIT_INDEXER_INTEGER,
	DIT_INDEXER_TIME,
	DIT_INDEXER_NAME_UID,
	DIT_INDEXER_METAPHONE,
};

enum dit_usage {
	DIT_USAGE_USER,
	DIT_USAGE_DIRECTORY,
	DIT_USAGE_DISTRIBUTED,
	DIT_USAGE_DSA,
};

/* ";binary" transfer is required; no other syntax allows it */
#define DIT_SYNTAX_BINARY 0x1u
/* values are BER, or media such as JPEG, and no text */
#define DIT_SYNTAX_OPAQUE 0x2u

struct dit_syntax {
	const char *oid;
	enum dit_validator validator;
	unsigned flags;                      /* DIT_SYNTAX_... */
	const struct dit_syntax **superiors; /* wider ones; NULL-terminated */
};

/** In which clause of an attribute type a matching rule may be named. */
enum dit_rule_usage {
	DIT_RULE_EQUALITY, /* approximate rules too: slapd lets them pass */
	DIT_RULE_ORDERING,
	DIT_RULE_SUBSTR,
	DIT_RULE_EXTENDED, /* in no clause */
};

struct dit_rule {
	const char *oid;
	const char *name; /* canonical */
	const struct dit_syntax *syntax;
	const struct dit_syntax **compatible; /* others of attributes; NULL-terminated */
	enum dit_rule_usage usage;
	enum dit_normalizer normalizer;
	enum dit_indexer indexer;
	const struct dit_rule *approx; /* associated rule, or NULL */
	bool is_extensible;  /* a filter may name the rule together with a type */
	bool is_unsupported; /* slapd knows the name alone, and compares nothing by it */
};

#define DIT_TYPE_SINGLE           0x1u
#define DIT_TYPE_COLLECTIVE       0x2u
#define DIT_TYPE_NO_USER_MOD      0x4u
#define DIT_TYPE_OBSOLETE         0x8u
#define DIT_TYPE_ORDERED_VALUES   0x10u /* X-ORDERED 'VALUES' */
#define DIT_TYPE_ORDERED_SIBLINGS 0x20u /* X-ORDERED 'SIBLINGS' */
#define DIT_TYPE_ORDERED          (DIT_TYPE_ORDERED_VALUES | DIT_TYPE_ORDERED_SIBLINGS)
#define DIT_TYPE_DYNAMIC          0x40u /* slapd computes the values: entryDN */
/* Attributes reserved for special entries (values.md 7.2 A 1). */
#define DIT_TYPE_ROOTDSE_ONLY  0x100u
#define DIT_TYPE_ALIAS_ONLY    0x200u
#define DIT_TYPE_REFERRAL_ONLY 0x400u
#define DIT_TYPE_SUBENTRY_ONLY 0x800u
#define DIT_TYPE_DYNAMIC_ONLY  0x1000u /* entryTtl */
#define DIT_TYPE_ADMIN_ROLE    0x2000u /* administrativeRole */

/**
 * An attribute description: a type with options (RFC 4512 section 2.5, values.md 3.6).
 */
struct dit_ad {
	const struct dit_attr_type *type;
	struct dit_span name; /* canonical: "cn", "cn;lang-de;lang-en"; NUL-terminated */
	struct dit_span
		options;   /* canonical, without the first ';' and without "binary" */
	uint64_t name_sum; /* dit_sum128_seed() of the name: a seed of its values' sums */
	uint32_t ordinal;  /* 0, 1, 2 ... in the order of first use; an array index */
	bool is_binary;    /* carries ";binary" */
};

struct dit_attr_type {
	const char *oid;
	const char *name;         /* canonical: first NAME as written, or the OID */
	const char *const *names; /* all, NULL-terminated; empty list if none */
	const struct dit_attr_type *sup;
	const struct dit_rule *equality; /* own or inherited; NULL: none */
	const struct dit_rule *ordering;
	const struct dit_rule *substr;
	const struct dit_rule *approx;
	const struct dit_syntax *syntax;
	enum dit_usage usage;
	unsigned flags;               /* DIT_TYPE_... */
	enum dit_validator validator; /* of the syntax, or one for this type alone */
	uint32_t ordinal;             /* 0, 1, 2 ... over all types */
	struct dit_ad ad;             /* the description without options */
};

/** Do values or siblings have a number "{n}" in front? */
static inline bool dit_type_is_ordered(const struct dit_attr_type *type)
{
	return (type->flags & DIT_TYPE_ORDERED) != 0;
}

enum dit_class_kind {
	DIT_CLASS_ABSTRACT,
	DIT_CLASS_STRUCTURAL,
	DIT_CLASS_AUXILIARY,
};

/* The low bits are what back-mdb stores per entry (storage.md 4.5). */
#define DIT_OC_ALIAS         0x1u
#define DIT_OC_REFERRAL      0x2u
#define DIT_OC_SUBENTRY      0x4u
#define DIT_OC_DYNAMIC       0x8u
#define DIT_OC_COLLECTIVE    0x10u
#define DIT_OC_GLUE          0x20u
#define DIT_OC_SYNC_PROVIDER 0x40u
#define DIT_OC_SYNC_CONSUMER 0x80u
#define DIT_OC_COMPUTED      0x100u
#define DIT_OC_OPERATIONAL   0x4000u
#define DIT_OC_HIDDEN        0x8000u
#define DIT_OC_BUILTIN       0x10000u

enum dit_class_check { /* values.md 7.2 F */
	DIT_CLASS_CHECK_NONE,
	DIT_CLASS_CHECK_ROOTDSE,
	DIT_CLASS_CHECK_ALIAS,
	DIT_CLASS_CHECK_REFERRAL,
	DIT_CLASS_CHECK_SUBENTRY,
	DIT_CLASS_CHECK_DYNAMIC,
};

struct dit_class {
	const char *oid;
	const char *name; /* canonical */
	const char *const *names;
	enum dit_class_kind kind;
	unsigned oc_flags; /* DIT_OC_...: bits that storage.md 4.5 gives this class */
	bool is_obsolete;
	enum dit_class_check check;
	const struct dit_class **sups; /* direct, NULL-terminated */
	/* Bits by ordinal, up to its own: this class and all above it. */
	const uint64_t *lineage;
	/*
	 * The attribute types of this class and its superclasses, each once,
	 * NULL-terminated, in the order in which slapd checks them.
	 */
	const struct dit_attr_type **must;
	const struct dit_attr_type **may;
	const struct dit_content_rule *content_rule; /* of a structural class, or NULL */
	uint32_t ordinal;
};

struct dit_content_rule {
	const char *oid;
	const char *name; /* first NAME, or the OID */
	const struct dit_class *structural;
	bool is_obsolete;
	const struct dit_class **aux; /* all NULL-terminated */
	const struct dit_attr_type **must;
	const struct dit_attr_type **may;
	const struct dit_attr_type **precluded;
};

/** The hard-coded set of one release; its modules' sets come from it, too. */
int dit_schema_new(struct dit_schema **ret, enum dit_openldap_version openldap);

void dit_schema_free(struct dit_schema *schema);

/** Why a definition was refused, in slapd's words. */
struct dit_schema_error {
	char text[1024];  /* the part of the message after "FILE: line N " */
	char detail[256]; /* the line that slapd prints before the message, or empty */
};

/*
 * Definitions (values.md 3.2 - 3.5). @p text is the description, "( 1.2.3 NAME ... )". It
 * is borrowed. Text after the closing parenthesis is ignored.
 *
 * Return 0 or DIT_E_SYNTAX, DIT_E_DUPLICATE, DIT_E_UNKNOWN, DIT_E_INVALID, -ENOMEM. On
 * failure the schema is unchanged, and @p error holds slapd's message, such as
 * `attributetype: AttributeType not found: "foo"`.
 */
int dit_schema_define_type(struct dit_schema *schema, const char *text,
                           struct dit_schema_error *error);
int dit_schema_define_class(struct dit_schema *schema, const char *text,
                            struct dit_schema_error *error);
int dit_schema_define_syntax(struct dit_schema *schema, const char *text,
                             struct dit_schema_error *error);
int dit_schema_define_content_rule(struct dit_schema *schema, const char *text,
                                   struct dit_schema_error *error);
/**
 * objectidentifier NAME OID
 *
 * @return like the functions above; also 1: the macro already has this value, and
 *         @p error holds the remark that slapd prints
 */
int dit_schema_define_macro(struct dit_schema *schema, const char *name, const char *oid,
                            struct dit_schema_error *error);

/**
 * attributeoptions: register one tagging option ("foo") or prefix ("foo-", "foo=").
 * The first call, or dit_schema_clear_options(), drops the default "lang-".
 */
int dit_schema_define_option(struct dit_schema *schema, const char *option,
                             struct dit_schema_error *error);
void dit_schema_clear_options(struct dit_schema *schema);

/**
 * Add the elements that a module such as "ppolicy" defines. Others add nothing, nor does
 * a module that was loaded before.
 *
 * @return 0; -ENOMEM; DIT_E_DUPLICATE: an element was defined before, and @p error, which
 *         may be NULL, has slapd's message. Elements before that one were added.
 */
int dit_schema_load_module(struct dit_schema *schema, const char *module,
                           struct dit_schema_error *error);

/** Was the module asked for, whether it defines anything or not? */
bool dit_schema_has_module(const struct dit_schema *schema, const char *module);

void dit_schema_freeze(struct dit_schema *schema);

/*
 * Look-ups by numeric OID or by any NAME, in any case. NULL: not defined. They also work
 * before dit_schema_freeze().
 */
const struct dit_attr_type *dit_schema_find_type(const struct dit_schema *schema,
                                                 struct dit_span name);
const struct dit_class *dit_schema_find_class(const struct dit_schema *schema,
                                              struct dit_span name);
const struct dit_rule *dit_schema_find_rule(const struct dit_schema *schema,
                                            struct dit_span name);
const struct dit_syntax *dit_schema_find_syntax(const struct dit_schema *schema,
                                                struct dit_span oid);
size_t dit_schema_ntypes(const struct dit_schema *schema);

/** A digest of the attribute types and object classes. The order and the text of their
 * definitions do not count. */
struct dit_sum128 dit_schema_digest(const struct dit_schema *schema);

/** May a filter name the rule for values of a type? */
bool dit_rule_suits(const struct dit_rule *rule, const struct dit_attr_type *type);

/** True if @p type is @p ancestor or below it. */
bool dit_type_is_a(const struct dit_attr_type *type,
                   const struct dit_attr_type *ancestor);
/** Is the pointer in a list of such pointers that ends with NULL? In none if the list
 * itself is NULL. */
#define DIT_IS_LISTED(item, list)                                                        \
 ((void)sizeof((item) == *(list)), dit_is_listed((item), (list)))

/** The function of the macro. */
static inline bool dit_is_listed(const void *item, const void *list)
{
	const char *at = list;
	const void *listed = NULL;

	for (; at != NULL; at += sizeof(listed)) {
		memcpy(&listed, at, sizeof(listed));
		if (listed == NULL || listed == item) {
			break;
		}
	}
	return listed != NULL;
}

/** True if @p oc is @p ancestor or below it. */
bool dit_class_is_a(const struct dit_class *oc, const struct dit_class *ancestor);

#define DIT_AD_CACHE_SLOTS 1024 /* a power of two */
#define DIT_AD_CACHE_BYTES 39   /* of the longest name that is kept */

/**
 * The spellings of attribute descriptions that a thread met last, byte for byte, each in
 * the slot of its hash, which remembers the slot that was asked for next. Zero is empty.
 * Belongs to one thread; for one schema only.
 */
struct dit_ad_cache {
	struct dit_ad_cache_slot {
		const struct dit_ad *ad; /* NULL: free */
		struct dit_ad_cache_slot *next;
		unsigned char len;
		char name[DIT_AD_CACHE_BYTES];
	} slots[DIT_AD_CACHE_SLOTS];
	struct dit_ad_cache_slot *last; /* that was asked for; NULL: none */
};

static inline bool dit_ad_slot_is(const struct dit_ad_cache_slot *slot,
                                  struct dit_span name)
{
	return slot->len == name.len && dit_short_eq(slot->name, name.data, name.len);
}

/**
 * Is the attribute content, which users write? An operational one is if entries are added
 * with it, as the ref of a referral.
 *
 * @param operational  those that slapd takes with the relax control are, too
 */
bool dit_ad_is_content(const struct dit_ad *ad, bool operational);

/** Add the sum of a value. @param place  of the value among those of its attribute: it
 * counts where the schema says X-ORDERED. @param seed  of all sums that are compared */
static inline void dit_ad_sum_value(const struct dit_ad *ad, struct dit_span value,
                                    uint32_t place, uint64_t seed, struct dit_sum128 *sum)
{
	bool is_ordered = (ad->type->flags & DIT_TYPE_ORDERED_VALUES) != 0;

	dit_sum128_add_values(sum, &value, 1,
	                      (ad->name_sum ^ seed) + (is_ordered ? place : 0));
}

/** By the hash of the name; do not call. */
int dit_ad_find_hashed(struct dit_schema *schema, struct dit_ad_cache *cache,
                       struct dit_span name, const struct dit_ad **ret,
                       const char **ret_reason);

/**
 * Resolve an attribute description as typed.
 *
 * @param cache       of the calling thread, or NULL
 * @param ret_reason  on failure slapd's reason ("attribute type undefined", values.md
 *                    3.6); static text. NULL: not wanted
 *
 * @return 0; DIT_E_UNKNOWN; -ENOMEM. Thread-safe after dit_schema_freeze().
 */
static inline int dit_ad_find(struct dit_schema *schema, struct dit_ad_cache *cache,
                              struct dit_span name, const struct dit_ad **ret,
                              const char **ret_reason)
{
	struct dit_ad_cache_slot *next =
		cache == NULL || cache->last == NULL ? NULL : cache->last->next;

	if (next != NULL && dit_ad_slot_is(next, name)) {
		cache->last = next;
		*ret = next->ad;
		return 0;
	}
	return dit_ad_find_hashed(schema, cache, name, ret, ret_reason);
}

/**
 * True if a description may have these bytes, of a known type or not.
 *
 * @param schema  NULL: '=' may stand in options
 */
bool dit_ad_is_spelled(const struct dit_schema *schema, struct dit_span name);

#endif
