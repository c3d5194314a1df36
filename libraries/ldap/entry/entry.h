/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry: read from an LDIF record, checked against the schema, completed.
 *
 *   dit_entry_read()      record -> DN, attributes with normal forms (values.md 1.4, 2)
 *   dit_entry_check()     schema check; adds structuralObjectClass   (values.md 7)
 *                         and missing naming values
 *   dit_entry_complete()  adds entryUUID .. modifyTimestamp          (values.md 2.4)
 *
 * The pointers of an entry lead to the arena of its notes, to the text of the record, or
 * to the schema. The three steps get the same notes.
 *
 * Threads: an entry belongs to one thread. The context is constant and shared. Each
 * thread has caches of its own.
 */
#ifndef DITKIT_ENTRY_H
#define DITKIT_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/notes.h"
#include "ldif/ldif_parse.h"
#include "schema/schema.h"
#include "values/dn.h"
#include "values/value_order.h"

/** One attribute block: consecutive lines of one description. */
struct dit_attr {
	const struct dit_ad *ad;
	struct dit_span *values; /* as given */
	struct dit_span *normal; /* one for each value; NULL: none (storage.md 4.3) */
	uint32_t nvalues;
	bool is_sorted; /* by the equality rule, as sortvals wants (values.md 2.5) */
	bool is_split;  /* its values are stored apart from their entry */
	bool has_room;  /* of whoever changes values: the lists have room for more */
};

/** The forms by which values are compared and sorted: normal ones, or as given. */
static inline struct dit_span *dit_attr_keys(const struct dit_attr *attr)
{
	return attr->normal != NULL ? attr->normal : attr->values;
}

struct dit_entry {
	struct dit_dn dn;
	struct dit_attr *attrs;
	uint32_t nattrs;
	uint32_t attrs_size; /* allocated */
	bool has_unknown;    /* without schema check: an undefined attribute was left out.
			      * slapadd accepts such an entry and cannot store it */
	size_t unknown_bytes; /* what such attributes add to an entry's size
			       * (storage.md 4.8) */
	uint32_t oc_flags;    /* word 2 of the stored entry (storage.md 4.5) */
};

/*
 * Server IDs, 0 to 4095: the third part of a change sequence number, and sets of them.
 *
 *     20231114221320.123456Z#000007#abc#000000     server 0xabc
 */

#define DIT_NSIDS 4096

/** A bit for each server ID. */
struct dit_sid_set {
	uint64_t words[DIT_NSIDS / 64];
};

/** @return the server ID, a hexadecimal number as strtol(3) reads it; -1: none */
int dit_csn_sid(struct dit_span csn);

/** @param sid  -1: in no set */
static inline bool dit_sid_set_has(const struct dit_sid_set *set, int sid)
{
	return sid >= 0 && (set->words[sid / 64] >> (sid % 64) & 1) != 0;
}

/**
 * Read "1,2,17": decimal numbers separated by commas. Empty parts are left out.
 *
 * @return 0; DIT_E_SYNTAX: a part is no number, or above 4095
 */
int dit_sid_set_parse(const char *text, struct dit_sid_set *ret);

/** Options and data for making entries. [const] while threads run; members borrowed. */
struct dit_entry_context {
	struct dit_schema *schema;
	bool is_strict;    /* "changetype:" and "control:" are attributes */
	bool is_quick;     /* -q: lines are not regrouped by name (values.md 2.2) */
	bool check_schema; /* false: -s */
	bool check_values; /* -o value-check=yes, without -q */
	bool lastmod;      /* add the six operational attributes */
	struct dit_ldif_dialect ldif;
	bool allow_dynamic;     /* the database has the dds overlay */
	bool names_first;       /* naming values come before the schema check (2.7) */
	bool keeps_names;       /* a missing naming value is refused, not added */
	bool is_request;        /* values are stored pretty, as those of LDAP requests */
	bool gathers_lines;     /* one block for a description, under whatever names its
				 * lines are (2.6.11, 2.7) */
	bool drops_dynamic;     /* no lines of entryDN and the like (2.6.14, 2.7) */
	bool warns_of_csn;      /* of an entryCSN without one server (2.7) */
	bool warns_of_missing;  /* of an entry without entryUUID or entryCSN */
	bool spares_root;       /* but not of the one without a DN (2.7) */
	const uint64_t *sorted; /* sortvals: bit set over ordinals of types; NULL: none */
	unsigned sid;           /* -S, 0..4095 */
	/* CSNs of these servers are replaced by new ones; NULL: none are */
	const struct dit_sid_set *removed_sids;
	const struct dit_file_rules *files; /* that URLs may name; NULL: regular ones */
	struct dit_span rootdn;             /* pretty; empty: none */
	struct dit_span rootdn_norm;
};

