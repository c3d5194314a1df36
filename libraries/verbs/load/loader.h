/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load, composed of its objects: which object lies where, and which thread owns it.
 * The headers of the objects say what they do. The functions below belong to main if
 * nothing else is said, and call only those that stand above them.
 *
 * A load is a pipeline (pipeline/pipeline.h). Its stages:
 *
 *   fill          the reader thread cuts LDIF into records (ldif_reader.c)
 *   before_order  parse: everything about an entry that needs no order (load_parse.c)
 *   in_order      resolve: duplicates, parents, IDs, attribute numbers, messages; the
 *                 record of the entry gets its place (load_resolve.c)
 *   after_order   key: the record is copied there; index keys, made when the ID is known,
 *                 go straight into the run builders (load_parse.c)
 */
#ifndef DITKIT_LOADER_H
#define DITKIT_LOADER_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/notes.h"
#include "base/stop.h"
#include "codec/entry_codec.h"
#include "config/settings.h"
#include "entry/entry.h"
#include "entry/why.h"
#include "index/index_keys.h"
#include "indexing/builders.h"
#include "indexing/index_writer.h"
#include "job/csn_list.h"
#include "job/job.h"
#include "job/release_rules.h"
#include "ldif/ldif_reader.h"
#include "load/dn_tree.h"
#include "load/entries.h"
#include "load/load.h"
#include "output/ad_numbers.h"
#include "output/publication.h"
#include "output/record_output.h"
#include "overlays/overlays.h"
#include "pipeline/pipeline.h"
#include "scan/known.h"
#include "sort/sort.h"
#include "tree/page_writer.h"

enum load_state {
	LOAD_GOOD,
	LOAD_UNREADABLE, /* "could not parse entry" */
	LOAD_REFUSED,    /* by a check; the notes tell all */
	LOAD_BROKEN,     /* no memory: ends the load */
};

/** One record on its way through the stages. */
struct load_item {
	/* Written by a member in parse. */
	struct dit_entry entry;
	struct dit_encoded encoded;
	struct dit_notes notes;
	struct dit_dn_tree_name name;
	struct dit_sum128 digest; /* of a good item, with is_prepared */
	enum load_state state;
	int error; /* of LOAD_BROKEN */

	uint32_t target;                /* of a good item: its number in the loader */
	uint64_t twin;                  /* of loader->known; 0: none */
	uint32_t nmissing;              /* memberships that were not in the input */
	uint32_t nsurplus;              /* and those that should not have been */
	uint64_t number;                /* of the record, from 1 */
	struct dit_overlay_asked asked; /* by overlays */

	/* Written by main in resolve. */
	uint32_t id;                    /* 0: not stored, or not indexed (the empty DN) */
	struct dit_dn_tree_node node;   /* whose records are to be pushed */
	struct dit_entries_place place; /* to be filled */
};

/** The content of a slot of the pipeline. Its owner is the owner of the slot. */
struct load_slot {
	struct dit_ldif_batch batch;
	struct load_item *items; /* one per record; grown by main */
	size_t items_size;
	uint64_t time_us; /* for generated values (struct dit_entry_stamp) */
	uint64_t first;   /* the number of the record before its first one */
};

/**
 * One member's own. [own: member] while a round runs; main may look after a meeting.
 */
struct load_member {
	struct dit_entry_caches caches;
	struct dit_ad_cache names;    /* of the look ahead */
	struct dit_index_work **keys; /* one per target */
	unsigned number;
};

/** The names of the first entries of a database that are remembered, at most. */
#define LOOK_NAMES 4

/** The contents of a database before the load (load_look.c). Zero: nothing. */
struct load_look {
	bool has_entries;
	uint64_t nentries; /* holes included */
	struct look_name {
		char *pretty; /* owned, as the next one */
		char *norm;
	} names[LOOK_NAMES]; /* of the first entries */
	unsigned nnames;
	bool is_met; /* the input has one of these entries */
	char *text;  /* all of it, for messages; owned; NULL: nothing is there */
};

