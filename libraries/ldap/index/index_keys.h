/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys: normal values of an entry -> keys of the index databases
 * (values.md 6, storage.md 5).
 *
 * One function makes every key; loading, reindexing, verifying and looking up use it.
 *
 * Keys travel as *ordinals*: 64-bit numbers whose order is the order of the keys in the
 * database, so that sorting and merging compare machine words:
 *
 *   format            key bytes                      ordinal
 *   DIT_KEY_INT32     4, MDB_INTEGERKEY              the u32 itself
 *   DIT_KEY_INT64     8, MDB_INTEGERKEY              the u64 itself
 *   DIT_KEY_BYTES32   4, compared bytewise           the bytes read as big-endian u32
 *   DIT_KEY_BYTES64   8, compared bytewise           the bytes read as big-endian u64
 *   DIT_KEY_SHORT     0..7, compared bytewise,       upper 56 bits: bytes, big-endian;
 *                     then shorter first             lower 8 bits: the length
 *   DIT_KEY_WIDE      any length                     none: keys travel as bytes
 *
 * dit_index_key_bytes() turns an ordinal back into the key. A database of DIT_KEY_BYTES64
 * may have one key more, the presence key: 4 bytes of zero, so the lowest of all. It has
 * no ordinal and travels as bytes.
 *
 * Threads: the set is constant after dit_index_set_new() and shared; the work object
 * belongs to one thread.
 */
#ifndef DITKIT_INDEX_KEYS_H
#define DITKIT_INDEX_KEYS_H

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "config/settings.h"
#include "entry/entry.h"

enum dit_key_format {
	DIT_KEY_INT32,
	DIT_KEY_INT64,
	DIT_KEY_BYTES32,
	DIT_KEY_BYTES64,
	DIT_KEY_SHORT,
	DIT_KEY_WIDE,
};

#define DIT_KEY_SHORT_MAX 7

/** One index database; several definitions may share it. */
struct dit_index_db {
	const char *name; /* canonical name of the attribute type */
	const struct dit_attr_type *type;
	enum dit_key_format format;
	bool is_integerkey; /* created with MDB_INTEGERKEY (storage.md 1.5) */
	bool has_presence;  /* DIT_KEY_BYTES64: there may be a presence key, too */
};

struct dit_index_set;

/**
 * Build the set of index databases of one configuration.
 *
 * @param settings      their schema and parameters count
 * @param specs         of kinds that the rules of their types make keys for
 * @param integer_keys  use MDB_INTEGERKEY where storage.md 1.5 calls it safe
 *
 * @return 0 or -ENOMEM
 */
int dit_index_set_new(struct dit_index_set **ret, const struct dit_settings *settings,
                      const struct dit_index_spec *specs, size_t nspecs,
                      bool integer_keys);
void dit_index_set_free(struct dit_index_set *set);

/**
 * Adapt the format of a database to the one that is stored. Call this before the set is
 * used.
 *
 * @param is_integerkey  the stored database has the flag MDB_INTEGERKEY
 * @param key_len        length of its keys in bytes; 0: it holds no key yet
 *
 * @return 0; DIT_E_INVALID: this configuration makes keys of another format
 */
int dit_index_set_stored(struct dit_index_set *set, size_t db, bool is_integerkey,
                         size_t key_len);

/** Bytes of the longest key that a database can have. */
size_t dit_index_set_longest_key(const struct dit_index_set *set, size_t db);

size_t dit_index_set_ndbs(const struct dit_index_set *set);
const struct dit_index_db *dit_index_set_db(const struct dit_index_set *set, size_t db);

/**
 * Takes the keys of one attribute under one definition, in the order in which slapadd
 * inserts them, repeats included (storage.md 5.4 counts insertions). The keys of huge
 * values come in several calls.
 *
 * @param db       index of the database in the set
 * @param ordinals valid during the call
 * @return 0, or an error that dit_index_entry() returns
 */
