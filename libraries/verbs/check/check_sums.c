/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of postings, summed up by bucket: those of stored postings are added, those of
 * postings that entries make are subtracted. A bucket that is right has the sum 0.
 */
#include "check/check_sums.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* The digests have 4 to 16 bytes of input: a call of the library takes longer than they
 * do. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"

#define ID_BYTES    sizeof(uint64_t)
#define NRANGES_MAX 65536u /* of an index and member; no sound one has so many */
#define FILTER_BITS 1024u
#define WORD_BITS   64u
/* Slots of a table of postings: 2^9, enough for most entries, and more as needed. */
#define SEEN_BITS_MIN 9u
#define SEEN_BITS_MAX 24u
/* With the part of the list of used slots. */
#define SEEN_SLOT_BYTES (sizeof(uint64_t) + sizeof(uint32_t) / 2)

/* Numbers of indexes, where there is none. */
#define NOT_SEEN 0u /* the others are one higher */
#define NO_INDEX UINT32_MAX
#define TREE     (UINT32_MAX - 1)

/* A stored range. */
struct range {
	uint64_t hash; /* of its key */
	uint64_t low;
	uint64_t high;
	bool is_set; /* in a table of ranges */
};

/* An index, as a member sees it. */
struct index_sums {
	uint64_t digests[DIT_CHECK_NBUCKETS];
	struct dit_check_buckets inconclusive; /* keys must be compared one by one */
	struct range *ranges;                  /* owned */
	size_t nranges;
	size_t ranges_size;
};

/* The postings of the current entry by digest and database: each is added once. */
struct seen {
	uint64_t *slots; /* 0: free; owned */
	uint32_t *used;  /* numbers of slots that are not free; room for half of them */
	unsigned bits;   /* there are 2^bits slots */
	uint32_t n;
};

/* [own: the member] */
struct adder {
	uint32_t *numbers; /* of indexes, by number of the walk; owned */
	size_t nnumbers;
	struct index_sums *sums; /* of each index; owned */
	struct seen seen;
	uint64_t id; /* of the current entry */
	int error;
	char cache_line_pad[DIT_CHECK_CACHE_LINE_BYTES];
};

/* [const] while members push */
struct index {
	struct range *ranges; /* a table with 2^range_bits slots; owned; NULL: none */
	unsigned range_bits;
	uint64_t filter[FILTER_BITS / WORD_BITS]; /* keys that may have ranges */
	struct dit_check_buckets wrong;           /* after the last entry */
	bool is_wrong;
};

struct dit_check_sums {
	struct dit_check_sums_opts opts;
	uint64_t seed;
	unsigned seen_bits_max;
	struct adder *members;
	struct index *indexes;
	size_t nindexes;
	struct dit_check_tree_sums *tree; /* owned */
};

/* ---- digests ---- */

/* A hash for each key of up to 8 bytes. @param bytes  8 of them, the key's first */
static inline uint64_t short_key_hash(uint64_t seed, const char *bytes, size_t len)
{
	uint64_t number = 0;

	memcpy(&number, bytes, sizeof(number));
	number = le64toh(number);
	if (len < sizeof(number)) {
		number &= (UINT64_C(1) << 8 * len) - 1;
	}
	return dit_check_hash(number + len * seed);
}

static uint64_t key_hash(uint64_t seed, struct dit_span key)
{
	char bytes[sizeof(uint64_t)] = {0};

	if (key.len > sizeof(bytes)) {
		return XXH3_64bits_withSeed(key.data, key.len, seed);
	}
	memcpy(bytes, key.data, key.len);
	return short_key_hash(seed, bytes, key.len);
}

/* flatten: with a constant length little is left of the function of the library. */
__attribute__((flatten)) static inline uint64_t posting_digest(uint64_t seed,
                                                               uint64_t hash, uint64_t id)
{
	uint64_t posting[] = {hash, id};

	return XXH3_64bits_withSeed(posting, sizeof(posting), seed);
}

/* ---- what is stored ---- */

static uint32_t number_of(const struct dit_check_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->nindexes; i++) {
		if (strcmp(dit_index_set_db(sums->opts.indexes, i)->name, name) == 0) {
			return (uint32_t)i + 1;
		}
	}
	return strcmp(name, "dn2i") == 0 ? TREE : NO_INDEX;
}

static uint32_t number_of_list(const struct dit_check_sums *sums, struct adder *own,
                               const struct dit_walk_list *list)
{
	if (list->database >= own->nnumbers &&
	    DIT_GROW_CLEARED(own->numbers, own->nnumbers, list->database + 1) < 0) {
		own->error = -ENOMEM;
		return NO_INDEX;
	}
	if (own->numbers[list->database] == NOT_SEEN) {
		own->numbers[list->database] = number_of(sums, list->name);
	}
	return own->numbers[list->database];
}

