/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stores that bench_stores compares, behind one table of operations.
 *
 * What is stored: entries, an ID and some bytes each; and postings, (index database, key,
 * ID), up to hundreds for each entry. LMDB keeps them as back-mdb does: a database of
 * entries, and for each index a database with sorted duplicates. RocksDB and LevelDB have
 * one space of keys, whose order is the byte order of
 *
 *   entry    00  ID, 8 bytes, highest first                        -> the entry
 *   posting  number of the index + 1  key  ID, 8 bytes, highest first  -> nothing
 *
 *   07 3fa1900c 00000000000004d2      index 6, a hash of 4 bytes, ID 1234
 *
 * A failure ends the program with a message: it is a measuring program. One thread, apart
 * from those that RocksDB and LevelDB start for themselves.
 */
#ifndef DITKIT_BENCH_STORES_H
#define DITKIT_BENCH_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POSTING_KEY_MAX 6
#define STORES_KEY_MAX  (1 + POSTING_KEY_MAX + 8)

struct posting {
	uint64_t id;
	uint8_t db; /* number of the index database, below 255 */
	uint8_t key_len;
	uint8_t key[POSTING_KEY_MAX];
};

/** One entry in the input file: this, then its bytes, then zeros up to 8 bytes. */
struct entry_head {
	uint64_t id;
	uint64_t len;
};

/** Input, mapped from the files that stores_extract() wrote. */
struct stores_input {
	const struct posting *sorted;   /* by index database, key, ID */
	const struct posting *shuffled; /* by ID, as entries come */
	size_t npostings;
	const uint8_t *entries; /* by ID: heads and bytes */
	size_t entries_bytes;
	size_t nentries;
	unsigned ndbs; /* index databases */
};

/** How to write; each store knows some methods and sync policies by name. */
struct store_job {
	const char *dir; /* an empty directory */
	const char *method;
	const char *sync;
	uint64_t batch; /* records in a transaction or write batch; 0: all */
	size_t cache_bytes;
	bool compress;
	bool compact;        /* at the end, where the store has something to compact */
	uint64_t kill_after; /* records; then the program kills itself. 0: never */

	/* set by write() */
	uint64_t nwritten;
	double write_s;   /* until the last record was handed over and committed */
	double settle_s;  /* until all of it was synced to disk */
	double compact_s; /* until the store had nothing left to do */
};

struct store_ops {
	const char *name;
	const char *methods; /* "a b c" */
	const char *syncs;
	void (*write)(struct store_job *job, const struct stores_input *in);

	/* For reading. @return 1 found, 0 not; entries and postings never mix. */
	void *(*open)(const struct store_job *job);
	void (*close)(void *store);
	int (*get_entry)(void *store, uint64_t id, uint8_t *ret_first, size_t *ret_len);
	/** The entry with the smallest ID that is not below @p id. */
	int (*seek_entry)(void *store, uint64_t id, uint64_t *ret_id);
	int (*next_entry)(void *store, uint64_t *ret_id);
	/** The first posting that is not before @p from. */
	int (*seek)(void *store, const struct posting *from, struct posting *ret);
	int (*next)(void *store, struct posting *ret);
};

extern const struct store_ops store_lmdb;
extern const struct store_ops store_rocksdb;
extern const struct store_ops store_leveldb;

/* ---- input ---- */

/** Read a finished back-mdb database, write the input files into @p dir. */
void stores_extract(const char *database, const char *dir);
void stores_input_open(const char *dir, struct stores_input *ret);
/** The entry at @p offset of the entries; moves the offset behind it. */
const struct entry_head *stores_entry_at(const struct stores_input *in, size_t *offset);
bool stores_same_key(const struct posting *a, const struct posting *b);

/** @return the length of the key in @p ret */
size_t stores_posting_key(const struct posting *posting, uint8_t ret[STORES_KEY_MAX]);
size_t stores_entry_key(uint64_t id, uint8_t ret[STORES_KEY_MAX]);
void stores_parse_posting(const uint8_t *key, size_t len, struct posting *ret);
uint64_t stores_parse_entry(const uint8_t *key);

/* ---- shared by the writers ---- */

/** Count @p n records; the place where a job that is to be killed is. */
void stores_count(struct store_job *job, uint64_t n);
double stores_now(void);
_Noreturn void stores_die(const char *what, const char *why);

#endif
