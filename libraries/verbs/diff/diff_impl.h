/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the parts of a difference.
 *
 * Threads: main, but for the callbacks of a scan.
 */
#ifndef DITKIT_DIFF_IMPL_H
#define DITKIT_DIFF_IMPL_H

#include "base/arena.h"
#include "base/digest.h"
#include "codec/entry_view.h"
#include "diff/diff.h"
#include "job/job.h"
#include "ldif/ldif_write.h"
#include "reader/entry_reader.h"
#include "reader/snapshot.h"
#include "scan/known.h"
#include "scan/scan_snapshot.h"
#include "sort/sort.h"

#define DIT_DIFF_HOLDER "ou=ditdiff-" /* how their RDNs begin */

/** A map from 64-bit keys, which are hashes already, to objects, or to places in a list,
 * which are counted from 1. Zero is an empty one. */
struct dit_diff_map {
	struct dit_diff_slot {
		uint64_t key;
		void *object; /* NULL: the slot is free */
	} * slots;            /* owned; size is a power of two */
	size_t size;
	size_t n;
};

/** The object of a key; NULL: there is none. */
void *dit_diff_map_get(const struct dit_diff_map *map, uint64_t key);
/** Give a key an object, in place of the one that it has. 0 or -ENOMEM */
int dit_diff_map_set(struct dit_diff_map *map, uint64_t key, void *object);
void dit_diff_map_deinit(struct dit_diff_map *map);

/** How often each name was counted. */
struct dit_diff_counts {
	struct dit_diff_count *list; /* owned, as in the statistics */
	size_t n;
	size_t size;
	struct dit_diff_map places; /* in the list, by hashes of names */
};

/** An entry that is on both sides, in one place, with other values: its IDs. */
struct dit_diff_changed {
	uint64_t second; /* first of all: dit_compare_id_pairs() */
	uint64_t first;
};

/** Any other entry of one side that differs; or one above such an entry, or below a
 * marked one (dit_diff_scan_children()). */
struct dit_diff_item {
	uint64_t id;
	uint64_t dn;   /* half of the sum of its normal form */
	uint64_t uuid; /* a hash; 0: none */
	struct dit_sum128 sum;
	bool is_equal; /* the other side has one like it */
	/* Set when it is read. */
	bool is_read;
	bool is_hole;
	unsigned depth;               /* RDNs of its DN */
	struct dit_diff_item *parent; /* NULL: topmost */
	uint64_t class_hash;          /* of structuralObjectClass */
	uint64_t rdn_hash;            /* of the normal RDN */
	struct dit_span rdn;          /* as written */
	struct dit_diff_node *node;   /* NULL: not yet */
};

/** An entry in the sorter of a side, by the first field. */
struct dit_diff_sum {
	struct dit_sum128 dn; /* of its normal form */
	uint64_t id;
	struct dit_sum128 sum; /* of its values; for a digest dit_entry_view_digest() */
	uint64_t uuid;         /* a hash; 0: none; for a digest the parent's ID */
	uint64_t form;         /* a hash of the RDN as written and the structural class */
};

struct dit_diff_side {
	const char *directory;
	struct dit_data_seal *seal;
	struct dit_snapshot *snapshot;
	struct dit_entry_scan *scan;
	struct dit_entry_reader *reader; /* of single entries, when no scan runs */
	struct dit_sorter *sorter;       /* sums by DN */
	struct dit_diff_sum at;          /* the present one of these */
	uint64_t nread;                  /* records of the scan, for the progress */
	struct dit_sum128 digest;        /* with opts.exact */
	uint64_t top;                    /* ID of a topmost entry with contextCSN; or 0 */
	bool is_ready;                   /* open, and summed up */
	struct dit_diff_item **items;
	size_t nitems;
	size_t items_size;
	struct dit_diff_map by_id;
};

/** The same entry on both sides, or one that a side has alone. */
struct dit_diff_node {
	struct dit_diff_item *item[2]; /* NULL: that side does not have it */
	bool moves;                    /* its parent or its RDN differs */
	bool is_renamed;               /* the RDN differs */
	bool takes_old;                /* and is renamed so that the old values go */
	bool has_kept; /* the node is deleted, and an entry below it stays */
	enum {
		DIT_DIFF_WAITS,
		DIT_DIFF_BUSY,
		DIT_DIFF_DONE,
		DIT_DIFF_GONE,
	} state;
	/* Where it is at the moment. */
	struct dit_diff_node *parent;     /* NULL: topmost */
	const struct dit_diff_item *name; /* has its RDN */
};

