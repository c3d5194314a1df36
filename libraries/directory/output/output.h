/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output: a database that is written, new or existing.
 *
 *   dit_output_open(), or dit_output_open_existing()
 *   look-ups, entries, attribute numbers, split values; tables of names and indexes
 *   dit_output_begin_changes(); records that could not come in order
 *   dit_output_prepare(), _commit(), _place(), _end()     publication.h does these
 *   or, at any moment, dit_output_abandon()
 *
 * | implementation    | is for                        | who writes                  |
 * |-------------------|-------------------------------|-----------------------------|
 * | output_new.c      | a new database                | our own pages               |
 * | output_new.c      | a new database of LMDB 0.9    | liblmdb, which appends      |
 * | output_existing.c | a database that holds records | liblmdb, in one transaction |
 * | output_existing.c | the same, many records come   | liblmdb; indexes: our pages |
 * | index_output.c    | index databases built anew    | our own pages               |
 *
 * Only dit_output_open() finds out whether the database holds records. Everybody else
 * looks at the facts in struct dit_output, which say what an implementation asks of its
 * caller and what is stored already.
 *
 * Other processes see nothing of an output before it is published. Until then, and after
 * any error, dit_output_abandon() leaves the database as it was. From the opening to the
 * end the directory is claimed (claim.h), except beside slapd (online.h).
 *
 * Ownership: keys, records and lists are borrowed for the call, options are copied, but
 * for the name of the directory, which is borrowed until the end.
 *
 * Threads: an output belongs to one thread, which is called main. Tables are different:
 * struct dit_output says how many threads may write them.
 *
 * Errors: all functions return 0 (or what they say) or a negative code: DIT_E_FULL (the
 * database outgrows its configured size), MDB_TXN_FULL (more changes than liblmdb can
 * keep track of), -ENOSPC, -EDQUOT, -EFBIG, other -errno, LMDB's codes (MDB_KEYEXIST:
 * records out of order). An error of writing may be told by a later call. After an error
 * an output is only to be abandoned.
 */
#ifndef DITKIT_OUTPUT_H
#define DITKIT_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/pieces.h"
#include "base/span.h"
#include "base/ticker.h"

struct dit_fault;       /* fault.h */
struct dit_page_writer; /* page_writer.h */

/** How new lists are merged with stored lists. */
enum dit_output_merge {
	DIT_MERGE_DEFAULT, /* the way that takes less time */
	DIT_MERGE_INSERT,  /* liblmdb inserts the new lists */
	DIT_MERGE_GROW,    /* pages that get new lists are written anew, by us */
	DIT_MERGE_REBUILD, /* all indexes are built anew, of our own pages */
};

/** Who makes the pages of a new database. */
enum dit_output_writer {
	DIT_WRITER_DEFAULT, /* pages; append if liblmdb's format is not known */
	DIT_WRITER_PAGES, /* we do; MDB_VERSION_MISMATCH: liblmdb's format is not known */
	DIT_WRITER_APPEND, /* liblmdb, all of them */
};

struct dit_output_opts {
	const char *directory;   /* of the database; must exist */
	mode_t mode;             /* of data.mdb and lock.mdb */
	unsigned ndbs;           /* named databases at most (fixed ones included) */
	uint64_t maxsize_bytes;  /* configured size; 0: LMDB's default */
	uint64_t expected_bytes; /* size of the additions, roughly; for may_grow */
	uint64_t list_max; /* IDs in a list; longer ones become ranges; at least 1 */
	enum dit_output_writer writer; /* of a new database */
	enum dit_output_merge merge;   /* of a database that holds records */
	unsigned page_bytes; /* of a new database of LMDB 1.0; 0: the system's */
	bool has_ixck; /* a new database has ixck, which is empty (storage.md 1.2) */
	/* A new database is of LMDB 1.0, which OpenLDAP 2.7 reads. Then a database that
	 * holds records is refused. false: a new database is of the liblmdb at hand. */
	bool is_lmdb_10;
	/* The caller has looked at the old file, whatever it holds. */
	bool replaces_records;
	bool may_grow;       /* the result may be larger than maxsize_bytes */
	bool use_page_cache; /* for our own pages; false: past the cache if possible */
	struct dit_page_writer
		*page_writer;      /* borrowed; NULL: each thread writes its pages */
	struct dit_ticker *ticker; /* main's; borrowed; NULL: nobody listens */
	/* Not 0: checks of stored pages end with DIT_E_STOPPED; NULL: never. */
	const volatile sig_atomic_t *stop;
	/* Borrowed until the last dit_output_find_index(); may be NULL. Says more than
	 * the result of that and of the opening. */
	struct dit_fault *fault;
};

struct dit_output_ops;