struct dit_entry_work;

/** Caches of one thread, kept from entry to entry. For one schema only. */
struct dit_entry_caches {
	struct dit_dn_cache dns;     /* of entries */
	struct dit_dn_cache values;  /* that are DNs */
	struct dit_entry_work *work; /* private to this room */
};

/** @return 0 or -ENOMEM; then nothing is left to release */
int dit_entry_caches_init(struct dit_entry_caches *caches);
/** Zeroed or deinitialised caches are fine. */
void dit_entry_caches_deinit(struct dit_entry_caches *caches);

/**
 * The time of an entry. Stamps are unique within a load and ascend in input order. So
 * generated UUIDs and CSNs do the same, whichever thread makes them. A UUID counts tenths
 * of a microsecond: after n entries with one time_us, the next time_us must be larger by
 * at least n / 10 + 1.
 */
struct dit_entry_stamp {
	uint64_t time_us;   /* microseconds since the epoch (UTC), of the batch */
	uint32_t sequence;  /* of the entry among those with the same time_us; < 2^24 */
	uint64_t node;      /* 48 bits, random per load, for the UUID */
	uint16_t clock_seq; /* 14 bits, random per load */
};

/** The parts of the stamps of a run. */
struct dit_entry_clock {
	uint64_t node; /* [const] once it is made, as the next one */
	uint16_t clock_seq;
	uint64_t last_us; /* [own: main] */
};

/** A random node and clock sequence. 0; -errno */
int dit_entry_clock_init(struct dit_entry_clock *clock);
/** A time for @p n entries that no others of the run have: a microsecond for the CSN's
 * counter, and 100 ns for each entry's UUID. */
uint64_t dit_entry_clock_next(struct dit_entry_clock *clock, size_t n);
/** The stamp of an entry of that time. */
static inline struct dit_entry_stamp dit_entry_stamp_of(
	const struct dit_entry_clock *clock, uint64_t time_us, uint32_t sequence)
{
	return (struct dit_entry_stamp){.time_us = time_us,
	                                .sequence = sequence,
	                                .node = clock->node,
	                                .clock_seq = clock->clock_seq};
}

/**
 * Turn one record into an entry.
 *
 * @param notes  gets slapadd's diagnostic lines, without "could not parse entry"
 *
 * @return 0; DIT_E_INVALID: the record is unusable (a parse error in slapadd's sense);
 *         DIT_E_UNSUPPORTED: DNs in values of DNs nest too deeply (a note says so);
 *         DIT_E_TOOLONG: the record has more than four thousand million lines;
 *         DIT_E_STOPPED; -ENOMEM
 */
int dit_entry_read(const struct dit_entry_context *context,
                   struct dit_entry_caches *caches, struct dit_span record,
                   struct dit_notes *notes, struct dit_entry *ret);

/** The same of a record that is parsed. @param lines  change their order */
int dit_entry_read_parsed(const struct dit_entry_context *context,
                          struct dit_entry_caches *caches,
                          const struct dit_ldif_lines *lines, struct dit_notes *notes,
                          struct dit_entry *ret);

/** The DN of a record that is parsed. @param lines  are those of its attributes after
 * that. @return as dit_entry_read() */
