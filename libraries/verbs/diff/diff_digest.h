/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of states: two hosts compare their databases by exchanging a file.
 *
 *   state     sum of the digests of all entries (base/digest.h)
 *   subtree   the same of the entries right below one; the largest ones
 *   bucket    entries whose DNs have hashes that begin alike: their number, the sum of
 *             their digests, and the sum of each digest times the hash of its DN
 *
 * Where one entry of a bucket differs, the difference of the second sums is that of the
 * first ones times the hash of this entry's DN, modulo 2^64. So the entry is found among
 * those of the bucket, though the file has neither names nor digests of entries.
 */
#ifndef DITKIT_DIFF_DIGEST_H
#define DITKIT_DIFF_DIGEST_H

#include <jansson.h>

#include "diff/diff_impl.h"

#define DIT_DIGEST_BUCKETS_MAX  65536u
#define DIT_DIGEST_SUBTREES_MAX 1000
#define DIT_DIGEST_NAMES_MAX    10000 /* entries that are named */

struct bucket {
	uint64_t n;
	uint64_t sum;
	uint64_t mixed;
};

/* A subtree of a digest, without those below it. */
struct subtree {
	uint64_t id; /* of its topmost entry; 0: there is none above */
	char *dn;    /* owned; of a digest that is complete */
	uint64_t n;
	struct dit_sum128 sum;
};

/* An entry of a bucket that differs. */
struct suspect {
	uint64_t id;
	uint64_t name; /* hash of its DN */
	bool is_found; /* it is the one that differs; else one of those that may */
};

/** One of the two states. */
struct dit_diff_digest {
	uint64_t nentries;
	struct dit_sum128 sum;
	struct bucket *buckets; /* owned */
	unsigned nbuckets;      /* a power of two */
	struct subtree *subtrees;
	size_t nsubtrees;
	struct dit_diff_map by_id; /* subtrees, while they are summed up */
	json_t *csns;              /* owned */
	struct suspect *suspects;  /* by ID; owned */
	size_t nsuspects;
	size_t suspects_size;
};

/** Write how two digests differ. 0; error */
int dit_digest_compare(struct dit_diff *diff, struct dit_diff_digest digests[2]);

#endif