typedef int (*dit_index_keys_fn)(void *ctx, unsigned db, const uint64_t *ordinals,
                                 size_t nkeys);
/** The same for keys without an ordinal, one key a call. */
typedef int (*dit_index_wide_fn)(void *ctx, unsigned db, struct dit_span key);

struct dit_index_work;
int dit_index_work_new(struct dit_index_work **ret, const struct dit_index_set *set);
void dit_index_work_free(struct dit_index_work *work);

/**
 * Mark the databases in which attributes of this description have keys.
 *
 * @param marks  one for each database of the set
 *
 * @return 0 or -ENOMEM
 */
int dit_index_mark_dbs(struct dit_index_work *work, const struct dit_ad *ad, bool *marks);
/** Is one of these databases marked? 1, 0 or -ENOMEM. @p marks  NULL: all are */
int dit_index_has_mark(struct dit_index_work *work, const struct dit_ad *ad,
                       const bool *marks);

/** Why an entry cannot be indexed. */
struct dit_index_refusal {
	const struct dit_ad *ad;
	uint32_t value;     /* which of its values */
	const char *reason; /* static text */
};

/**
 * Can keys be made of all values of this entry? Some values kill slapd.
 *
 * @return 0; DIT_E_INVALID with @p ret; -ENOMEM
 */
int dit_index_check(struct dit_index_work *work, const struct dit_entry *entry,
                    struct dit_index_refusal *ret);

/**
 * Make all index keys of an entry.
 *
 * @return 0; -ENOMEM; what a callback returned
 */
int dit_index_entry(struct dit_index_work *work, const struct dit_entry *entry,
                    dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx);

/** The meaning of the keys of dit_index_clue() for an entry that has them. */
enum dit_index_clue {
	DIT_CLUE_PRESENT, /* it has a value of the attribute or of a subtype */
	DIT_CLUE_INITIAL, /* a value perhaps begins with the piece */
	DIT_CLUE_MIDDLE,  /* a value perhaps has the piece anywhere */
	DIT_CLUE_FINAL,   /* a value perhaps ends with it */
};

/**
 * Make the keys that an entry has if the clue is true of it. For definitions without such
 * keys there are none.
 *
 * @param piece  in the form of the substrings rule; of no meaning for DIT_CLUE_PRESENT
 *
 * @return 0; -ENOMEM; what a callback returned
 */
int dit_index_clue(struct dit_index_work *work, const struct dit_ad *ad,
                   enum dit_index_clue clue, struct dit_span piece,
                   dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx);

/** Turn an ordinal back into key bytes. @p out: 8 bytes, of which those after the key
 * are of no meaning. @return the key's length */
static inline size_t dit_index_key_bytes(const struct dit_index_db *db, uint64_t ordinal,
                                         char *out)
{
	uint64_t bytes = 0;
	size_t len = 8;

	switch (db->format) {
	case DIT_KEY_INT32:
	case DIT_KEY_INT64:
		/* Hashes lie with their lowest byte first (values.md 6.3). */
		len = db->format == DIT_KEY_INT32 ? 4 : 8;
		bytes = htole64(ordinal);
		break;
	case DIT_KEY_BYTES32:
		len = 4;
		bytes = htobe64(ordinal << 32);
		break;
	case DIT_KEY_BYTES64:
		bytes = htobe64(ordinal);
		break;
	case DIT_KEY_SHORT:
		len = ordinal & 0xff;
		bytes = htobe64(ordinal);
		break;
	case DIT_KEY_WIDE:
		assert(!"wide keys have no ordinal");
		return 0;
	}
	memcpy(out, &bytes, sizeof(bytes)); /* all eight: of a constant number no call */
	return len;
}

/** The inverse, for keys that have an ordinal. */
uint64_t dit_index_key_ordinal(const struct dit_index_db *db, struct dit_span key);

#endif