/** What a database held when it was opened. A new one: nothing. */
struct dit_output_stored {
	uint64_t last_id; /* highest ID; 0: no entry, or only the one with the empty DN */
	bool has_root_entry; /* the entry with the empty DN (ID 0) */
	bool has_names;      /* there are records in dn2i */
};

/** Where an output writes. Publication looks whether the name leads there. */
struct dit_output_place {
	const char *directory; /* borrowed until the end; NULL: nobody looks */
	int dir_fd;            /* of a new database: the open directory; else -1 */
	int data_fd;           /* the file that is data.mdb, or will be */
};

/** The head of each implementation. [const] except bytes, and is_parallel and
 * indexes_last, which dit_output_expect_postings() decides */
struct dit_output {
	const struct dit_output_ops *ops;
	struct dit_output_stored stored;

	/**
	 * Entries are reserved in ascending order of IDs. Split values are put after
	 * dit_output_begin_changes(), in ascending order. After that call, too, a late
	 * entry is put with dit_output_replace_entry(). Without this flag entries and
	 * split values are put in any order.
	 */
	bool wants_order;

	/** For reports: liblmdb makes all pages of a new database; liblmdb's format is
	 * not known. */
	bool is_append;
	bool is_unknown_format;

	/** Several threads write tables of indexes at once, a table each. Without this
	 * flag main writes one table after the other. */
	bool is_parallel;
	/** Everything else is put before the first index is opened, changes after
	 * dit_output_begin_changes() included. */
	bool indexes_last;
	/** The output uses is_repeated of lists. */
	bool wants_repeats;

	struct dit_output_place place;

	/** Greatest length of a key, and of a record of names or of a split value. */
	size_t key_max;

	/** [own: main] size of the data file, as soon as dit_output_prepare() or
	 * _commit() knows it, also when it is too large */
	uint64_t bytes;
	/** [own: main] from the beginning of the file, bytes most of which are what they
	 * were; since dit_output_commit(). 0: a new database, or indexes built anew */
	uint64_t kept_bytes;
	/** [own: main] of the file, bytes that the disk has; counted where syncing takes
	 * long */
	uint64_t synced_bytes;
};

/**
 * Open the database of a directory: a new one if it holds no records.
 *
 * @return 0; DIT_E_BUSY (slapd, a tool or another loader has it open), DIT_E_FORMAT (it
 *         is of OpenLDAP 2.7), DIT_E_CORRUPT, with a fault (a database lost its flags),
 *         errors. Nothing is changed then.
 */
int dit_output_open(struct dit_output **ret, const struct dit_output_opts *opts);
/** The same, but a database without records is written as an existing database, too:
 * its entries, if there are any, are kept. */
int dit_output_open_existing(struct dit_output **ret, const struct dit_output_opts *opts);

/* ---- tables ---- */

struct dit_output_table_ops;

/** One index database, or dn2i, while it is written. [own: the thread that opened it] */
struct dit_output_table {
	const struct dit_output_table_ops *ops;
	/* dit_output_finish() puts the bytes of the table's pages here, unless liblmdb
	 * makes the pages. NULL: nobody asks; who opens a table may set it. */
	uint64_t *ret_bytes;
};

/** One key of an index and its IDs. */
struct dit_output_list {
	struct dit_span
		key; /* 1 to key_max bytes; integer keys: all of 4 or all of 8 bytes */
	const uint64_t *ids; /* ascending, none of them stored; or 0, lowest, highest */
	size_t nids;         /* 0: nothing is stored */
	/* The ID that was inserted last came more than once: a list of exactly list_max
	 * IDs then becomes a range (storage.md 5.4). Not for ranges. A new database does
	 * not use this flag, since its lists come finished. */
	bool is_repeated;
};

/** An index database. */
struct dit_output_index {
	const char *name;   /* copied */
	bool is_integerkey; /* a stored index keeps its own flag */
	bool is_emptied;    /* the stored lists and the stored flag are left out */
};

/** A stored index database. */
struct dit_output_stored_index {
	bool is_integerkey;
	size_t key_len; /* of its first key; 0: it is empty */
};

struct dit_output_table_ops {
	/* As the functions below. `finish` and `drop` free the table. */
	int (*put_lists)(struct dit_output_table *table,
	                 const struct dit_output_list *lists, size_t nlists);
	int (*put_record)(struct dit_output_table *table, uint64_t id,
	                  struct dit_span record);
	int (*finish)(struct dit_output_table *table);
	void (*drop)(struct dit_output_table *table);
};

/** What an implementation provides: the functions below, in their order. */
struct dit_output_ops {
	int (*find_ad)(struct dit_output *output, uint32_t number, struct dit_span *ret);
	int (*find_child)(struct dit_output *output, uint64_t parent,
	                  struct dit_span norm, uint64_t *ret_id);
	int (*find_index)(struct dit_output *output, const char *name,
	                  struct dit_output_stored_index *ret);

