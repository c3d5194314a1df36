/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output of records: a database that is written, new or existing.
 *
 *   dit_output_open()
 *   look-ups; entries, attribute numbers, names; tables of indexes
 *   dit_output_begin_changes(); records that could not come in order
 *   then the output is published, as any other (output.h)
 *
 * Only dit_output_open() finds out whether the database holds records. Everybody else
 * looks at the facts in struct dit_record_output, which say what is stored already.
 *
 * Ownership, threads, errors: as output.h says. Options are copied, but for the name of
 * the directory, which is borrowed until the end.
 */
#ifndef DITKIT_RECORD_OUTPUT_H
#define DITKIT_RECORD_OUTPUT_H

#include <sys/types.h>

#include "base/pieces.h"
#include "base/shared.h"
#include "codec/name_codec.h"
#include "output/output.h"

struct dit_fault;        /* fault.h */
struct dit_prepared;     /* manifest.h */
struct dit_snapshot;     /* snapshot.h */
struct dit_stop;         /* stop.h */
struct dit_table_writer; /* table_writer.h */
struct json_t;           /* jansson.h */

/** The maker of a new database's pages. */
enum dit_output_writer {
	DIT_WRITER_DEFAULT, /* pages; append if liblmdb's format is not known */
	DIT_WRITER_PAGES, /* we do; MDB_VERSION_MISMATCH: liblmdb's format is not known */
	DIT_WRITER_APPEND, /* liblmdb, all of them */
};

struct dit_output_opts {
	const char *directory;  /* of the database; must exist */
	mode_t mode;            /* of data.mdb and lock.mdb */
	unsigned ndbs;          /* named databases at most (fixed ones included) */
	uint64_t maxsize_bytes; /* configured size; 0: LMDB's default */
	uint64_t list_max;      /* IDs in a list; longer ones become ranges; at least 1 */
	enum dit_output_writer writer; /* of a new database */
	unsigned page_bytes; /* of a new database of LMDB 1.0; 0: the system's */
	bool has_ixck; /* a new database has ixck, which is empty (storage.md 1.2) */
	/* The database is of LMDB 1.0, which OpenLDAP 2.7 reads. false: a new one is of
	 * the liblmdb at hand, a stored one of LMDB 0.9. */
	bool is_lmdb_10;
	bool may_grow; /* the result may be larger than maxsize_bytes */
	/* The result is prepared: put into ditkit-prepared (manifest.h), with
	 * dit_output_put_manifest(). DIT_E_NOTEMPTY: the database has entries */
	bool is_prepared;
	/* The new database takes the place of one that holds entries, or is damaged */
	bool replaces;
	struct dit_shared shared;
	/* Borrowed until the last dit_output_find_index(); may be NULL. Says more than
	 * the result of that and of the opening. */
	struct dit_fault *fault;
};

/** The contents of a database when it was opened. All zero: a new one. */
struct dit_output_stored {
	uint64_t last_id; /* highest ID; 0: no entry, or only the one with the empty DN */
	bool has_root_entry; /* the entry with the empty DN (ID 0) */
	bool has_names;      /* there are records in dn2i */
};

/**
 * The head of an output of records (record_tables.h). [const]
 *
 * Entries are reserved, or removed, in ascending order of IDs. Split values are put after
 * dit_output_begin_changes(), in ascending order. After that call, too, a late entry is
 * put with dit_output_replace_entry().
 */
struct dit_record_output {
	struct dit_output base;
	struct dit_output_stored stored;

	/* For reports. */
	bool is_merged;         /* records are added to stored ones */
	bool is_append;         /* liblmdb makes all pages of a new database */
	bool is_unknown_format; /* the format of the installed liblmdb is not known */
};

/**
 * Open the database of a directory: a new one if it holds no records.
 *
 * @return 0; DIT_E_BUSY (slapd, a tool or another loader has it open), DIT_E_FORMAT (it
 *         is of the other generation), DIT_E_CORRUPT, with a fault (a database lost
 *         its flags),
 *         errors. Nothing is changed then.
 */
int dit_output_open(struct dit_record_output **ret, const struct dit_output_opts *opts);
/** A new database. DIT_E_NOTEMPTY: there are records; nothing was changed. */
int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts);
/** A database that holds records, of the format that the options name. */
int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts);

/**
 * A state that is only looked at: other processes may change the database.
 *
 * @param snapshot  outlives the output
 * @param reader    of the snapshot, for look-ups alone
 *
 * @return 0; DIT_E_UNKNOWN: a database is missing; DIT_E_CORRUPT; -ENOMEM
 */
int dit_output_view_open(struct dit_record_output **ret, struct dit_snapshot *snapshot,
                         unsigned reader);