/** One database that is written. */
struct load_target {
	/* [const] while members run */
	struct loader *loader;
	unsigned number; /* its place in loader->targets */
	bool is_foreign; /* of a type that takes no entries from tools; only db is set */
	const struct dit_database *db;
	struct dit_split_rules *split_rules; /* NULL: "multival" is not configured */
	struct dit_index_set *indexes;
	struct dit_builders *builders;         /* producer i belongs to member i */
	struct dit_index_writer *index_writer; /* once the builders are sealed */

	/* [own: main] */
	struct dit_load_database_stats *stats;
	struct load_look look;
	struct dit_data_seal *seal;       /* NULL: its pages are not sealed */
	struct dit_record_output *output; /* NULL in a dry run */
	struct dit_ad_numbers numbers;
	struct dit_dn_tree *tree;    /* NULL in a dry run */
	struct dit_entries *entries; /* NULL in a dry run */
	struct dit_sum128 content;   /* of all entries so far, with is_prepared */
	uint64_t record_bytes;       /* likewise, in any case */
	bool was_warned;             /* a report said that the result may be too large */
	bool was_warned_of_disk;     /* and that its disk may be too small */
	bool was_warned_of_tmpdir;   /* and that of the temporary files */
	uint64_t stored_bytes;       /* of the file, if it holds records */
	uint64_t last_stored; /* loader->stats->nentries at the target's latest entry */
};

/** How the memory is divided (load_size.c). */
struct load_budget {
	size_t batch_bytes;
	size_t batch_records;
	size_t postings_bytes; /* of one target */
	size_t tree_bytes;     /* of one target */
};

/** How records are read and entries checked. [const] while members run */
struct load_reading {
	struct dit_release_rules rules;
	struct dit_entry_context context;
	uint64_t *sorted;                /* of the context */
	struct dit_sid_set removed_sids; /* likewise */
};

/** The LDIF, cut into the slots of the pipeline. [own: main] */
struct load_input {
	struct dit_ldif_reader *reader; /* the reader thread's, while records come */
	struct load_slot *slots;        /* by number in the pipeline */
	uint64_t nrecords;              /* in batches so far */
};

/** Overlays change the entries (load_ahead.c). Zero: they change nothing */
struct load_ahead {
	/* The load's, once the look is done with the first one; NULL: none is wanted */
	struct dit_ldif_reader *reader;
	struct dit_overlay_rules rules; /* [const] while members run */
	struct dit_overlays *overlays;  /* [const], likewise; NULL: they ask nothing */
	uint64_t nrecords;              /* that the look has seen */
};

/** contextCSN (load_csn.c). Zero: without -w. [own: main] */
struct load_csn {
	bool is_wanted;
	const struct dit_ad *entry_csn;
	const struct dit_ad *context_csn;
	struct dit_csn_list list; /* the highest of each server */
	struct dit_arena arena;   /* of what is written */
	bool must_rewrite;        /* the entry `id`, when the output takes changes */
	uint32_t id;
};

/** The load as a whole. */
struct loader {
	/* [const] while members run */
	const struct dit_load_opts *opts;
	struct dit_job job; /* main sets its stop when the load has failed */
	bool is_estimate;   /* of a load, asked for by the user */
	struct load_reading reading;
	struct dit_file_rules files;
	struct load_target *targets; /* one for each database of the job's glue */
	unsigned ntargets;
	struct load_budget budget;
	struct load_member *members;
	struct dit_fingerprint_key name_key; /* of the names in the trees */
	struct dit_known *known; /* entries that need not be stored; borrowed; NULL: none.
	                          * Main notes those that are met */

	/* [own: main] */
	struct dit_load_stats *stats;
	struct dit_pipeline *pipeline;
	struct load_input input;
	struct dit_entry_clock clock; /* of generated values */
	uint64_t next_estimate; /* estimate the sizes again at this many bytes read */
	struct load_ahead ahead;
	struct load_csn csn;
	char *told; /* texts that are told once in a load: argz(3); owned */
	size_t told_len;
	struct dit_published *published; /* one for each target; empty until the end */
};

/* ---- load_report.c: reports, failures, progress ---- */

/** Is the load to end, by a signal or because it has failed? Any thread. */
static inline bool dit_load_is_stopped(const struct loader *loader)
{
	return dit_stop_is_set(&loader->job.stop);
}

/** Do a step for each target that takes entries, until one fails. 0; its error */
int dit_load_each(struct loader *loader, int (*step)(struct load_target *target));

