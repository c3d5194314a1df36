/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tree records as back-mdb stores them in dn2i (storage.md 3).
 *
 *   child, under the parent's ID            self, under the node's own ID
 *   2  length of the normal RDN, big-       2  the same, bit 15 clear
 *      endian, bit 15 set
 *   n  normal RDN   1  NUL                  n  normal RDN   1  NUL
 *   m  pretty RDN   1  NUL                  m  pretty RDN   1  NUL
 *   8  ID of the child, host order          8  ID of the parent
 *   8  nodes in its subtree, itself included
 *
 * Key 0 holds a dummy of 12 zero bytes first.
 */
#ifndef DITKIT_NAME_CODEC_H
#define DITKIT_NAME_CODEC_H

#include <stdint.h>

#include "base/span.h"

#define DIT_NAME_RECORD_MAX 511 /* LMDB 0.9's limit of a DUPSORT item */

/** LMDB 1.0's limit with the largest pages (storage-2.7.md 1.6). */
#define DIT_NAME_RECORD_LONGEST 32698
/** Bytes of a record in addition to both RDN strings, at most. */
#define DIT_NAME_EXTRA_BYTES 20

struct dit_name {
	struct dit_span norm; /* decoded: point into the record */
	struct dit_span pretty;
	bool is_child;
	uint64_t id;    /* child: its ID; self: the parent's */
	uint64_t nsubs; /* child only */
};

/**
 * The record of a name.
 *
 * @param size  bytes that a record may have: DIT_NAME_RECORD_MAX for a file of LMDB 0.9;
 *              DIT_NAME_RECORD_LONGEST at most
 * @param out   so many bytes
 *
 * @return length; DIT_E_TOOLONG: also if the record of the node itself fits, but that of
 *         the child does not
 */
int dit_name_encode(char *out, size_t size, const struct dit_name *name);

/** 0 or DIT_E_CORRUPT. The dummy decodes as a self record with empty names. */
int dit_name_decode(struct dit_span record, struct dit_name *ret);

/** Is it the dummy of key 0? */
bool dit_name_is_dummy(struct dit_span record);

#endif
