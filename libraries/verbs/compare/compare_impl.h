/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the parts of the comparison.
 *
 * Functions that have no result note an error in `error`; then no line is written, and
 * the next dit_compare_step() or dit_compare_db_end() returns it.
 *
 * Threads: as compare.h says.
 */
#ifndef DITKIT_COMPARE_IMPL_H
#define DITKIT_COMPARE_IMPL_H

#include <stdio.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/pairs.h"
#include "codec/entry_view.h"
#include "compare/compare.h"
#include "job/job.h"
#include "reader/ad_names.h"
#include "reader/entry_reader.h"
#include "reader/snapshot.h"

/** An entry of one side. */
struct dit_compare_entry {
	uint64_t id;
	uint64_t other; /* the ID of its pair on the other side; UINT64_MAX: none */
};

/** One of the two environments. */
struct dit_compare_side {
	struct dit_data_seal *seal; /* NULL: its pages are not sealed */
	struct dit_snapshot *snapshot;
	uint64_t bytes;      /* of its pages */
	uint64_t bytes_read; /* of those that were walked */
	struct dit_ad_names names;
	struct dit_entry_reader *reader; /* NULL: one of slapd's databases is missing */

	/* Its entries that are read by now: they are in pairs, or alone. */
	struct dit_entry_view view;        /* the one at hand */
	struct dit_compare_entry *entries; /* by ascending ID */
	size_t nentries;
	size_t entries_size;
};

struct dit_compare {
	struct dit_compare_opts opts;
	struct dit_job job; /* its chosen is empty if no configuration was read */
	const char *directories[2];
	dit_report_fn differs; /* NULL: differences are counted */
	void *differs_ctx;
	struct dit_compare_side sides[2];
	struct dit_arena arena; /* for two entries, reset for the next two */
	int error;              /* the first one */

	bool is_across;  /* LMDB 0.9 and 1.0 */
	const char *db;  /* being compared */
	uint64_t ndb;    /* differences in it */
	uint64_t ntotal; /* differences in all */

	/* Pairs have the numbers of the second side's entries. */
	bool are_paired; /* entries are; else records are compared as they are stored */
	struct dit_compare_hash *hashes; /* of the second side's entries, sorted */
	size_t hashes_size;
	bool *is_told; /* by number: its entries differ */

	bool is_reordered;   /* the entry at hand differs in order */
	uint64_t nreordered; /* entries of the database that differ in order alone */

	uint64_t nbefore;  /* records of the databases that are done */
	uint64_t ndone;    /* of the one at hand, passed; in a walk pages */
	uint64_t nrecords; /* of all */

	/* A line that is being written. NULL: not wanted. */
	FILE *line;
	char *text; /* of the line; malloc'ed */
	size_t text_len;
};

/* ---- compare_text.c ---- */

/** Start the line of a difference: "<db>: ". */
void dit_compare_line_begin(struct dit_compare *c);
/** Report it. */
void dit_compare_line_end(struct dit_compare *c);
/**
 * Say how many differences of the database were left out.
 *
 * @param r  of what was done before
 *
 * @return r if it is not 0; 0; -ENOMEM
 */
int dit_compare_db_end(struct dit_compare *c, int r);
/** A whole line at once. */
void dit_compare_say(struct dit_compare *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Parts of a line. All of them do nothing if there is no line. */
void dit_compare_put(struct dit_compare *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void dit_compare_put_hex(struct dit_compare *c, struct dit_span bytes);
void dit_compare_put_quoted(struct dit_compare *c, struct dit_span bytes);
/** The name of a database or an attribute, without quotes; it may be damaged. */
void dit_compare_put_name(struct dit_compare *c, struct dit_span name);
/** The value of a record, as far as the database's format is known. */
void dit_compare_put_value(struct dit_compare *c, const char *db, struct dit_span value);

/* ---- compare_pairs.c ---- */

/** The entries of both sides, two by two: those that have one DN are a pair. First come
 * those of the first side in the order of their IDs, then those of the second that are
 * alone. 0; error */
int dit_compare_entries(struct dit_compare *c);

#define DIT_COMPARE_NOBODY SIZE_MAX       /* no entry has the ID */
#define DIT_COMPARE_ALONE  (SIZE_MAX - 1) /* the other side does not have the entry */

/** The number of the pair of an entry of one side. After the last pair. */
size_t dit_compare_number(const struct dit_compare *c, int side, uint64_t id);

/* ---- compare_entry.c ---- */

/** Tell how the entries in the views of the sides differ. @param which  enum dit_pair */
void dit_compare_views(struct dit_compare *c, int which);
/** Two different records of id2e under one key. False: they cannot be read as entries */
bool dit_compare_stored(struct dit_compare *c, struct dit_span key,
                        const struct dit_span records[2]);
/** A line names an entry by its DN. */
void dit_compare_put_entry(struct dit_compare *c, const struct dit_entry_view *entry);
/** An attribute whose values differ from load to load. */
bool dit_compare_is_generated(struct dit_span name);

/* ---- compare_records.c ---- */

/** Are these two indexes? No others have items of fixed size (storage.md 1.2). */
static inline bool dit_compare_are_indexes(const struct dit_stored_db *const dbs[2])
{
	return (dbs[0]->flags & dbs[1]->flags & DIT_DB_DUPFIXED) != 0;
}

/** One of two databases, read. Zero is a closed one. */
struct dit_compare_records {
	struct dit_snapshot *snapshot;
	const char *name;
	struct dit_tree_cursor *cursor; /* NULL: at the beginning */
	const struct dit_key_order *order;
	bool is_index; /* a key with all its IDs is one record */
	bool has_many; /* records for a key, in the order of values */
	bool is_sought;

	/* The present one. */
	struct dit_span key;
	struct dit_span value; /* not in an index */
	uint64_t *ids;         /* in an index; malloc'ed */
	size_t nids;
	size_t ids_size;
};

/** A range is 0, lowest, highest (storage.md 5.4). */
static inline bool dit_compare_is_range(const struct dit_compare_records *records)
{
	return records->nids == DIT_RANGE_IDS && records->ids[0] == 0;
}

/** The records that the two sides have, or one of them: enum dit_pair. */
typedef void (*dit_compare_records_fn)(void *ctx, int which,
                                       struct dit_compare_records sides[2]);

/** All records go to @p take. 0; error */
int dit_compare_each(struct dit_compare *c, const struct dit_stored_db *const dbs[2],
                     dit_compare_records_fn take, void *ctx);
/** The same: differences are reported, as those of c->db. */
int dit_compare_pair(struct dit_compare *c, const struct dit_stored_db *const dbs[2]);

/* ---- compare_index.c ---- */

/** An index of two databases whose entries are pairs. 0; error */
int dit_compare_index(struct dit_compare *c, const struct dit_stored_db *const dbs[2]);

/* ---- compare.c ---- */

/** Count records of the first side that were passed. 0; DIT_E_STOPPED: the caller wants
 * an end; the first error of the comparison */
int dit_compare_step(struct dit_compare *c, uint64_t nrecords);

#endif
