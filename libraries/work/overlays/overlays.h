/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overlays memberof, refint and unique of a database set rules for its entries
 * (overlays.md).
 *
 *   dit_overlay_rules_make()
 *   dit_overlays_new();
 *   any thread:  dit_overlays_take() for each entry
 *   dit_overlays_join()
 *   any thread:  dit_overlays_ask() for each entry, in any order; dit_overlays_nlate()
 *   dit_overlays_free();  dit_overlay_rules_deinit()
 *
 * Memory: 16 bytes for each entry, for each member of a group, and for each value that is
 * to be unique; three times that in dit_overlays_join(). And the
 * DNs of groups and of entries with such values.
 *
 * Threads: main, if nothing else is said.
 */
#ifndef DITKIT_OVERLAYS_H
#define DITKIT_OVERLAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "codec/entry_view.h"
#include "config/settings.h"
#include "job/job.h"
#include "reader/dn_reader.h"
#include "scan/scan_snapshot.h"

/* ---- rules ---- */

/** A member that no entry is called by when the group is added (overlays.md 3). */
enum dit_dangling {
	DIT_DANGLING_IGNORE,
	DIT_DANGLING_DROP,
	DIT_DANGLING_ERROR,
};

/** One "overlay memberof" (overlays.md 1). */
struct dit_memberof_rule {
	const struct dit_class *group;
	const struct dit_ad *member;
	const struct dit_ad *memberof;
	struct dit_span dn; /* the new modifiersName; data is NULL: it stays */
	struct dit_span dn_norm;
	enum dit_dangling dangling;
	bool has_addcheck; /* an entry finds the groups that were there before it */
	uint32_t first;    /* number of the first rule with the same memberof */
};

/** An attribute of "refint_attributes". */
struct dit_refint_rule {
	const struct dit_ad *ad;
	struct dit_span nothing; /* normal form; may dangle; data is NULL: none */
};

/** A URI of "unique_uri", or all that the older directives say. */
struct dit_unique_rule {
	struct dit_entry_match match;
	const struct dit_ad **ads; /* owned */
	size_t nads;               /* 0: all attributes that are not operational */
	bool is_ignored;           /* all but these */
};

/** Zero: none. [const] once they are made */
struct dit_overlay_rules {
	struct dit_arena arena;
	struct dit_memberof_rule *memberof; /* in the order of the configuration */
	size_t nmemberof;
	struct dit_refint_rule *refint;
	size_t nrefint;
	struct dit_unique_rule *unique;
	size_t nunique;
	struct dit_span rootdn; /* normal form */
	const struct dit_schema *schema;
};

/**
 * The rules of a database's own overlays.
 *
 * @param job       gets a report of a directive that slapd would refuse
 * @param with_all  false: of memberof alone
 * @param ret       to be deinitialised in every case
 *
 * @return 0; DIT_E_CONFIG, reported; -ENOMEM
 */
int dit_overlay_rules_make(const struct dit_job *job, const struct dit_database *db,
                           bool with_all, struct dit_overlay_rules *ret);
void dit_overlay_rules_deinit(struct dit_overlay_rules *rules);

/** Can the rules want anything of an entry? */
static inline bool dit_overlay_rules_has(const struct dit_overlay_rules *rules)
{
	return rules->nmemberof + rules->nrefint + rules->nunique > 0;
}

/* ---- entries ---- */

struct dit_overlays;

struct dit_overlays_opts {
	const struct dit_overlay_rules *rules; /* borrowed */
	unsigned nproducers;                   /* threads that take entries */
	/* Entries come into being in the order of their IDs, as by ldapadd: a group finds
	 * only members that are there before it. */
	bool in_order;
	/* Which rules count. In order, an entry that slapd would refuse is not there for
	 * those after it. */
	bool with_memberof;
	bool with_refint;
	bool with_unique;
};

/** @return 0; -ENOMEM; -errno of getrandom() */
int dit_overlays_new(struct dit_overlays **ret, const struct dit_overlays_opts *opts);
/** NULL is fine. */
void dit_overlays_free(struct dit_overlays *overlays);

/** Is the description the rule's `member`, or derived from it? */
bool dit_overlays_is_member(const struct dit_memberof_rule *rule,
                            const struct dit_ad *ad);
/** Does a rule look at attributes of this description, or at object classes? */
bool dit_overlays_want(const struct dit_overlay_rules *rules, const struct dit_ad *ad);

/**
 * Take an entry: its names, and attributes that dit_overlays_want() wants. One that
 * cannot be read is left out.
 *
 * @param producer  the calling thread's number
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: its ID is above 2^40
 */
int dit_overlays_take(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry_view *entry);

/** No more entries. 0; -ENOMEM */
int dit_overlays_join(struct dit_overlays *overlays);

/** What a rule says of an entry. Those of one entry come in this order. */
enum dit_overlay_kind {
	/* The value `number` of `member` names no entry, and the rule does not ignore
	 * that. In order the value is dropped, or the group is refused */
	DIT_OVERLAY_DANGLING,
	DIT_OVERLAY_REFERENCE, /* the same of an attribute of refint */
	DIT_OVERLAY_MEMBER,    /* memberOf has the group `other`, and is to have it */
	DIT_OVERLAY_ALLOWED,   /* memberOf may have the group `other`, and does not */
	DIT_OVERLAY_MISSING,   /* memberOf is to have the group `other` */
	DIT_OVERLAY_SURPLUS,   /* memberOf is not to have its value `number` */
	DIT_OVERLAY_TWICE, /* the entry `other` has this value, too; in order, before */
};

struct dit_overlay_item {
	enum dit_overlay_kind kind;
	uint32_t number; /* of a value, among all of the attribute, in all its blocks */
	uint64_t other;  /* ID; those of memberships ascend */
	/* Of dit_memberof_rule or dit_refint_rule; with TWICE: the ordinal of the
	 * attribute description */
	uint32_t rule;
	uint32_t first; /* of a membership: the first rule with the same memberof */
	bool is_early;  /* MISSING: the group was there before the entry (addcheck) */
};

/** The answer about an entry. */
struct dit_overlay_asked {
	const struct dit_overlay_item *items; /* until the producer asks again */
	size_t n;
};

/**
 * What is asked of an entry. After dit_overlays_join().
 *
 * @param producer  the calling thread's number
 *
 * @return 0; -ENOMEM
 */
int dit_overlays_ask(struct dit_overlays *overlays, unsigned producer,
                     const struct dit_entry_view *entry, struct dit_overlay_asked *ret);

/** The names of a group with members, or of an entry with a value that is to be
 * unique; NULL: it is none. After dit_overlays_join(); any thread */
const struct dit_dn_text *dit_overlays_name(const struct dit_overlays *overlays,
                                            uint64_t id);

/** In order: memberships that are not made, as the group comes before the member; of all
 * entries that were asked about. Producers at rest */
uint64_t dit_overlays_nlate(const struct dit_overlays *overlays);

#endif
