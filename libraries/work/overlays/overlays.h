/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overlays memberof, refint, unique and dynlist of a database set rules for its
 * entries (overlays.md).
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
#include "entry/entry.h"
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
	struct dit_dn_text dn; /* the new modifiersName; data is NULL: it stays */
	enum dit_dangling dangling;
	bool is_needed;    /* a group that loses all its members is refused */
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

/** One "dynlist-attrset" (overlays.md 6). */
struct dit_dynlist_rule {
	const struct dit_class *group;
	const struct dit_ad *url;     /* its values are URLs */
	struct dit_entry_match match; /* groups that it is about */
	bool lists_members;           /* a URL with attributes lists nothing */
};

/** Zero: none. [const] once they are made. A caller may set the number of rules of a kind
 * to 0, which do not count then. */
struct dit_overlay_rules {
	struct dit_arena arena;
	struct dit_memberof_rule *memberof; /* in the order of the configuration */
	size_t nmemberof;
	struct dit_refint_rule *refint;
	size_t nrefint;
	struct dit_unique_rule *unique;
	size_t nunique;
	struct dit_dynlist_rule *dynlist; /* in the order of the configuration */
	size_t ndynlist;
	struct dit_span rootdn; /* normal form */
	const struct dit_schema *schema;
	const struct dit_attr_type *object_class;
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

/** Report that the database has no overlay of this name. @return DIT_E_CONFIG */
int dit_overlay_rules_lack(const struct dit_job *job, const struct dit_database *db,
                           const char *name);

/** Can the rules want anything of an entry? */
static inline bool dit_overlay_rules_has(const struct dit_overlay_rules *rules)
{
	return rules->nmemberof + rules->nrefint + rules->nunique + rules->ndynlist > 0;
}

/* ---- entries ---- */

struct dit_overlays;

struct dit_overlays_opts {
	const struct dit_overlay_rules *rules; /* borrowed */
	unsigned nproducers;                   /* threads that take entries */
	/* Entries come into being in the order of their IDs, as by ldapadd: a group finds
	 * only members that are there before it. An entry that slapd would refuse is not
	 * there for those after it. */
	bool in_order;
};

/** @return 0; -ENOMEM; -errno of getrandom() */
int dit_overlays_new(struct dit_overlays **ret, const struct dit_overlays_opts *opts);
/** NULL is fine. */
void dit_overlays_free(struct dit_overlays *overlays);

/** Does a rule look at attributes of this description, or at object classes? */
bool dit_overlays_want(const struct dit_overlay_rules *rules, const struct dit_ad *ad);

/** An entry in memory, for the two functions below. @param ret  until the producer is
 * shown another one. 0; -ENOMEM */
int dit_overlays_show(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry *entry, uint64_t id,
                      struct dit_entry_view *ret);

/**
 * Take an entry: its names, and attributes that dit_overlays_want() wants. One that
 * cannot be read is left out. A producer takes entries in the order of IDs.
 *
 * @param producer  the calling thread's number
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG: its ID is above 2^40
 */
int dit_overlays_take(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry_view *entry);

/** No more entries. 0; -ENOMEM */
int dit_overlays_join(struct dit_overlays *overlays);

/** A rule says one of these of an entry. Those of one entry come in this order. */
enum dit_overlay_kind {
	/* The value, of `member`, names no entry, and the rule does not ignore that. In
	 * order the value is dropped, or the group is refused */
	DIT_OVERLAY_DANGLING,
	DIT_OVERLAY_REFERENCE, /* the same of an attribute of refint */
	DIT_OVERLAY_MEMBER,    /* memberOf has the group `other`, and is to have it */
	DIT_OVERLAY_ALLOWED,   /* memberOf may have the group `other`, and does not */
	DIT_OVERLAY_MISSING,   /* memberOf is to have the group `other` */
	DIT_OVERLAY_SURPLUS,   /* memberOf is not to have the value */
	DIT_OVERLAY_TWICE,  /* the entry `other` has this value, too; in order, before */
	DIT_OVERLAY_LIST,   /* the entry is a group of a rule of dynlist */
	DIT_OVERLAY_URL,    /* the value of such a group is a URL that slapd follows */
	DIT_OVERLAY_NO_URL, /* the value is one of those that slapd passes over */
};

struct dit_overlay_item {
	uint64_t other; /* ID; those of memberships ascend */
	enum dit_overlay_kind kind;
	/* The place of the value, of all kinds but ALLOWED, MISSING and LIST. */
	uint32_t block;  /* among the attributes of the entry */
	uint32_t number; /* among the values of the block */
	/* The other entry's, of kinds MISSING and TWICE, in order of MEMBER as well. */
	const struct dit_dn_text *name;
	uint32_t rule;  /* its number, of memberof, refint, unique or dynlist */
	uint32_t first; /* of a membership: the first rule with the same memberof */
	bool is_early;  /* MISSING: the group was there before the entry (addcheck) */
};

/** The answer about an entry. */
struct dit_overlay_asked {
	const struct dit_overlay_item *items; /* until the producer asks again */
	size_t n;
};

/**
 * All that the rules ask of an entry. After dit_overlays_join().
 *
 * @param producer  the calling thread's number
 *
 * @return 0; -ENOMEM
 */
int dit_overlays_ask(struct dit_overlays *overlays, unsigned producer,
                     const struct dit_entry_view *entry, struct dit_overlay_asked *ret);

/** So many entries, at most, can be expected at once: a share of a pipeline. */
#define DIT_OVERLAYS_EXPECTED 16

/** Entries with these normal DNs are asked about next: what is to be looked up for them
 * is fetched into the processor's cache. Any thread */
void dit_overlays_expect(const struct dit_overlays *overlays, const struct dit_span *dns,
                         size_t n);

/** In order: memberships that are not made, as the group comes before the member; of all
 * entries that were asked about. Producers at rest */
uint64_t dit_overlays_nlate(const struct dit_overlays *overlays);

#endif