int dit_entry_read_dn(const struct dit_entry_context *context,
                      struct dit_entry_caches *caches, struct dit_ldif_lines *lines,
                      struct dit_notes *notes, struct dit_dn *ret);

/**
 * The lines of attributes: what dit_entry_read_dn() has left, or those of a modification.
 *
 * @param ret  gets the attributes, and no DN
 *
 * @return as dit_entry_read()
 */
int dit_entry_read_lines(const struct dit_entry_context *context,
                         struct dit_entry_caches *caches, struct dit_ldif_line *lines,
                         size_t nlines, struct dit_notes *notes, struct dit_entry *ret);

/**
 * Check one entry in slapd's order (values.md 7):
 *
 *   1. objectClass is present
 *   2. if check_schema: schema, structuralObjectClass, naming values; or, with
 *      names_first, naming values, schema, structuralObjectClass
 *   3. if check_values: the values
 *
 * Sets oc_flags in every case.
 *
 * @param notes  gets the diagnostic lines that slapadd prints before its own line
 *
 * @return 0; DIT_E_INVALID: the notes say why, with slapd's text; DIT_E_UNSUPPORTED: DNs
 *         in values of DNs nest too deeply (a note names it); -ENOMEM
 */
int dit_entry_check(const struct dit_entry_context *context,
                    struct dit_entry_caches *caches, struct dit_entry *entry,
                    struct dit_notes *notes);

/** The values alone, as with check_values. As above */
int dit_entry_check_values(const struct dit_entry_context *context,
                           struct dit_entry_caches *caches, struct dit_entry *entry,
                           struct dit_notes *notes);

/**
 * If lastmod is on: add the operational attributes that are missing, and give entryCSN a
 * new value where it is of a server that is removed.
 *
 * @param notes  gets slapadd's warnings, with warns_of_csn and warns_of_missing
 *
 * @return 0 or -ENOMEM
 */
int dit_entry_complete(const struct dit_entry_context *context,
                       struct dit_entry_caches *caches, struct dit_entry *entry,
                       const struct dit_entry_stamp *stamp, struct dit_notes *notes);

/**
 * If lastmod is on: entryCSN, modifiersName and modifyTimestamp become those of a change,
 * at the end of the entry, as slapd has it.
 *
 * @param arena  of the entry
 * @param given  attributes that the change sets itself, and which stay
 *
 * @return 0 or -ENOMEM
 */
int dit_entry_mark_modified(const struct dit_entry_context *context,
                            struct dit_entry_caches *caches, struct dit_entry *entry,
                            const struct dit_entry_stamp *stamp, struct dit_arena *arena,
                            const struct dit_ad *const *given, size_t ngiven);

/** Does sortvals name the type? */
static inline bool dit_entry_is_sorted(const struct dit_entry_context *context,
                                       const struct dit_attr_type *type)
{
	return context->sorted != NULL &&
	       (context->sorted[type->ordinal / 64] >> (type->ordinal % 64) & 1) != 0;
}

/** First block of a description, or NULL. */
struct dit_attr *dit_entry_find(const struct dit_entry *entry, const struct dit_ad *ad);

/**
 * The naming value with which those of the attribute are compared.
 *
 * @return 0; what dit_attr_normalize() returns
 */
int dit_name_value(const struct dit_schema *schema, const struct dit_ava *ava,
                   struct dit_arena *arena, struct dit_span *ret);

/**
 * The normal form that a naming value has as a value of the attribute.
 *
 * @return 1; 0: the type has none, or its rule refuses the value; -ENOMEM
 */
int dit_name_normal(const struct dit_schema *schema, const struct dit_ava *ava,
                    struct dit_arena *arena, struct dit_span *ret);

/** @param asserted  of dit_name_value() */
bool dit_attr_has_name_value(const struct dit_schema *schema, const struct dit_attr *attr,
                             struct dit_span asserted);

/** Take a block out of an entry. */
static inline void dit_entry_remove(struct dit_entry *entry, struct dit_attr *attr)
{
	size_t n = (size_t)(entry->attrs + --entry->nattrs - attr);

	memmove(attr, attr + 1, n * sizeof(*attr));
}