struct dit_diff {
	struct dit_diff_opts opts;
	struct dit_job job;
	struct dit_diff_stats stats;
	struct dit_diff_side sides[2];
	bool is_chosen; /* the directories of databases are told */
	struct dit_entry_match match;
	bool has_match;
	/* All hashes begin with it. It is random, so nobody can choose values of one
	 * sum; for digests it is 0. */
	uint64_t seed;
	/* The entries of a side, for the LDIF of the other one, which has the same ones
	 * without content; NULL: the other side has all content. Owned */
	struct dit_known *known;
	unsigned known_side;
	struct dit_entry_reader *twins; /* of that side */
	const struct dit_ad *uuid_ad;
	const struct dit_ad *class_ad;
	/* modifiersName, modifyTimestamp. NULL: they do not count, or slapd makes none */
	const struct dit_ad *stamp_ads[2];
	const struct dit_ad **ads; /* of opts.attrs; owned */

	struct dit_arena kept;  /* items and nodes, and their RDNs */
	struct dit_arena arena; /* of one change */

	struct dit_diff_changed *changed;
	size_t nchanged;
	size_t changed_size;
	struct dit_diff_node **nodes;
	size_t nnodes;
	size_t nodes_size;
	struct dit_diff_counts attrs;
	struct dit_diff_counts branches;
	unsigned suffix_nrdns;
	struct dit_diff_map taken; /* nodes that go or move, by their present names */
	struct dit_diff_node **holders; /* entries that were added to free names */
	size_t nholders;
	size_t holders_size;
	bool has_holder_name; /* an entry has the name of one */

	struct dit_diff_digest *digests; /* two; owned; NULL: changes are made */
	bool is_told;                    /* the failure that ends the work is reported */
	struct dit_ldif_text text;
	dit_diff_write_fn write;
	void *write_ctx;
	uint64_t nwritten; /* changes */
};

/* ---- diff.c ---- */

/** Report a failure: "WHAT: WHY". @return r */
int dit_diff_fail(struct dit_diff *diff, int r, const char *what, const char *why);

/** Is its content on the known side alone? Any thread. */
static inline bool dit_diff_is_twin(const struct dit_diff *diff, unsigned side,
                                    uint64_t id)
{
	return diff->known != NULL && side != diff->known_side &&
	       dit_known_twin(diff->known, id) != 0;
}

/** Are the states those of cn=config? The order of its entries counts. */
static inline bool dit_diff_is_configuration(const struct dit_diff *diff)
{
	return diff->job.chosen.db->number == 0;
}

/** One more of that name. 0 or -ENOMEM */
int dit_diff_count(const struct dit_diff *diff, struct dit_span name,
                   struct dit_diff_counts *counts);

/* ---- diff_scan.c ---- */

/** Report an entry that is damaged. @return DIT_E_CORRUPT */
int dit_diff_fail_entry(struct dit_diff *diff, unsigned side, uint64_t id);

/** A dit_pairs.next. @param side  struct dit_diff_side. 1; 0: the end; error */
int dit_diff_next_sum(void *side);
/** Sum up entries of a side into its sorter. @param marked  take children of these alone;
 * NULL: all entries. 0; error */
int dit_diff_scan(struct dit_diff *diff, unsigned side,
                  const struct dit_diff_map *marked);
/** The item of an entry. If it has none it gets one, which is equal. 0 or -ENOMEM */
int dit_diff_item(struct dit_diff *diff, unsigned side, uint64_t id,
                  struct dit_diff_item **ret);
/** Entries whose sums differ become changed ones or items. 0; error */
int dit_diff_collect(struct dit_diff *diff);
/** Children of the marked items become items as well. @param marked  by the IDs of these
 * items. 0; error */
int dit_diff_scan_children(struct dit_diff *diff, unsigned side,
                           const struct dit_diff_map *marked);
/** A hash of the normal form of the first value, of which there is one. */
uint64_t dit_diff_hash_of(const struct dit_diff *diff, const struct dit_attr_view *attr);
/** The contextCSN of an entry; NULL: it has none. */
const struct dit_attr_view *dit_diff_csns(const struct dit_entry_view *entry);
/** Are entries added with this attribute? They are with an operational one that users
 * write, as the ref of a referral. */
