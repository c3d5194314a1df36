/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a reindexing, composed: which object lies where, and which thread owns
 * it. Each object is described in its own header.
 *
 *   scan (members)      entry -> keys -> builders           reindex_scan.c
 *   members             sorted, merged, written             index_writer.h
 *   main                the output, publication             reindex_target.c,
 *                                                           reindex_run.c
 *
 * Databases are worked on one after the other, and put in place together.
 */
#ifndef DITKIT_REINDEXER_H
#define DITKIT_REINDEXER_H

#include "files/fault.h"
#include "indexing/builders.h"
#include "indexing/key_changes.h"
#include "indexing/stored_keys.h"
#include "job/job.h"
#include "output/online.h"
#include "output/output.h"
#include "output/publication.h"
#include "reindex/reindex.h"
#include "scan/scan_snapshot.h"
#include "tree/page_writer.h"

struct dit_index_writer;

/** One database. */
struct reindex_target {
	/* [const] while members run */
	struct reindexer *reindexer;
	const struct dit_database *db;
	struct dit_index_set *indexes; /* those that are built */
	struct dit_builders *builders; /* producer i belongs to member i */
	struct dit_data_seal *seal;    /* NULL: its pages are not sealed */
	struct dit_snapshot *snapshot; /* the output's */
	struct dit_stored_keys *
		*keys; /* one for each member, its own while a scan runs */

	/* [own: main] */
	struct dit_reindex_database_stats *stats;
	struct dit_output *output;       /* NULL: none yet, or given away */
	bool is_changed;                 /* an index is built or dropped */
	struct dit_fault fault;          /* says more than results do */
	uint64_t nrecords;               /* of the scan */
	uint64_t nread;                  /* of these, read: entries and holes */
	struct dit_index_writer *writer; /* NULL: not yet, or no more */
	uint64_t npostings;              /* so far */
	struct dit_online_times times;

	/* [own: main] of the latest round of dit_reindex_catch_up(); owned */
	struct dit_key_changes *changes; /* NULL: there was none */
	struct dit_changed_lists *lists; /* one for each index */
};

struct reindexer {
	/* [const] while members run */
	const struct dit_reindex_opts *opts;
	struct dit_job job; /* which databases, threads, reports */
	uint64_t memory_bytes;
	uint64_t sample_bytes;       /* of an estimate: read so much of id2e; 0: all */
	const struct dit_ad **attrs; /* of opts->attrs; owned */
	size_t nattrs;

	/* [own: main, or the thread that reserves pages] */
	struct dit_keeper keeper; /* looks at what others have mapped; pid 0: none */

	/* [own: main] */
	struct dit_reindex_stats *stats;
	struct reindex_target *targets; /* the chosen database first */
	unsigned ntargets;
	struct dit_published *published; /* one for each target; empty until the end */
};

/* ---- reindex_run.c ---- */

/** Nothing can fail. @param opts  borrowed, as @p stats */
void dit_reindexer_init(struct reindexer *reindexer, const struct dit_reindex_opts *opts,
                        struct dit_reindex_stats *stats);
/** Configuration, databases, threads. 0, or an error that was reported */
int dit_reindex_prepare(struct reindexer *reindexer);
/** Works at every stage. */
void dit_reindex_release(struct reindexer *reindexer);

/* ---- reindex_scan.c ---- */

/** Push the keys of all entries of the snapshot. 0, or an error that was reported */
int dit_reindex_scan(struct reindex_target *target);

/* ---- reindex_target.c ---- */

/** The index set of a database: what is configured, or what was asked for. 0, or an error
 * that was reported */
int dit_reindex_make_set(struct reindex_target *target);
/** Open the database and say what of it is built. 0, or an error that was reported */
int dit_reindex_target_open(struct reindex_target *target);
/** Make builders, and what members make keys with. Likewise. */
int dit_reindex_target_begin(struct reindex_target *target);
/** From the entries to finished index databases in the output. Likewise. */
int dit_reindex_target_build(struct reindex_target *target);
void dit_reindex_target_deinit(struct reindex_target *target);
/** As dit_job_fail(), of one database: its directory, and what size it needs. */
int dit_reindex_target_fail(const struct reindex_target *target, int r);

/* ---- reindex_online.c ---- */

/** A dit_online_changed_fn; ctx: the target. */
int dit_reindex_catch_up(void *ctx, const struct dit_online_changed *changed,
                         struct dit_list_changes *ret);
/** Release what it has made. */
void dit_reindex_forget_changes(struct reindex_target *target);

#endif
