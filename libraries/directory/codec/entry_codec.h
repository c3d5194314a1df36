/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries as back-mdb stores them in id2e (storage.md 4).
 *
 * Encoding is done by tool threads, which do not know the numbers of new attribute
 * descriptions; numbers are put in later at the words that dit_encoded names.
 *
 *   offset  size  meaning                         (u32, host byte order)
 *   0       4     number of attributes
 *   4       4     value slots the reader needs
 *   8       4     object class flags
 *   12      4     u32 words between offset 16 and the value data
 *   16      ..    per attribute: AD number | 1 << 31 if the values are sorted | 1 << 30
 *                 if they are in id2v; count | 1 << 31 if there are normal values; unless
 *                 they are in id2v, lengths of the values, lengths of the normal values
 *   ..      ..    values in the same order, each followed by a NUL
 *   ..      0..7  zeros up to a multiple of 8
 */
#ifndef DITKIT_ENTRY_CODEC_H
#define DITKIT_ENTRY_CODEC_H

#include "base/arena.h"
#include "codec/entry_view.h"
#include "codec/split_codec.h"
#include "entry/entry.h"

/** An encoded entry whose AD words still have to be filled in. */
struct dit_encoded {
	/*
	 * In the arena; 8-byte aligned. A huge entry has only the head: its values are
	 * held once, where the entry has them.
	 */
	char *bytes;
	size_t nbytes; /* in bytes: len, or the length of the head */
	size_t len;    /* of the record; multiple of 8 */
	/* The values after the head of a huge entry, a NUL after each, then zeros. */
	const struct dit_span *values;
	size_t nvalues;
	size_t size_limit_bytes; /* what maxentrysize is compared with (storage.md 4.8) */
	uint32_t nopen;          /* attributes whose numbers are open: at first all */
	const struct dit_ad **ads; /* nopen descriptions, in stored order */
	uint32_t *ad_words;        /* nopen indexes of u32 words in bytes: there the
				    * number is to be added to what stands there */
	struct dit_splits splits;  /* values that go to id2v */
};

/**
 * @param rules  which values are stored apart; NULL: none
 *
 * @return 0; DIT_E_TOOLONG: over 4 GiB; -ENOMEM
 */
int dit_entry_encode(const struct dit_entry *entry, const struct dit_split_rules *rules,
                     struct dit_arena *arena, struct dit_encoded *ret);

/** An attribute that a reader sees, as that of an entry; its lists may only be read. */
static inline struct dit_attr dit_attr_of_view(const struct dit_attr_view *view)
{
	return (struct dit_attr){.ad = view->ad,
	                         .values = (struct dit_span *)view->values,
	                         .normal = (struct dit_span *)view->normal,
	                         .nvalues = view->nvalues,
	                         .is_sorted = view->is_sorted,
	                         .is_split = view->is_split};
}

/** How far a record is made. Zero but for encoded: nothing of it. */
struct dit_encoded_cursor {
	const struct dit_encoded *encoded;
	size_t nhead;   /* bytes done */
	size_t nvalues; /* values done */
	size_t nbytes;  /* of the value after these */
};

/**
 * Copy the next bytes of a record, huge or not: the next function of a struct dit_pieces.
 *
 * @param ctx  a struct dit_encoded_cursor
 */
void dit_encoded_next(void *ctx, char *out, size_t len);

/** One attribute of a stored entry; spans point into the record. */
struct dit_stored_attr {
	uint32_t ad_number;
	bool is_sorted;
	bool is_split;   /* values are in id2v, values and normal are NULL */
	bool has_normal; /* each value has a normal form of its own */
	uint32_t nvalues;
	struct dit_span *values;
	struct dit_span *normal; /* NULL: none stored */
};

struct dit_stored_entry {
	uint32_t nslots;
	uint32_t oc_flags;
	uint32_t nattrs;
	struct dit_stored_attr *attrs;
	size_t content_len; /* up to the last value's NUL; what is left is padding */
};

/** Decode and verify a record (it need not be aligned). 0; DIT_E_CORRUPT; -ENOMEM. */
int dit_entry_decode(struct dit_span record, struct dit_arena *arena,
                     struct dit_stored_entry *ret);

/** The object class flags of a record alone. 0; DIT_E_CORRUPT: it has none */
int dit_entry_decode_flags(struct dit_span record, uint32_t *ret);

/** Attributes that a reader does not want. */
struct dit_unwanted_ads {
	const bool *is_unwanted; /* by number; borrowed */
	uint32_t n;              /* higher numbers are wanted */
};

/**
 * The same for some attributes: the others are passed over and are not in @p ret. Their
 * lengths are verified, their bytes are not read.
 */
int dit_entry_decode_wanted(struct dit_span record,
                            const struct dit_unwanted_ads *unwanted,
                            struct dit_arena *arena, struct dit_stored_entry *ret);

/**
 * The record of an entry that is stored, with another attribute in place of one. The rest
 * stays, byte by byte.
 *
 * @param at   of the attribute that goes; nattrs: the new one comes after all others
 * @param ret  in the arena
 *
 * @return 0; DIT_E_TOOLONG; -ENOMEM
 */
int dit_entry_set_attr(const struct dit_stored_entry *stored, uint32_t at,
                       const struct dit_stored_attr *attr, struct dit_arena *arena,
                       struct dit_span *ret);

#endif