static int add_range(struct index_sums *own, const struct range *range)
{
	if (own->nranges == NRANGES_MAX) {
		dit_check_buckets_add(&own->inconclusive, dit_check_bucket(range->hash));
		return 0;
	}
	return DIT_APPEND(own->ranges, own->ranges_size, own->nranges, *range);
}

/* IDs, some or all of a list. */
static int add_ids(const struct dit_check_sums *sums, struct index_sums *own,
                   const struct dit_walk_list *list)
{
	struct dit_span ids = list->items;
	size_t n = ids.len / ID_BYTES;
	uint64_t hash = key_hash(sums->seed, list->key);
	bool is_range = n > 0 && dit_id_at(ids, 0) == 0;
	uint64_t digests = 0;

	/* A list that is exactly full may have to be a range (posting_list.c). */
	if (list->nitems >= sums->opts.list_max || ids.len % ID_BYTES != 0 ||
	    (is_range && (n != DIT_RANGE_IDS || list->is_more))) {
		dit_check_buckets_add(&own->inconclusive, dit_check_bucket(hash));
		return 0;
	}
	if (is_range) {
		const struct range range = {hash, dit_id_at(ids, 1), dit_id_at(ids, 2),
		                            true};

		return add_range(own, &range);
	}
	for (size_t i = 0; i < n; i++) {
		digests += posting_digest(sums->seed, hash, dit_id_at(ids, i));
	}
	own->digests[dit_check_bucket(hash)] += digests;
	return 0;
}

void dit_check_sums_note(struct dit_check_sums *sums, unsigned member,
                         const struct dit_walk_list *list)
{
	struct adder *own = &sums->members[member];
	uint32_t number = number_of_list(sums, own, list);

	if (number == TREE) {
		dit_check_tree_sums_note(sums->tree, member, list);
	} else if (number != NO_INDEX &&
	           add_ids(sums, &own->sums[number - 1], list) < 0) {
		own->error = -ENOMEM;
	}
}

/* ---- ranges ---- */

static unsigned filter_bit(uint64_t hash)
{
	return (unsigned)(hash >> 32) % FILTER_BITS;
}

/* The slot of the key's range, or a free one for it. */
static struct range *range_slot(const struct index *index, uint64_t hash)
{
	size_t mask = ((size_t)1 << index->range_bits) - 1;
	size_t i = hash >> (64 - index->range_bits);

	while (index->ranges[i].is_set && index->ranges[i].hash != hash) {
		i = (i + 1) & mask;
	}
	return &index->ranges[i];
}

static int make_ranges(struct index *index, size_t n)
{
	index->range_bits = 1;
	while (n > (size_t)1 << (index->range_bits - 1)) {
		index->range_bits++;
	}
	index->ranges = calloc((size_t)1 << index->range_bits, sizeof(*index->ranges));
	return index->ranges == NULL ? -ENOMEM : 0;
}

static void put_ranges(struct index *index, const struct index_sums *own)
{
	for (size_t i = 0; i < own->nranges; i++) {
		uint64_t hash = own->ranges[i].hash;
		unsigned bit = filter_bit(hash);

		*range_slot(index, hash) = own->ranges[i];
		index->filter[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
	}
}

/* Put the ranges that all members have noted into one table. 0 or -ENOMEM */
static int gather_ranges(struct dit_check_sums *sums, size_t db)
{
	size_t n = 0;

	for (unsigned i = 0; i < sums->opts.nmembers; i++) {
		n += sums->members[i].sums[db].nranges;
	}
	if (n > 0 && make_ranges(&sums->indexes[db], n) < 0) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < sums->opts.nmembers && n > 0; i++) {
		put_ranges(&sums->indexes[db], &sums->members[i].sums[db]);
	}
	return 0;
}

/* NULL: no range is stored of this key. */
static const struct range *find_range(const struct index *index, uint64_t hash)
{
	const struct range *range = NULL;
	unsigned bit = filter_bit(hash);

	if ((index->filter[bit / WORD_BITS] >> bit % WORD_BITS & 1) == 0) {
		return NULL;
	}
	range = range_slot(index, hash);
	return range->is_set ? range : NULL;
}

int dit_check_sums_end_walk(struct dit_check_sums *sums)
{
	int r = 0;

	for (unsigned i = 0; i < sums->opts.nmembers && r == 0; i++) {
		r = sums->members[i].error;
	}
	for (size_t i = 0; i < sums->nindexes && r == 0; i++) {
		r = gather_ranges(sums, i);
	}
	return r;
}

/* ---- keys of an entry ---- */

