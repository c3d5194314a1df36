/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN (-w, storage.md 6.3): for every server ID the highest entryCSN of the load
 * goes into the suffix entry of a database, or, where the database is configured so, into
 * its subentry cn=ldapsync, which is made if there is none.
 *
 *   dit_context_csn_new();  dit_context_csn_note() for each entry;
 *   dit_context_csn_write();       all entries are put, no table is written
 *   dit_context_csn_rewrite();     after dit_output_begin_changes()
 *   dit_context_csn_free()
 *
 * A stored contextCSN stays unless one of its values is exceeded, or is of a server that
 * is removed; then all known ones are written. The values have no normal forms and are
 * not indexed, and a new subentry has no operational attributes, as slapd itself writes
 * them.
 *
 * An entry that is there is changed by dit_context_csn_rewrite().
 *
 * Threads: one.
 */
#ifndef DITKIT_CONTEXT_CSN_H
#define DITKIT_CONTEXT_CSN_H

#include <stdbool.h>
#include <stdint.h>

#include "entry/entry.h"
#include "load/ad_numbers.h"
#include "load/dn_tree.h"
#include "load/entries.h"

struct dit_context_csn;

/**
 * @param schema   borrowed
 * @param removed  servers whose stored values are removed; borrowed; NULL: none
 *
 * @return 0; -ENOMEM; DIT_E_UNKNOWN: the schema has no such attributes
 */
int dit_context_csn_new(struct dit_context_csn **ret, struct dit_schema *schema,
                        const struct dit_sid_set *removed);
/** NULL is fine. */
void dit_context_csn_free(struct dit_context_csn *csn);

/**
 * An entry is about to be stored.
 *
 * @param ret_bad  its entryCSN, with DIT_E_INVALID; points into the entry
 *
 * @return 0; -ENOMEM; DIT_E_INVALID: the value has no server ID, and does not count
 */
int dit_context_csn_note(struct dit_context_csn *csn, const struct dit_entry *entry,
                         struct dit_span *ret_bad);

/** Where contextCSN goes. All borrowed, until the last call but _free(). */
struct dit_context_csn_place {
	struct dit_span suffix;                    /* pretty */
	bool use_subentry;                         /* cn=ldapsync below the suffix */
	const struct dit_split_rules *split_rules; /* NULL: none */
	struct dit_record_output *output;
	struct dit_ad_numbers *numbers;
	struct dit_dn_tree *tree;
	const struct dit_fingerprint_key *key; /* of the tree's names */
	struct dit_entries *entries;
};

/** The change that was made. */
enum dit_context_csn_deed {
	DIT_CONTEXT_CSN_NOTHING, /* none noted, or what is stored stays */
	DIT_CONTEXT_CSN_LATER,   /* dit_context_csn_rewrite() does it */
	DIT_CONTEXT_CSN_MISSING, /* nothing: there is no entry of the suffix */
	DIT_CONTEXT_CSN_CHANGED, /* the entry `id` */
	DIT_CONTEXT_CSN_ADDED,   /* the subentry `id`; its index keys are to be made */
};

struct dit_context_csn_result {
	enum dit_context_csn_deed deed;
	uint32_t id;
	const struct dit_entry *added; /* valid until dit_context_csn_free() */
};

/** @return 0; -ENOMEM; DIT_E_TOOLONG; DIT_E_CORRUPT; DIT_E_UNSUPPORTED: the stored values
 * are in id2v; errors of the objects of the place */
int dit_context_csn_write(struct dit_context_csn *csn,
                          const struct dit_context_csn_place *place,
                          struct dit_context_csn_result *ret);

/** Do what dit_context_csn_write() left to do. Errors likewise. */
int dit_context_csn_rewrite(struct dit_context_csn *csn,
                            struct dit_context_csn_result *ret);

#endif
