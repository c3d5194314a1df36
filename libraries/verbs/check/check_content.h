/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of a database checked against its configuration, in one snapshot.
 *
 *   main       ad2i                                              check_numbers.c
 *   member N   ranges of IDs: entries                            check_entry.c
 *              sums of their keys, next to those of the walk     check_sums.c
 *              sums of their IDs, next to those of the tree      check_tree_sums.c
 *   main       contextCSN; what overlays ask for                 check_csn.c, ...
 *   member N   if sums differ: keys of wrong buckets again       check_index.c
 *   main       id2v; these indexes; the tree, if its sums differ
 *                                                                check_split.c, ...
 *
 * The structure of the file has been checked before: all but the damaged indexes can be
 * read. That walk has summed up what is stored in the indexes and in the tree.
 *
 * Threads: dit_check_content() starts its own for scans; findings come from any of them.
 */
#ifndef DITKIT_CHECK_CONTENT_H
#define DITKIT_CHECK_CONTENT_H

#include "base/monitor.h"
#include "base/stop.h"
#include "check/check.h"
#include "check/check_findings.h"
#include "check/check_pieces.h"
#include "check/check_sums.h"
#include "check/check_use.h"
#include "codec/entry_view.h"
#include "config/settings.h"
#include "index/index_keys.h"
#include "job/csn_list.h"
#include "job/job.h"
#include "overlays/overlays.h"
#include "reader/dn_reader.h"
#include "reader/snapshot.h"

/** Bytes of a DN in a finding; the rest of a longer one is not shown. */
#define DIT_CHECK_DN_SHOWN 400

struct dit_check_scanner; /* check_content.c */

enum dit_check_index_state {
	DIT_CHECK_INDEX_WHOLE,
	DIT_CHECK_INDEX_DAMAGED, /* the walk has said so; it is not read */
	/* It is missing, its keys cannot be compared, or nothing is wrong. */
	DIT_CHECK_INDEX_DONE,
};

/** The entry that has contextCSN. */
struct dit_check_context {
	struct dit_csn_list csns;
	char *dn; /* NULL: there is none */
	uint64_t id;
	char *bad; /* a value that is no CSN, to be shown; NULL: there is none */
};

/** All checks of the content share this. [const] while members run */
struct dit_check_content {
	/* Given; borrowed. */
	struct dit_snapshot *snapshot; /* as many readers as threads are wanted */
	const struct dit_settings *settings;
	const struct dit_database *database; /* in them */
	struct dit_index_set *indexes;       /* of the database; owned by the caller */
	uint64_t memory_bytes;
	uint32_t list_max; /* longest list of IDs; a longer one is a range */
	enum dit_check_index_state *states; /* of indexes; owned by the caller */
	const struct dit_stop *stop;        /* may be NULL */
	struct dit_check_findings *findings;
	struct dit_check_sums *sums; /* of the walk; get those of the entries */
	struct dit_job *job;         /* is told the progress */
	bool wants_overlays;         /* all that they ask for */
	uint64_t done;               /* of the phase that was told */
	uint64_t total;

	/* Made by dit_check_content(). */
	uint64_t *sorted; /* of sortvals; NULL: not configured */
	struct dit_entry_scan *scan;
	struct dit_check_scanner *scanners; /* one for each member */
	struct dit_monitor monitor;         /* while entries come */
	uint64_t *unread; /* [lock: monitor] entries that have made no keys; ascending */
	size_t nunread;
	size_t unread_size;
	struct dit_overlay_rules rules;
	struct dit_overlays *overlays;      /* NULL: they ask for nothing */
	struct dit_check_dynlist *dynlists; /* [lock: monitor] owned by the caller */
	size_t ndynlists;
	struct dit_check_context context; /* [lock: monitor] */
	struct dit_check_pieces postings; /* [lock: monitor] that entries make, of wrong
	                                   * buckets */

	/* [own: main] for places of findings */
	struct dit_dn_reader *dns;
	char dn[DIT_CHECK_DN_SHOWN];
};

/** The highest ID whose keys are compared. */
#define DIT_CHECK_ID_MAX UINT32_MAX

/** Smallest memory_bytes but 0. */
#define DIT_CHECK_MEMORY_MIN ((uint64_t)16 << 20)

/**
 * @return 0, with findings or without; DIT_E_STOPPED;
 *         -ENOMEM; LMDB's codes; -EAGAIN and other codes of pthread_create()
 */
int dit_check_content(struct dit_check_content *content);

/** The number of an index; that of all indexes: it is not configured. */
size_t dit_check_index_number(const struct dit_check_content *content, const char *name);

/** How far the check is. Main alone. */
void dit_check_tell(struct dit_check_content *content, enum dit_check_phase phase,
                    uint64_t done, uint64_t total);

/** A range of a scan of all entries is done. Main */
int dit_check_pass_range(void *ctx, struct dit_scan_range *range);

/** Has the entry made no keys? After the scan of entries. */
bool dit_check_is_unread(const struct dit_check_content *content, uint64_t id);

/* ---- findings of main ---- */