static int seen_init(struct seen *seen, unsigned bits)
{
	*seen = (struct seen){
		.slots = calloc((size_t)1 << bits, sizeof(*seen->slots)),
		.used = calloc((size_t)1 << (bits - 1), sizeof(*seen->used)),
		.bits = bits};
	return seen->slots == NULL || seen->used == NULL ? -ENOMEM : 0;
}

static void seen_deinit(struct seen *seen)
{
	free(seen->slots);
	free(seen->used);
}

void dit_check_sums_begin(struct dit_check_sums *sums, unsigned member, uint64_t id)
{
	struct adder *own = &sums->members[member];
	struct seen *seen = &own->seen;

	own->id = id;
	for (uint32_t i = 0; i < seen->n; i++) {
		seen->slots[seen->used[i]] = 0;
	}
	seen->n = 0;
}

/* The slot that has the digest, or a free one for it. */
static inline uint32_t find_slot(const uint64_t *slots, unsigned bits, uint64_t digest)
{
	uint32_t mask = ((uint32_t)1 << bits) - 1;
	uint32_t i = (uint32_t)(digest >> (64 - bits));

	while (slots[i] != 0 && slots[i] != digest) {
		i = (i + 1) & mask;
	}
	return i;
}

static int grow(struct seen *seen)
{
	struct seen more;
	int r = seen_init(&more, seen->bits + 1);

	for (uint32_t i = 0; i < seen->n && r == 0; i++) {
		uint64_t digest = seen->slots[seen->used[i]];

		more.used[i] = find_slot(more.slots, more.bits, digest);
		more.slots[more.used[i]] = digest;
	}
	more.n = seen->n;
	seen_deinit(r == 0 ? seen : &more);
	if (r == 0) {
		*seen = more;
	}
	return r;
}

/* Room for n more digests; half of the slots stay free. 0; -ENOMEM; -ENOSPC: the table
 * must not have so many slots. */
static int make_room(struct seen *seen, unsigned bits_max, size_t n)
{
	int r = 0;

	while (r == 0 && n > ((size_t)1 << (seen->bits - 1)) - seen->n) {
		r = seen->bits >= bits_max ? -ENOSPC : grow(seen);
	}
	return r;
}

/* A member adds keys of its current entry to what it has made of an index. */
struct adding {
	const struct index *index;
	struct index_sums *sums; /* of the index */
	struct seen *seen;       /* with room for the keys */
	uint64_t seed;
	uint64_t id;
	uint64_t salt; /* tells the index from others in the table */
};

static inline void add_key(const struct adding *adding, uint64_t hash)
{
	const struct range *range = find_range(adding->index, hash);
	struct seen *seen = adding->seen;
	uint64_t digest = 0;
	uint64_t wanted = 0;
	uint32_t slot = 0;

	if (range != NULL) {
		if (adding->id < range->low || adding->id > range->high) {
			dit_check_buckets_add(&adding->sums->inconclusive,
			                      dit_check_bucket(hash));
		}
		return;
	}
	digest = posting_digest(adding->seed, hash, adding->id);
	wanted = (digest + adding->salt) | 1; /* no free slot */
	slot = find_slot(seen->slots, seen->bits, wanted);
	if (seen->slots[slot] == 0) {
		seen->slots[slot] = wanted;
		seen->used[seen->n++] = slot;
		adding->sums->digests[dit_check_bucket(hash)] -= digest;
	}
}

/* 1; 0: the keys are too many, so the index cannot be judged; -ENOMEM */
static int begin_adding(const struct dit_check_sums *sums, struct adder *member,
                        unsigned db, size_t nkeys, struct adding *ret)
{
	int r = make_room(&member->seen, sums->seen_bits_max, nkeys);

	if (r < 0) {
		memset(&member->sums[db].inconclusive, 0xff,
		       sizeof(member->sums[db].inconclusive));
		return r == -ENOSPC ? 0 : r;
	}
	*ret = (struct adding){.index = &sums->indexes[db],
	                       .sums = &member->sums[db],
	                       .seen = &member->seen,
	                       .seed = sums->seed,
	                       .id = member->id,
	                       .salt = dit_check_hash(db)};
	return 1;
}

int dit_check_sums_push(struct dit_check_sums *sums, unsigned member, unsigned db,
                        const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_index_db *index = dit_index_set_db(sums->opts.indexes, db);
	struct adding adding;
	int r = begin_adding(sums, &sums->members[member], db, nkeys, &adding);

	if (r <= 0) {
		return r;
	}
	for (size_t i = 0; i < nkeys; i++) {
		char bytes[sizeof(uint64_t)];
		size_t len = dit_index_key_bytes(index, ordinals[i], bytes);

		add_key(&adding, short_key_hash(adding.seed, bytes, len));
	}
	return 0;
}

