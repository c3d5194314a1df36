/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys of a stored entry: what slapindex makes of it.
 *
 *   dit_stored_keys_new();  dit_stored_keys_push() ...;  dit_stored_keys_free()
 *
 * The keys are made as those of a new entry are (index_keys.h). Which databases get keys
 * is a matter of the index set: one of some definitions gives the keys of some databases.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_STORED_KEYS_H
#define DITKIT_STORED_KEYS_H

#include "codec/entry_view.h"
#include "entry/entry.h"
#include "index/index_keys.h"
#include "indexing/builders.h"
#include "reader/entry_reader.h"
#include "reader/snapshot.h"

/* ---- the attributes of a stored entry, as those of an entry from LDIF ---- */

/** Zero: empty. Freed with free(attrs). */
struct dit_view_attrs {
	struct dit_attr *attrs; /* owned */
	size_t size;
};

/**
 * Set ret->attrs and ret->nattrs.
 *
 * @param ret  its lists point into @p view, its attributes into @p list, until the next
 *             call; they may only be read
 *
 * @return 0; -ENOMEM
 */
int dit_view_attrs_take(struct dit_view_attrs *list, const struct dit_entry_view *view,
                        struct dit_entry *ret);

/* ---- its keys ---- */

struct dit_stored_keys;

/**
 * Fit a database of an index set to the stored one of the same name, whose keys may be of
 * another format. To be called before keys are made with the set.
 *
 * @param ret_key_len  length of the stored keys, of presence aside; 0: there are none
 *
 * @return 1; 0: none is stored; DIT_E_INVALID: this configuration makes other keys;
 *         errors of dit_tree_cursor_next_list()
 */
int dit_stored_keys_fit(struct dit_index_set *indexes, size_t db,
                        struct dit_snapshot *snapshot, size_t *ret_key_len);

/** @param indexes  borrowed; constant, outlives the object. 0 or -ENOMEM */
int dit_stored_keys_new(struct dit_stored_keys **ret,
                        const struct dit_index_set *indexes);
/** NULL is fine. */
void dit_stored_keys_free(struct dit_stored_keys *keys);

/** Do attributes of this description have keys? A dit_ad_wanted_fn; ctx: the object. */
int dit_stored_keys_want(void *ctx, const struct dit_ad *ad);

/**
 * Make the keys of an entry. A hole, the entry with the empty DN (ID 0), and attributes
 * that the schema does not know have none.
 *
 * @param view  without record_error; of a scan with the schema of the index set. Only
 *              attributes that dit_stored_keys_want() wants matter
 *
 * @return 0; -ENOMEM; what a callback returned
 */
int dit_stored_keys_make(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                         dit_index_keys_fn push, dit_index_wide_fn push_wide, void *ctx);

/**
 * The same keys, each as the bytes that are stored.
 *
 * @param take  gets one key a call, whose bytes are valid during the call; a result other
 *              than 0 ends the work
 *
 * @return as dit_stored_keys_make()
 */
int dit_stored_keys_spell(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                          dit_index_wide_fn take, void *ctx);

/** Keys that tell of an assertion, as bytes; see dit_index_clue(). */
int dit_stored_keys_clue(struct dit_stored_keys *keys, const struct dit_ad *ad,
                         enum dit_index_clue clue, struct dit_span piece,
                         dit_index_wide_fn take, void *ctx);

/**
 * Push the keys of an entry into builders, if keys can be made of all of its values
 * (dit_index_check()).
 *
 * @param builders  of the same index set; @p producer  the calling thread's
 *
 * @return 0; DIT_E_INVALID with @p ret; -ENOMEM; what dit_builders_push_entry() returns
 */
int dit_stored_keys_push(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                         struct dit_builders *builders, unsigned producer,
                         struct dit_index_refusal *ret);

/* ---- two versions of an entry ---- */

struct dit_stored_version {
	struct dit_entry entry; /* its attributes; none: it has no keys */
	const char *reason;     /* of DIT_E_INVALID; "", NULL: a value has no key */
};

/**
 * Read a version of an entry. One that is not there has no attributes.
 *
 * @param is_newer  each of two versions is valid until the next one of its kind is read
 *
 * @return 0; DIT_E_INVALID: it cannot have keys; errors of dit_entry_reader_seek()
 */
int dit_stored_keys_read(struct dit_stored_keys *keys, struct dit_entry_reader *reader,
                         uint64_t id, bool is_newer, struct dit_stored_version *ret);

/** Find the databases in which two versions may have different keys: those with keys of
 * an attribute that has not the same values in both. 0 or -ENOMEM */
int dit_stored_keys_compare(struct dit_stored_keys *keys, const struct dit_entry *older,
                            const struct dit_entry *newer);

/** As dit_builders_push_entry(), of one of the versions that were compared: all
 * attributes that have keys in one of these databases. */
int dit_stored_keys_push_changed(struct dit_stored_keys *keys,
                                 const struct dit_entry *entry,
                                 struct dit_builders *builders, unsigned producer,
                                 uint64_t id);

#endif