bool dit_diff_is_content(const struct dit_diff *diff, const struct dit_ad *ad);
/** Do the values of this attribute count? */
bool dit_diff_is_compared(const struct dit_diff *diff, const struct dit_ad *ad);

/* ---- diff_match.c ---- */

/** Items become nodes, with all entries above them. 0; error */
int dit_diff_match(struct dit_diff *diff);

/** No changes lead past a hole. @param where  the entry is missing */
int dit_diff_refuse_hole(struct dit_diff *diff, const struct dit_diff_node *node,
                         const char *where);
/** An entry of a side by its ID: @p ret is valid until the next call. 0; error */
int dit_diff_read(struct dit_diff *diff, unsigned side, uint64_t id,
                  struct dit_entry_view *ret);

/** The node of the parent on a side, or on the one that has the node; NULL: topmost. */
static inline struct dit_diff_node *dit_diff_parent_of(const struct dit_diff_node *node,
                                                       unsigned side)
{
	const struct dit_diff_item *item = node->item[side] ?: node->item[1 - side];

	return item == NULL || item->parent == NULL ? NULL : item->parent->node;
}

/* ---- diff_plan.c ---- */

/** Write all changes. 0; error */
int dit_diff_plan(struct dit_diff *diff);

/* ---- diff_entry.c ---- */

/** Does slapd give the first entry the RDN of the second before it gets other values? Not
 * if its classes may not allow a type of that RDN, or if it has another value of a type
 * that takes one value. 1; 0; error */
int dit_diff_can_rename(struct dit_diff *diff, struct dit_diff_item *const item[2]);
/** Do the values of the old RDN stay when a node is renamed? They do if the second side
 * has them, or if the new RDN has none of their type. 1; 0; error */
int dit_diff_keeps_rdn(struct dit_diff *diff, const struct dit_diff_node *node);
/** The rest of a node's differences as one change. 0; error */
int dit_diff_modify(struct dit_diff *diff, struct dit_diff_node *node);

/* ---- diff_write.c ---- */

/** The DN that a node has at the moment, in the arena. 0 or -ENOMEM */
int dit_diff_dn(struct dit_diff *diff, const struct dit_diff_node *node,
                struct dit_span *ret);
/** Is the DN, in any form, that of a holder, or like one? */
bool dit_diff_is_holder(struct dit_span dn);
/** With opts.exact: the comment lines at the beginning. 0; error */
int dit_diff_write_header(struct dit_diff *diff);
/** After all changes: a line tells that they are whole, and the rest of the text goes to
 * the caller. */
int dit_diff_write_end(struct dit_diff *diff);
/** "dn:" and "changetype:". 0 or -ENOMEM */
int dit_diff_begin(struct dit_diff *diff, struct dit_span dn, const char *type);
/** The change is complete. 0; error */
int dit_diff_end(struct dit_diff *diff);
/** Give the text that waits to the caller's function. 0; the error of that function */
int dit_diff_flush(struct dit_diff *diff);
int dit_diff_add(struct dit_diff *diff, const struct dit_diff_node *node);
int dit_diff_delete(struct dit_diff *diff, const struct dit_diff_node *node);
/** @param parent  the new one */
int dit_diff_rename(struct dit_diff *diff, const struct dit_diff_node *node,
                    const struct dit_diff_node *parent, struct dit_span rdn);
/** Add a holder below the topmost entry (diff_plan.c). 0; error */
int dit_diff_add_holder(struct dit_diff *diff, const struct dit_diff_node *node);

/* ---- diff_digest.c ---- */

static inline bool dit_diff_has_digests(const struct dit_diff *diff)
{
	return diff->opts.digest || diff->opts.digests[0] != NULL ||
	       diff->opts.digests[1] != NULL;
}

/** Does this side need no database? */
static inline bool dit_diff_is_digest(const struct dit_diff *diff, unsigned side)
{
	return diff->opts.digest ? side == 1 : diff->opts.digests[side] != NULL;
}

/** Read the files with digests. 0; error, reported */
int dit_diff_read_digests(struct dit_diff *diff);
/** Write a digest, or how two of them differ. 0; error */
int dit_diff_run_digests(struct dit_diff *diff);
void dit_diff_free_digests(struct dit_diff *diff);

#endif