int dit_check_sums_push_key(struct dit_check_sums *sums, unsigned member, unsigned db,
                            struct dit_span key)
{
	struct adding adding;
	int r = begin_adding(sums, &sums->members[member], db, 1, &adding);

	if (r <= 0) {
		return r;
	}
	add_key(&adding, key_hash(adding.seed, key));
	return 0;
}

/* ---- the end ---- */

static bool is_bucket_wrong(const struct dit_check_sums *sums, size_t db, unsigned bucket)
{
	uint64_t digests = 0;

	for (unsigned i = 0; i < sums->opts.nmembers; i++) {
		const struct index_sums *own = &sums->members[i].sums[db];

		digests += own->digests[bucket];
		if (dit_check_buckets_has(&own->inconclusive, bucket)) {
			return true;
		}
	}
	return digests != 0;
}

void dit_check_sums_end(struct dit_check_sums *sums)
{
	for (size_t db = 0; db < sums->nindexes; db++) {
		struct index *index = &sums->indexes[db];

		index->wrong = (struct dit_check_buckets){{0}};
		index->is_wrong = false;
		for (unsigned i = 0; i < DIT_CHECK_NBUCKETS; i++) {
			if (is_bucket_wrong(sums, db, i)) {
				dit_check_buckets_add(&index->wrong, i);
				index->is_wrong = true;
			}
		}
	}
}

bool dit_check_sums_is_wrong(const struct dit_check_sums *sums, size_t db)
{
	return sums->indexes[db].is_wrong;
}

bool dit_check_sums_is_wanted(const struct dit_check_sums *sums, size_t db,
                              struct dit_span key, uint64_t *ret_hash)
{
	*ret_hash = key_hash(sums->seed, key);
	return dit_check_buckets_has(&sums->indexes[db].wrong,
	                             dit_check_bucket(*ret_hash));
}

struct dit_check_tree_sums *dit_check_sums_tree(const struct dit_check_sums *sums)
{
	return sums->tree;
}

/* ---- a new object ---- */

static unsigned bits_max(uint64_t memory_bytes, unsigned nmembers)
{
	unsigned bits = SEEN_BITS_MIN;

	while (bits < SEEN_BITS_MAX &&
	       (SEEN_SLOT_BYTES << (bits + 1)) * nmembers <= memory_bytes) {
		bits++;
	}
	return bits;
}

static int make_members(struct dit_check_sums *sums)
{
	int r = 0;

	for (unsigned i = 0; i < sums->opts.nmembers && r == 0; i++) {
		struct adder *member = &sums->members[i];

		member->sums = calloc(sums->nindexes + 1, sizeof(*member->sums));
		r = member->sums == NULL ? -ENOMEM
		                         : seen_init(&member->seen, SEEN_BITS_MIN);
	}
	return r;
}

int dit_check_sums_new(struct dit_check_sums **ret,
                       const struct dit_check_sums_opts *opts)
{
	struct dit_check_sums *sums = calloc(1, sizeof(*sums));
	int r = 0;

	if (sums == NULL) {
		return -ENOMEM;
	}
	sums->opts = *opts;
	sums->seen_bits_max = bits_max(opts->memory_bytes, opts->nmembers);
	sums->nindexes = dit_index_set_ndbs(opts->indexes);
	sums->indexes = calloc(sums->nindexes + 1, sizeof(*sums->indexes));
	sums->members = calloc(opts->nmembers, sizeof(*sums->members));
	r = sums->indexes == NULL || sums->members == NULL ? -ENOMEM : make_members(sums);
	r = r < 0 ? r
	          : dit_check_tree_sums_new(&sums->tree, opts->nmembers, opts->suffix);
	if (r == 0 && getrandom(&sums->seed, sizeof(sums->seed), 0) < 0) {
		r = -errno;
	}
	return DIT_HAND_OVER(r, ret, sums, dit_check_sums_free);
}

static void free_member(const struct dit_check_sums *sums, struct adder *member)
{
	for (size_t i = 0; member->sums != NULL && i < sums->nindexes; i++) {
		free(member->sums[i].ranges);
	}
	free(member->sums);
	free(member->numbers);
	seen_deinit(&member->seen);
}

void dit_check_sums_free(struct dit_check_sums *sums)
{
	if (sums == NULL) {
		return;
	}
	for (unsigned i = 0; sums->members != NULL && i < sums->opts.nmembers; i++) {
		free_member(sums, &sums->members[i]);
	}
	for (size_t i = 0; sums->indexes != NULL && i < sums->nindexes; i++) {
		free(sums->indexes[i].ranges);
	}
	dit_check_tree_sums_free(sums->tree);
	free(sums->members);
	free(sums->indexes);
	free(sums);
}