/** A load with is_scratch gets its directory. 0; an error that was reported */
int dit_load_scratch_make(struct loader *loader);
/** As dit_job_fail(), of temporary files: the message names their directory. */
int dit_load_sort_fail(struct loader *loader, int r);
/** Report that a database "needs" more bytes than maxsize. */
void dit_load_tell_size(const struct load_target *target, enum dit_report_kind kind,
                        const char *needs, double bytes);
/** As dit_job_fail(), with more words on limits of a database. */
int dit_load_target_fail(struct load_target *target, int r, const char *what);

/** How far the load is. @param ctx  the loader */
void dit_load_progress_fill(void *ctx, struct dit_progress *ret);

/* ---- load_size.c: how the memory is divided, how large the result will be ---- */

/** Memory of an entry in the DN table, whatever the budget is. */
#define LOAD_TABLE_BYTES 32
/** The nodes of an entry in dn2i, and its names where they are sorted, on average. */
#define LOAD_NAME_BYTES 128

/** @return -EINVAL after a report on the job if the memory is too small */
int dit_load_budget_make(const struct dit_job *job, const struct dit_load_opts *opts,
                         unsigned nthreads, unsigned ntargets, struct load_budget *ret);

/** DIT_E_FULL after a report when the result cannot fit maxsize. */
int dit_load_estimate(struct loader *loader);

/* ---- load_parse.c: stages of the pipeline, on members ---- */

int dit_load_parse(void *ctx, const struct dit_pipeline_share *share);
int dit_load_key(void *ctx, const struct dit_pipeline_share *share);

/* ---- load_ahead.c, load_memberof.c: overlays; without, all of these do nothing ---- */

/** loader->pipeline, and the slots if there are none (load_setup.c). 0; as
 * dit_pipeline_new() */
int dit_load_make_pipeline(struct loader *loader, const struct dit_pipeline_ops *ops);
/** NULL: is standard input one? */
bool dit_load_is_pipe(const char *path);
/** A second reader, while files can be opened. Reports. */
int dit_load_ahead_open(struct loader *loader, const struct dit_ldif_reader_opts *opts);
/** Look at the whole input. After the outputs are open, and members made. Reports. */
int dit_load_ahead(struct loader *loader);
/** Has the load read what the look has seen? 0; DIT_E_INVALID, reported */
int dit_load_ahead_check(const struct loader *loader);
void dit_load_ahead_deinit(struct loader *loader);

/** Members, with overlays: the entries of the share are asked about next. */
void dit_load_ahead_expect(const struct loader *loader,
                           const struct dit_pipeline_share *share);
/** Members: dangling members go, or the entry is refused; memberships of groups that
 * were there before it (addcheck). Before its check. 0; DIT_E_INVALID, noted; -ENOMEM */
int dit_load_ahead_start(const struct loader *loader, const struct load_member *member,
                         const struct dit_ldif_record *record, struct load_item *item,
                         struct dit_arena *arena);
/** Members: the other memberships. After the entry is complete. 0; -ENOMEM */
int dit_load_ahead_end(const struct loader *loader, struct load_item *item,
                       struct dit_arena *arena);
/** Say at the end what was done. */
void dit_load_ahead_tell(const struct loader *loader);

/* ---- load_csn.c: contextCSN with -w; without, all of these do nothing ---- */

int dit_load_csn_start(struct loader *loader);
void dit_load_csn_deinit(struct load_csn *csn);

/** An entry is about to be stored. Reports a bad value. 0 or -ENOMEM */
int dit_load_csn_note(struct loader *loader, const struct dit_entry *entry);

/** All entries are stored, their keys made, nothing else yet. Reports. */
int dit_load_csn_write(struct load_target *target);

/** The rest of it, when the database takes changes. Reports. */
int dit_load_csn_rewrite(struct load_target *target);

/* ---- load_look.c: the contents of the databases before the load ---- */

/**
 * Look at a target, before any output is opened; only read. A database that cannot be
 * read counts as empty: a load tells the failure when it opens the database, a dry run
 * says that it could not look.
 *
 * @return 0; reported: -ENOMEM; DIT_E_UNSUPPORTED: an estimate, and a module of LMDB 1.0
 *         has changed the pages
 */