/** Take all blocks of an attribute out. */
static inline void dit_entry_remove_all(struct dit_entry *entry, const struct dit_ad *ad)
{
	struct dit_attr *attr = NULL;

	while ((attr = dit_entry_find(entry, ad)) != NULL) {
		dit_entry_remove(entry, attr);
	}
}

/** Make room for more blocks in the arena of the entry; dit_entry_add() calls it when the
 * list is full. 0; -ENOMEM */
int dit_entry_grow(struct dit_entry *entry, struct dit_arena *arena);

/** Append an empty block; NULL: no memory. The arena is the entry's. */
static inline struct dit_attr *dit_entry_add(struct dit_entry *entry,
                                             const struct dit_ad *ad,
                                             struct dit_arena *arena)
{
	struct dit_attr *attr = NULL;

	if (entry->nattrs == entry->attrs_size && dit_entry_grow(entry, arena) < 0) {
		return NULL;
	}
	attr = &entry->attrs[entry->nattrs++];
	*attr = (struct dit_attr){.ad = ad};
	return attr;
}

/* ---- the order of an attribute's values; value_sort.c ---- */

#define DIT_VALUES_UNIQUE UINT32_MAX

/**
 * Sort the values of one attribute, and find one that is there twice.
 *
 * @param values  sorted in place
 * @param origins  [out] n of them: where each value was before
 *
 * @return DIT_VALUES_UNIQUE; or the origin of a value that is equal to another
 *         one, of several the one that slapd names, and then the order is undefined
 */
uint32_t dit_values_sort(struct dit_span *values, uint32_t *origins, uint32_t n,
                         struct dit_value_order order);

/** The lists of values and of normal forms become the arena's, with this room. 0;
 * -ENOMEM. @param room  nvalues at least */
int dit_attr_copy_lists(struct dit_attr *attr, struct dit_arena *arena, size_t room);

/**
 * Sort an attribute by its equality rule, where its values stand: values and normal forms
 * move together.
 *
 * @param ret_twice  as dit_values_sort() returns it; all stay where they are if it is not
 *                   DIT_VALUES_UNIQUE
 *
 * @return 0 or -ENOMEM
 */
int dit_attr_sort(struct dit_attr *attr, struct dit_arena *arena, uint32_t *ret_twice);

/** The first of sorted values that is not below @p key; n: all are. */
uint32_t dit_values_position(const struct dit_span *sorted, uint32_t n,
                             dit_value_order_fn order, struct dit_span key);
/** Where a value with this key belongs: after all others, unless they are sorted. */
uint32_t dit_attr_position(const struct dit_attr *attr, struct dit_span key);

/* ---- digests ---- */

/**
 * The digest of an entry as it was read (base/digest.h).
 *
 * @param entry  of dit_entry_read(), before anything is added to it
 */
struct dit_sum128 dit_entry_digest(const struct dit_entry *entry);

/** A rule by which entries are summed up. */
struct dit_entry_sum_rule {
	uint64_t seed;
	bool operational; /* of dit_ad_is_content() */
};

/** The sums of lines of LDIF, before their values are read. */
struct dit_entry_lines_sum {
	struct dit_sum128 sum; /* dit_ad_sum_value() of all that is content */
	uint64_t uuid;         /* dit_sum128_seed() of the normal entryUUID; 0: none */
};

/**
 * Where a stored entry of the DN has the same sum, it has the same content, and nothing
 * can be wrong with it.
 *
 * @param lines  of dit_entry_read_dn()
 *
 * @return 0; DIT_E_UNKNOWN: a line has no value, or not the name of an attribute, or the
 *         entryUUID is none; -ENOMEM
 */
int dit_entry_sum_lines(const struct dit_entry_context *context,
                        struct dit_entry_caches *caches,
                        const struct dit_ldif_lines *lines,
                        const struct dit_entry_sum_rule *rule, struct dit_arena *arena,
                        struct dit_entry_lines_sum *ret);

#endif