/** The place of an entry. Its DN, as far as it can be told, stays until the next call. */
struct dit_check_finding dit_check_entry_place(struct dit_check_content *content,
                                               const char *database, uint64_t id);

/** A finding about an entry; id 0: about none. A format and its values follow. */
#define DIT_CHECK_REPORT_AT(content, kind, database, id, ...)                            \
 do {                                                                                    \
  const struct dit_check_finding at =                                                    \
	  dit_check_entry_place((content), (database), (id));                            \
                                                                                         \
  dit_check_report((content)->findings, (kind), &at, __VA_ARGS__);                       \
 } while (0)

/*
 * The checks of main. If nothing else is said they return 0, with findings or without;
 * -ENOMEM; LMDB's codes; DIT_E_STOPPED. They use reader 0 of the snapshot.
 */

/**
 * ad2i: numbers without a gap, from 1 on; under each the name of an attribute
 * description, as slapd spells it, and none twice (storage.md 2).
 */
int dit_check_numbers(struct dit_check_content *content);

/** dn2i against itself, and against the IDs of id2e (storage.md 3). */
int dit_check_tree(struct dit_check_content *content);

/**
 * id2v: each value belongs to an attribute of an entry that keeps its values there; there
 * are as many as the entry counts, in the order of the attribute's equality rule
 * (storage.md 4.6). check_entry.c reports attributes without any value there, and wrong
 * normal forms.
 */
int dit_check_split(struct dit_check_content *content);

/**
 * Index databases: the postings in wrong buckets that entries make are compared with the
 * stored ones, in passes (check_pieces.h). The calls of a pass:
 *
 *   dit_check_index_push()    for the keys of all entries, by one thread at a time. 0;
 *                             -ENOMEM; DIT_E_FULL
 *   dit_check_pieces_sort()
 *   dit_check_index()         once for each of the databases
 *   dit_check_index_rest()    for the keys that are not stored
 */
int dit_check_index_push(struct dit_check_content *content, unsigned db, uint64_t id,
                         struct dit_span key);
int dit_check_index(struct dit_check_content *content, size_t db);
int dit_check_index_rest(struct dit_check_content *content);

/* ---- overlays ---- */

/** Before the scan, whose entries dit_overlays_take() gets. 0; DIT_E_CONFIG; -ENOMEM */
int dit_check_overlays_begin(struct dit_check_content *content);
/** After it: memberships, references, unique values. */
int dit_check_overlays(struct dit_check_content *content);

/* ---- check_one.c: one data file, its structure, then its content ---- */

struct dit_check_one_opts {
	const struct dit_check_opts *opts; /* borrowed, like the others */
	struct dit_job *job;               /* not const: it tells how far this file is */
	const char *path;                  /* of the data file */
	const struct dit_database *database; /* NULL: the structure alone is checked */
	const struct dit_database *owner;    /* of the file; NULL: the job finds it */
	struct dit_check_use
		*use; /* a sample is read into it, and it is told; NULL: none */
};

/**
 * Check, and tell what was found.
 *
 * @param by_kind  DIT_CHECK_NKINDS counters that grow; those of notes do not
 *
 * @return as dit_check(); a report says why
 */
int dit_check_one(const struct dit_check_one_opts *opts, uint64_t *by_kind);

/* ---- one entry ---- */

/** Belongs to one thread. */
struct dit_check_entry;

/** @param content  borrowed. 0; -ENOMEM */
int dit_check_entry_new(struct dit_check_entry **ret,
                        const struct dit_check_content *content);
/** NULL is fine. */
void dit_check_entry_free(struct dit_check_entry *check);

/**
 * An entry or a hole: its record, its attribute descriptions, its flags, normal forms,
 * the order of values, its name.
 */
int dit_check_entry(struct dit_check_entry *check, const struct dit_entry_view *view);

/* ---- contextCSN ---- */

/**
 * Its values are CSNs, and for no server older than an entryCSN (storage.md 6.3). A
 * server that it does not name is not looked at. Zero is one that has noted nothing.
 *
 * slapd has it in memory while the overlay syncprov serves it, and without that overlay
 * slapd leaves it as it is. So an older one is a note. A newer one is what the removal of
 * an entry leaves, and a note if no ID is missing. That is no proof either: slapd gives
 * the ID of the last entry again.
 */
struct dit_check_csn {
	struct dit_check_content *content; /* borrowed */
	const struct dit_ad *entry_csn;
	const struct dit_ad *context_csn;
	struct dit_csn_list entries; /* the newest of each server */
	uint64_t nids;               /* entries and holes that were noted ... */
	uint64_t last_id;            /* ... and the highest ID of them */
};

/** 0; -ENOMEM; DIT_E_UNKNOWN: the schema does not have them. */
int dit_check_csn_init(struct dit_check_csn *csn, struct dit_check_content *content);

/** Note an entry. 0 or -ENOMEM. */
int dit_check_csn_note(struct dit_check_csn *csn, const struct dit_entry_view *entry);
/** Add the notes of another member. 0 or -ENOMEM. */
int dit_check_csn_merge(struct dit_check_csn *into, const struct dit_check_csn *from);
/** Compare the notes of all members. */
void dit_check_csn_end(const struct dit_check_csn *all);

#endif