int dit_load_look(struct load_target *target);

/** With only_if_empty: a target holds entries, and a report says so. */
bool dit_load_look_is_unneeded(struct loader *loader);

/** An entry of the input, for dit_load_look_tell(). */
void dit_load_look_note(struct load_target *target, const struct dit_dn *dn);

/** Report in a line for each target the entries of the input that it holds already.
 * @return the number of lines */
unsigned dit_load_look_tell(struct loader *loader, enum dit_report_kind kind);

/** "DIR/data.mdb has 2 entries: "A", "B"", or DIR if it was not looked at; points
 * into the target. */
const char *dit_load_look_text(const struct load_target *target);

void dit_load_look_deinit(struct load_look *look);

/* ---- load_target.c: one database; failures are reported ---- */

/** Before the first round: all that the target needs, its output included. 0; negative;
 * 1: with only_if_empty, the database holds entries */
int dit_load_target_prepare(struct load_target *target);

/** Bytes of its data.mdb, without holes in the file; 0: there is none. */
uint64_t dit_load_stored_bytes(const struct load_target *target);

/** After the last round: everything but entries. All threads work for the target. */
int dit_load_target_finish(struct load_target *target);

/** At every stage; after the threads have ended. An output that was not published is
 * abandoned. */
void dit_load_target_deinit(struct load_target *target);

/* ---- load_prepared.c: a load whose databases are not put in place ---- */

/** All outputs are prepared: their manifests are written. Reports. */
int dit_load_put_manifests(struct loader *loader);
/** Fields of a manifest: what a database is prepared for. Owned; NULL: no memory */
struct json_t *dit_load_site_json(const struct dit_job *job,
                                  const struct dit_database *db);

/* ---- load_refuse.c: records that are left out ---- */

/* Each function reports why, hands the record to the reject callback, and returns 0 (go
 * on, -c), DIT_E_REFUSED or a reported error. */

/** The record cannot be read, or a check refuses it: the notes of @p item tell why. */
int dit_load_refuse(struct loader *loader, const struct dit_ldif_record *record,
                    struct load_item *item);

/**
 * The record cannot be stored.
 *
 * @param kind  DIT_WHY_EXISTS: an entry of this load has its DN; _STORED: one before it;
 *              _RDN_SIZE; _ENTRY_SIZE; _SPLIT_SIZE: a value does not fit a record of
 *              id2v; _NOT_STORABLE: the schema does not have an attribute of it;
 *              _FOREIGN: its database is of a type that takes no entries from tools
 */
int dit_load_fail(struct loader *loader, const struct dit_ldif_record *record,
                  const struct load_item *item, enum dit_why_kind kind);

/** Report an item's notes. */
void dit_load_tell_notes(struct loader *loader, const struct load_item *item);

/* ---- load_resolve.c: the source of the pipeline, and main's part of a round ---- */

/** The source: the next records of the LDIF. The reader thread. */
int dit_load_fill(void *ctx, unsigned slot);

/** Room for the batch's items; the time of its generated values. */
int dit_load_begin(void *ctx, unsigned slot, size_t *ret_nitems);

/** Decide about each record of the batch; then tell progress and estimate the size. */
int dit_load_in_order(void *ctx, unsigned slot);

/** The node of a new entry, and holes for the nodes above it that are not there. Errors
 * of dit_dn_tree_add() and of dit_entries_put_hole() */
int dit_load_add_nodes(struct load_target *target, const struct dit_dn_tree_name *name,
                       struct dit_dn_tree_node *node);

/** "Error, entries missing!" and the lines below it. */
void dit_load_report_missing(struct loader *loader);

/* ---- load_setup.c: everything before the first round, and the release of it all ---- */

/** Nothing can fail. @param opts  borrowed, as @p stats; gets `inputs` if it has none */
void dit_loader_init(struct loader *loader, struct dit_load_opts *opts,
                     struct dit_load_stats *stats);
int dit_load_read_settings(struct loader *loader);

/** 0; 1: with only_if_empty, there is nothing to do; negative; reported */
int dit_load_prepare(struct loader *loader);

/** Joins the threads and frees everything; works at every stage. */
void dit_load_release(struct loader *loader);

#endif
