/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load, composed of its objects: which object lies where, and which thread owns it.
 * The headers of the objects say what they do.
 *
 * A load is a pipeline (pipeline/pipeline.h). Its stages:
 *
 *   fill          the reader thread cuts LDIF into records (ldif_reader.c)
 *   before_order  parse: everything about an entry that needs no order (load_parse.c)
 *   in_order      resolve: duplicates, parents, IDs, attribute numbers, messages; the
 *                 record of the entry is appended (load_resolve.c)
 *   after_order   key: index keys, made when the ID is known, go straight into the run
 *                 builders (load_parse.c)
 */
#ifndef DITKIT_LOADER_H
#define DITKIT_LOADER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/notes.h"
#include "base/stop.h"
#include "base/ticker.h"
#include "build/builders.h"
#include "build/index_writer.h"
#include "codec/entry_codec.h"
#include "config/settings.h"
#include "entry/entry.h"
#include "index/index_keys.h"
#include "job/job.h"
#include "job/release_rules.h"
#include "job/value_rules.h"
#include "ldif/ldif_reader.h"
#include "load/ad_numbers.h"
#include "load/context_csn.h"
#include "load/dn_tree.h"
#include "load/entries.h"
#include "load/load.h"
#include "output/publication.h"
#include "output/record_output.h"
#include "pipeline/pipeline.h"
#include "place/fault.h"
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
	enum load_state state;
	int error; /* of LOAD_BROKEN */

	uint32_t target; /* of a good item: its number in the loader */

	/* Written by main in resolve. */
	uint32_t id; /* 0: not stored, or not indexed (the empty DN) */
};

/** The content of a slot of the pipeline. Its owner is the owner of the slot. */
struct load_slot {
	struct dit_ldif_batch batch;
	struct load_item *items; /* one per record; grown by main */
	size_t items_size;
	uint64_t time_us; /* for generated values (struct dit_entry_stamp) */
};

/**
 * One member's own. [own: member] while a round runs; main may look after a meeting.
 */
struct load_member {
	struct dit_entry_caches caches;
	struct load_keys *keys; /* one per target */
	unsigned number;
};

/** Where a member's index keys for one target go. [own: member], as above. */
struct load_keys {
	struct load_target *target;
	struct dit_index_work *work;
	unsigned producer; /* the member's number */
	uint32_t id;       /* of the entry whose keys are made */

	/* [atomic: written by the member alone, read by main at any time; relaxed, an old
	 * value does no harm, and the barrier brings the last one] */
	_Atomic uint64_t nposted; /* index keys made, for the size estimate */
};

/** So many names of what a database holds are remembered. */
#define LOOK_NAMES 4

/** The contents of a database before the load (load_look.h). Zero: nothing. */
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
	struct dit_record_output *output; /* NULL in a dry run */
	struct dit_ad_numbers numbers;
	struct dit_dn_tree *tree;    /* NULL in a dry run */
	struct dit_entries *entries; /* NULL in a dry run */
	bool was_warned;             /* a report said that the result may be too large */
	uint64_t stored_bytes;       /* of the file, if it holds records */
	uint64_t last_stored; /* loader->stats->nentries at the target's latest entry */
};

/** The memory of load_refuse.c. Zero is a new one. */
struct load_refusals {
	char *reason; /* of the latest refusal */
	char **told;  /* texts that are told once in a load */
	size_t ntold;
	size_t told_size;
};

/** How records are read and entries checked. [const] while members run */
struct load_reading {
	struct dit_release_rules rules;
	struct dit_entry_context context;
	uint64_t *sorted;                /* of the context */
	struct dit_sid_set removed_sids; /* likewise */
};

/** Generated values are made of this (struct dit_entry_stamp). */
struct load_stamps {
	uint64_t node;         /* [const] while members run */
	uint16_t clock_seq;    /* likewise */
	uint64_t last_time_us; /* [own: main] */
};

/** The LDIF, cut into the slots of the pipeline. [own: main] */
struct load_input {
	struct dit_ldif_reader *reader; /* the reader thread's, while records come */
	struct load_slot *slots;        /* by number in the pipeline */
	unsigned nslots;
};

/** How far the load is (load_progress.h). [own: main] */
struct load_progress {
	uint64_t npostings; /* of all members */
	bool is_counted;    /* the members make no more */
	/* While databases are put in place, one for each target; NULL: not yet. */
	struct dit_published *published;
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
	struct load_member *members;
	struct dit_page_writer *page_writer; /* NULL with one thread */
	struct dit_fingerprint_key name_key; /* of the names in the trees */

	/* [own: main] */
	struct dit_load_stats *stats;
	uint64_t start_us; /* CLOCK_MONOTONIC */
	struct dit_pipeline *pipeline;
	struct load_input input;
	struct load_stamps stamps;
	uint64_t next_estimate; /* estimate the sizes again at this many bytes read */
	struct dit_context_csn *csn; /* NULL: without -w */
	struct load_refusals refusals;
	struct load_progress progress;
};

#endif