	int (*put_ad)(struct dit_output *output, uint32_t number, struct dit_span name);
	int (*reserve_entry)(struct dit_output *output, uint64_t id, size_t len,
	                     void **ret_space);
	/* NULL: reserve_entry */
	int (*put_entry_pieces)(struct dit_output *output, uint64_t id, size_t len,
	                        const struct dit_pieces *record);
	int (*put_split)(struct dit_output *output, uint64_t id, uint16_t ad,
	                 uint32_t place, struct dit_span record);
	int (*grow_subtree)(struct dit_output *output, uint64_t id, uint64_t n);

	int (*add_index)(struct dit_output *output, const struct dit_output_index *index);
	int (*expect_postings)(struct dit_output *output, uint64_t n);
	int (*open_names)(struct dit_output *output, struct dit_output_table **ret);
	int (*begin_indexes)(struct dit_output *output);
	int (*open_index)(struct dit_output *output, size_t number,
	                  struct dit_output_table **ret);
	bool (*used_bytes)(const struct dit_output *output, uint64_t *ret);

	int (*begin_changes)(struct dit_output *output);
	int (*find_entry)(struct dit_output *output, uint64_t id, struct dit_span *ret);
	int (*replace_entry)(struct dit_output *output, uint64_t id,
	                     struct dit_span record);

	int (*prepare)(struct dit_output *output);
	int (*commit)(struct dit_output *output);
	int (*place)(struct dit_output *output);
	void (*settle)(struct dit_output *output);
	int (*take_back)(struct dit_output *output);
	int (*end)(struct dit_output *output);
	void (*abandon)(struct dit_output *output);
};

/* ---- what is stored: main, before the first change ---- */

/** The name of an attribute number; points into the database until the next addition.
 * 1; 0: there is no such number; error */
static inline int dit_output_find_ad(struct dit_output *output, uint32_t number,
                                     struct dit_span *ret)
{
	return output->ops->find_ad(output, number, ret);
}

/**
 * The stored child of a stored node (0: the root) with this normal RDN.
 *
 * @return 1 with its ID; 0: there is none; DIT_E_CORRUPT, errors
 */
static inline int dit_output_find_child(struct dit_output *output, uint64_t parent,
                                        struct dit_span norm, uint64_t *ret_id)
{
	return output->ops->find_child(output, parent, norm, ret_id);
}

/** 1; 0: there is no database of that name; DIT_E_CORRUPT, with a fault: the database is
 * no index; error */
static inline int dit_output_find_index(struct dit_output *output, const char *name,
                                        struct dit_output_stored_index *ret)
{
	return output->ops->find_index(output, name, ret);
}

/* ---- entries, their attribute numbers and split values: main ---- */

/** ad2i: numbers ascend from the first number that is not stored, without gaps. */
static inline int dit_output_put_ad(struct dit_output *output, uint32_t number,
                                    struct dit_span name)
{
	return output->ops->put_ad(output, number, name);
}

/**
 * id2e: room for the record of an entry. The caller fills it before any other call.
 * Zero bytes make a hole.
 */
static inline int dit_output_reserve_entry(struct dit_output *output, uint64_t id,
                                           size_t len, void **ret_space)
{
	return output->ops->reserve_entry(output, id, len, ret_space);
}

/**
 * id2e: the record of an entry, made piece by piece. In a new database a huge one needs
 * no memory of its size.
 */
static inline int dit_output_put_entry_pieces(struct dit_output *output, uint64_t id,
                                              size_t len, const struct dit_pieces *record)
{
	void *space = NULL;
	int r = 0;

	if (output->ops->put_entry_pieces != NULL) {
		return output->ops->put_entry_pieces(output, id, len, record);
	}
	r = output->ops->reserve_entry(output, id, len, &space);
	if (r == 0) {
		record->next(record->ctx, space, len);
	}
	return r;
}

/**
 * id2v: a record of an attribute of an entry (split_codec.h). The records of one
 * attribute come one after the other.
 *
 * @param place  0 for the first record of the attribute, of which nothing is stored;
 *               then 1, 2 and so on
 */
static inline int dit_output_put_split(struct dit_output *output, uint64_t id,
                                       uint16_t ad, uint32_t place,
                                       struct dit_span record)
{
	return output->ops->put_split(output, id, ad, place, record);
}

/** Add @p n to the subtree size of a stored node and of all nodes above it. */
static inline int dit_output_grow_subtree(struct dit_output *output, uint64_t id,
                                          uint64_t n)
{
	return output->ops->grow_subtree(output, id, n);
}

/**
 * Bytes of the data file that are in use so far.
 *
 * @return false: the output cannot tell before it is committed
 */
static inline bool dit_output_used_bytes(const struct dit_output *output, uint64_t *ret)
{
	return output->ops->used_bytes(output, ret);
}

/* ---- tables ---- */

