/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the parts of the comparison: compare.c (databases), compare_records.c (their
 * records), compare_entry.c (entries), compare_index.c (indexes of pairs), compare_text.c
 * (differences in words).
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
#include "codec/entry_view.h"
#include "compare/compare.h"
#include "compare/compare_pairs.h"
#include "job/job.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"

/** One of the two environments. */
struct dit_compare_side {
	struct dit_data_seal *seal; /* NULL: its pages are not sealed */
	struct dit_snapshot *snapshot;
	uint64_t bytes;      /* of its pages */
	uint64_t bytes_read; /* of those that were walked */
	const struct dit_stored_db *dbs;
	size_t ndbs;
	struct dit_ad_names names;
	struct dit_entry_reader *reader; /* NULL: one of slapd's databases is missing */
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

	bool is_across;                /* LMDB 0.9 and 1.0 */
	struct dit_entry_pairs *pairs; /* NULL: records are compared as they are stored */
	const char *db;                /* being compared */
	uint64_t ndb;                  /* differences in it */
	uint64_t ntotal;               /* differences in all */

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

/** Room in the arena, cleared. NULL: no memory, and there is an error */
void *dit_compare_alloc(struct dit_compare *c, size_t n, size_t size);

/** Parts of a line. All of them do nothing if there is no line. */
void dit_compare_put(struct dit_compare *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void dit_compare_put_hex(struct dit_compare *c, struct dit_span bytes);
void dit_compare_put_quoted(struct dit_compare *c, struct dit_span bytes);
/** The name of a database or an attribute, without quotes; it may be damaged. */
void dit_compare_put_name(struct dit_compare *c, struct dit_span name);
/** The value of a record, as far as the database's format is known. */
void dit_compare_put_value(struct dit_compare *c, const char *db, struct dit_span value);

/* ---- compare_entry.c ---- */

/** All entries, which become pairs. 0; error */
int dit_compare_entries(struct dit_compare *c);
/** Two different records of id2e under one key. False: they cannot be read as entries */
bool dit_compare_stored(struct dit_compare *c, struct dit_span key,
                        const struct dit_span records[2]);
/** A line names an entry by its DN. */
void dit_compare_put_entry(struct dit_compare *c, const struct dit_entry_view *entry);
/** An attribute whose values differ from load to load. */
bool dit_compare_is_generated(struct dit_span name);

/* ---- compare_records.c ---- */

/** Two databases. */
struct dit_compare_pair {
	const char *names[2];
	unsigned flags[2];
	bool is_index;
	struct dit_compare_lists
		*lists; /* of pairs; NULL: IDs are compared as they are */
};

/** Reads one database. Zero is a closed one. */
struct dit_compare_records {
	struct dit_tree_cursor *cursor;
	bool is_index;                   /* a key with all its IDs is one record */
	struct dit_compare_lists *lists; /* of the pair */
	int side;

	/* The current one. */
	int state; /* 1: there is one; 0: end; error */
	struct dit_span key;
	struct dit_span value; /* not in an index */
	uint64_t *ids;         /* in an index; malloc'ed */
	size_t nids;
	size_t ids_size;
};

/** Those of a side, from the first one on; may be open. */
int dit_compare_records_open(struct dit_compare_records *records, struct dit_compare *c,
                             const struct dit_compare_pair *pair, int side);
void dit_compare_records_close(struct dit_compare_records *records);
/** 1; 0: end; error */
int dit_compare_records_next(struct dit_compare_records *records);
/** In an index. 1; 0: no such key; error */
int dit_compare_records_seek(struct dit_compare_records *records, struct dit_span key);

/** A range is 0, lowest, highest (storage.md 5.4). */
static inline bool dit_compare_is_range(const struct dit_compare_records *records)
{
	return records->nids == 3 && records->ids[0] == 0;
}

/** All records, c->db in the report. 0; error */
int dit_compare_pair(struct dit_compare *c, const struct dit_compare_pair *pair);

/* ---- compare_index.c ---- */

/** An index of two databases whose entries are pairs. 0; error */
int dit_compare_index(struct dit_compare *c, struct dit_compare_pair *pair);
/** The lists of one key. NULL: that side does not have it. */
void dit_compare_lists_note(struct dit_compare_lists *lists,
                            struct dit_compare_records *a, struct dit_compare_records *b);

/* ---- compare.c ---- */

/** So many records of the first were passed. DIT_E_STOPPED: the caller wants an end;
 * the first error; else 0. */
int dit_compare_step(struct dit_compare *c, uint64_t nrecords);

#endif
