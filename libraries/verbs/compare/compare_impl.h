/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the parts of the comparison: compare.c (databases), compare_records.c (their
 * records), compare_entry.c (two stored entries), compare_text.c (differences in words),
 * compare_across.c and compare_across_index.c (databases of different formats).
 *
 * Functions that have no result note in `error` that there was no memory; then no line is
 * written, and the next dit_compare_step() or dit_compare_db_end() returns it.
 *
 * Threads: as compare.h says.
 */
#ifndef DITKIT_COMPARE_IMPL_H
#define DITKIT_COMPARE_IMPL_H

#include <stdio.h>

#include "base/arena.h"
#include "codec/entry_view.h"
#include "compare/compare.h"
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
};

struct dit_compare {
	struct dit_compare_opts opts;
	struct dit_job job; /* its chosen is empty if no configuration was read */
	const char *directories[2];
	dit_report_fn differs; /* NULL: differences are counted */
	void *differs_ctx;
	struct dit_compare_side sides[2];
	struct dit_arena arena; /* for two entries, reset for the next two */
	int error;              /* -ENOMEM, from the first time on */

	bool is_across;      /* the formats differ, so entries are found by DN */
	const char *db;      /* being compared */
	struct dit_span key; /* of the records of id2e at hand */
	uint64_t ndb;        /* differences in it */
	uint64_t ntotal;     /* differences in all */

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
/** All of them, each after a blank. */
void dit_compare_put_values(struct dit_compare *c, const struct dit_span *values,
                            uint32_t n);
/** The value of a record, as far as the database's format is known. */
void dit_compare_put_value(struct dit_compare *c, const char *db, struct dit_span value);

/* ---- compare_entry.c ---- */

/** Two different records of id2e under one key. */
void dit_compare_entries(struct dit_compare *c, struct dit_span key,
                         const struct dit_span values[2]);

/** The attributes of two entries. */
void dit_compare_attrs(struct dit_compare *c, const struct dit_entry_view entries[2]);
/** A line names the entry first: by its key, or across formats by its DN. */
void dit_compare_put_entry(struct dit_compare *c, const struct dit_entry_view *entry);
/** The blocks of an attribute become one, but for an exact comparison. */
void dit_compare_join_blocks(struct dit_compare *c, struct dit_entry_view entries[2]);
/**
 * Count a pair of entries that differ in order alone.
 *
 * @param before  differences before the pair
 */
void dit_compare_entry_end(struct dit_compare *c, uint64_t before);

/** An attribute whose values differ from load to load. */
bool dit_compare_is_generated(struct dit_span name);

/* ---- databases of different formats ---- */

/** An entry of the second database, and the one of the first with its DN. */
struct dit_twin {
	uint64_t second;
	uint64_t first;
	uint64_t hash; /* of the normal DN */
	bool has_first;
};

/** The other way round. */
struct dit_twin_pair {
	uint64_t first;
	uint64_t second;
};

struct dit_across {
	struct dit_compare *c;
	struct dit_twin *twins; /* while entries are compared by hash, then by `second` */
	size_t ntwins;
	struct dit_twin_pair *pairs; /* by `first` */
	size_t npairs;
};

/* ---- compare_records.c ---- */

/** Two databases. */
struct dit_compare_pair {
	const char *names[2];
	unsigned flags[2];
	bool is_index;
	const struct dit_across *across; /* NULL: IDs are compared as they are */
};

/** Reads one database. Zero is a closed one. */
struct dit_compare_records {
	struct dit_tree_cursor *cursor;
	bool is_index;                   /* a key with all its IDs is one record */
	const struct dit_across *across; /* IDs become those of twins; NULL: they stay */

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

/** The lists of one key. */
void dit_compare_list(struct dit_compare *c, const struct dit_compare_records *a,
                      const struct dit_compare_records *b);

/** All records, c->db in the report. 0; error */
int dit_compare_pair(struct dit_compare *c, const struct dit_compare_pair *pair);

/* ---- compare_across.c ---- */

/** A database of LMDB 0.9 and one of 1.0. 0; error */
int dit_compare_across(struct dit_compare *c);

/** The second's ID of an entry of the first. */
bool dit_across_find(const struct dit_across *across, uint64_t first,
                     uint64_t *ret_second);
/** The number of a twin, by its ID. False: the second has no such entry */
bool dit_across_twin(const struct dit_across *across, uint64_t second, size_t *ret);

/** In an ID of the first whose entry the second does not have. */
#define DIT_ACROSS_ALONE ((uint64_t)1 << 63)

/** IDs of the first, or a range of them, become those of the second; a range stays. */
void dit_across_map(const struct dit_across *across, uint64_t *ids, size_t n);
/** Two ranges, or a range that has all entries of a list. */
bool dit_across_same_ranges(const struct dit_across *across,
                            const struct dit_compare_records *a,
                            const struct dit_compare_records *b);

/** All index databases, by name. 0; error */
int dit_across_indexes(struct dit_across *across);

/* ---- compare.c ---- */

/** So many records of the first were passed. DIT_E_STOPPED: the caller wants an end;
 * -ENOMEM; else 0. */
int dit_compare_step(struct dit_compare *c, uint64_t nrecords);

#endif