/**
 * Add an index database. Indexes are numbered from 0 in the order of these calls. Main,
 * before the first index is opened.
 *
 * @return 0; DIT_E_DUPLICATE: there is a table of that name; errors
 */
static inline int dit_output_add_index(struct dit_output *output,
                                       const struct dit_output_index *index)
{
	return output->ops->add_index(output, index);
}

/**
 * Announce that @p n IDs, repeats included, will be put into all indexes together. The
 * call decides is_parallel and indexes_last. Main, after all indexes were added and
 * before any table is opened. The call may be left out.
 */
static inline int dit_output_expect_postings(struct dit_output *output, uint64_t n)
{
	return output->ops->expect_postings(output, n);
}

/**
 * dn2i: dit_output_put_record() in the order in which records are stored. Each table is
 * opened once.
 *
 * @param ret  to be given to dit_output_finish() or dit_output_drop() by the same thread
 */
static inline int dit_output_open_names(struct dit_output *output,
                                        struct dit_output_table **ret)
{
	return output->ops->open_names(output, ret);
}

/** Main, before the first index is opened. With indexes_last everything else must be put:
 * this call commits it, hidden (existing_hide.c). */
static inline int dit_output_begin_indexes(struct dit_output *output)
{
	return output->ops->begin_indexes(output);
}

/** An index: dit_output_put_lists() in ascending order of keys. As above. */
static inline int dit_output_open_index(struct dit_output *output, size_t number,
                                        struct dit_output_table **ret)
{
	return output->ops->open_index(output, number, ret);
}

/** Lists of keys that follow each other: one call for many costs less. */
static inline int dit_output_put_lists(struct dit_output_table *table,
                                       const struct dit_output_list *lists, size_t nlists)
{
	return table->ops->put_lists(table, lists, nlists);
}

/** @param id  the node under which the record lies; @p record  key_max bytes at most */
static inline int dit_output_put_record(struct dit_output_table *table, uint64_t id,
                                        struct dit_span record)
{
	return table->ops->put_record(table, id, record);
}

/** Finish the table. Frees @p table in every case. */
static inline int dit_output_finish(struct dit_output_table *table)
{
	return table->ops->finish(table);
}

/** Give up. NULL is fine. */
static inline void dit_output_drop(struct dit_output_table *table)
{
	if (table != NULL) {
		table->ops->drop(table);
	}
}

/* ---- changes: main, no table is open ---- */

/** All entries, numbers and tables are written. */
static inline int dit_output_begin_changes(struct dit_output *output)
{
	return output->ops->begin_changes(output);
}

/**
 * The record of an entry; points into the database until the next change. With
 * wants_order only after dit_output_begin_changes().
 *
 * @return 1; 0: there is none, or a hole; error
 */
static inline int dit_output_find_entry(struct dit_output *output, uint64_t id,
                                        struct dit_span *ret)
{
	return output->ops->find_entry(output, id, ret);
}

/** Give an entry, or a hole, another record. Cheapest in ascending order of IDs. */
static inline int dit_output_replace_entry(struct dit_output *output, uint64_t id,
                                           struct dit_span record)
{
	return output->ops->replace_entry(output, id, record);
}

/* ---- publishing: main ---- */

/** All that can be done before anything changes: a new database is complete and
 * synced. */
static inline int dit_output_prepare(struct dit_output *output)
{
	return output->ops->prepare(output);
}

/** Stored databases are changed, with one commit. */
static inline int dit_output_commit(struct dit_output *output)
{
	return output->ops->commit(output);
}

/** New databases are put in place, with one rename. */
static inline int dit_output_place(struct dit_output *output)
{
	return output->ops->place(output);
}

/**
 * After _commit() or _place(): sync their changes now, not at the end. So later changes
 * reach the disk later. If the sync fails, the order is not sure, and dit_output_end()
 * returns the error.
 */
static inline void dit_output_settle(struct dit_output *output)
{
	output->ops->settle(output);
}

/**
 * Undo _commit() and _place(), whether they succeeded, failed or were not called.
 * dit_output_abandon() is still to be called.
 *
 * @return 0; 1: undone, but a crash of the system may bring the change back; an error:
 *         not undone, the database holds everything that was written, and is whole
 */
static inline int dit_output_take_back(struct dit_output *output)
{
	return output->ops->take_back(output);
}

/**
 * After _place(): sync, put lock.mdb in order, clean up. Frees @p output in every case.
 * An error: the database is in place all the same, but a crash of the system may bring
 * the old database back.
 */
static inline int dit_output_end(struct dit_output *output)
{
	return output->ops->end(output);
}

/** Leave the database as it was. Frees @p output; NULL is fine. */
static inline void dit_output_abandon(struct dit_output *output)
{
	if (output != NULL) {
		output->ops->abandon(output);
	}
}

#endif