/**
 * Open a prepared database as an output that is only to be published.
 *
 * @param opts      these count: directory, mode, maxsize_bytes, may_grow, replaces,
 *                  is_lmdb_10, sealed, ticker, fault
 * @param prepared  READY; its manifest is borrowed until the end, and becomes
 *                  "published"
 *
 * @return as above; DIT_E_NOTEMPTY, with a fault
 */
int dit_output_open_prepared(struct dit_output **ret, const struct dit_output_opts *opts,
                             const struct dit_prepared *prepared);

/**
 * Read the file of such an output, and compare its digest with that of the manifest.
 *
 * @return 0; DIT_E_CORRUPT: it differs; DIT_E_STOPPED; -errno
 */
int dit_output_check_prepared(struct dit_output *output, const char *digest,
                              const struct dit_stop *stop);

/**
 * Complete the manifest with what the output knows, and write it. For an output that
 * is_prepared, after DIT_PUBLISH_PREPARE.
 *
 * @param manifest  an object
 *
 * @return 0; DIT_E_STOPPED; -errno
 */
int dit_output_put_manifest(struct dit_output *output, struct json_t *manifest,
                            const struct dit_stop *stop);

/** The part that is published; NULL for NULL. */
static inline struct dit_output *dit_output_of(struct dit_record_output *output)
{
	return output == NULL ? NULL : &output->base;
}

/* ---- what is stored: main, before the first change ---- */

/** The name of an attribute number; points into the database until the next addition.
 * 1; 0: there is no such number; error */
int dit_output_find_ad(struct dit_record_output *output, uint32_t number,
                       struct dit_span *ret);

/**
 * The stored child of a stored node (0: the root) with this normal RDN.
 *
 * @param ret  points into the database
 *
 * @return 1; 0: there is none; DIT_E_CORRUPT, errors
 */
int dit_output_find_child(struct dit_record_output *output, uint64_t parent,
                          struct dit_span norm, struct dit_name *ret);

/** A stored node's own record, with the ID of its parent. As above. */
int dit_output_find_name(struct dit_record_output *output, uint64_t id,
                         struct dit_name *ret);

/* ---- entries, their attribute numbers and split values: main ---- */

/** ad2i: numbers ascend from the first number that is not stored, without gaps. */
int dit_output_put_ad(struct dit_record_output *output, uint32_t number,
                      struct dit_span name);

/**
 * id2e: room for the record of an entry. The caller fills it before any other call, or as
 * dit_output_entry_writer() says. Zero bytes make a hole.
 */
int dit_output_reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                             void **ret_space);

/**
 * The writer of the pages of id2e, by which room for records is held (table_writer.h).
 * Before the first entry; it is gone with dit_output_begin_changes().
 *
 * @param ret  borrowed; NULL: liblmdb makes the pages, and no room lasts
 *
 * @return 0; -ENOMEM; errors
 */
int dit_output_entry_writer(struct dit_record_output *output,
                            struct dit_table_writer **ret);

/** id2e: the record of an entry, made piece by piece. A huge one needs no memory of its
 * size. */
int dit_output_put_entry_pieces(struct dit_record_output *output, uint64_t id, size_t len,
                                const struct dit_pieces *record);

/** id2e: a stored entry goes, so it is_merged. In the order of
 * dit_output_reserve_entry(), which gives a stored ID another record. */
int dit_output_remove_entry(struct dit_record_output *output, uint64_t id);

/** id2v: all stored records of an attribute of an entry go, likewise. In the order of
 * dit_output_put_split(). */
int dit_output_remove_splits(struct dit_record_output *output, uint64_t id, uint16_t ad);

/**
 * id2v: a record of an attribute of an entry (split_codec.h). The records of one
 * attribute come one after the other.
 *
 * @param number  0 for the first record of the attribute, which has none stored; then, or
 *                after dit_output_remove_splits(), 1, 2 and so on
 */
int dit_output_put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                         uint32_t number, struct dit_span record);

/* ---- names: main ---- */

/** dn2i: a record, in the order in which records are stored. A stored one with the same
 * name is replaced.
 * @param id  the node under which the record lies; @p record  key_max bytes at most */
int dit_output_put_name(struct dit_record_output *output, uint64_t id,
                        struct dit_span record);

/** The stored record with the same name goes, if there is one. As above */
int dit_output_remove_name(struct dit_record_output *output, uint64_t id,
                           struct dit_span record);

/* ---- changes: main, no table is open ---- */

/** All entries, numbers and tables are written: from now on records may be changed. */
int dit_output_begin_changes(struct dit_record_output *output);

/**
 * The record of an entry; points into the database until the next change. Before
 * dit_output_begin_changes() only a stored one is found.
 *
 * @return 1; 0: there is none, or a hole; error
 */
int dit_output_find_entry(struct dit_record_output *output, uint64_t id,
                          struct dit_span *ret);

/** Give an entry, or a hole, another record. Cheapest in ascending order of IDs. */
int dit_output_replace_entry(struct dit_record_output *output, uint64_t id,
                             struct dit_span record);

#endif
