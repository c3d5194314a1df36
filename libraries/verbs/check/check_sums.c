/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of postings, summed up: of the stored ones by the walk's numbers of databases,
 * of those that entries make by the numbers of the index set.
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

#define ID_BYTES    sizeof(uint64_t)
#define FILTER_BITS 1024u
#define WORD_BITS   64u
#define NRANGES_MAX 65536u /* of a database and member; no sound one has so many */
/* Slots of a table of postings: 2^9, enough for most entries, and more as needed. */
#define SEEN_BITS_MIN 9u
#define SEEN_BITS_MAX 24u
/* With the part of the list of used slots. */
#define SEEN_SLOT_BYTES (sizeof(uint64_t) + sizeof(uint32_t) / 2)
/* Odd, so that a product with it is another for each factor; its upper bits depend on all
 * bits of the factor. */
#define STEP UINT64_C(0x9e3779b97f4a7c15)

/* A stored range. */
struct range {
	uint64_t key; /* as key_number() */
	uint64_t low;
	uint64_t high;
	bool is_set; /* in a table of ranges */
};

struct sum {
	uint64_t digests;
	bool is_open; /* there is something that sums cannot tell */
};

/* A stored database, as far as a member has seen it. */
struct stored {
	char *name;   /* owned; NULL: nothing was seen */
	bool is_tree; /* dn2i, which has its own sums */
	struct sum sum;
	struct range *ranges; /* owned */
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
struct member {
	struct stored *stored; /* by number of the walk */
	size_t nstored;
	struct sum *made; /* by number of the index set */
	struct seen seen;
	uint64_t id; /* of the current entry */
	int error;
	char apart[DIT_CHECK_APART_BYTES];
};

/* An index, when the walk has ended. [const] while members push */
struct index {
	const struct dit_index_db *db;
	struct sum stored;
	struct range *ranges; /* a table with 2^range_bits slots; owned; NULL: none */
	unsigned range_bits;
	uint64_t filter[FILTER_BITS / WORD_BITS]; /* keys that may have ranges */
};

struct dit_check_sums {
	uint64_t seed;
	uint32_t list_max;
	unsigned seen_bits_max;
	struct member *members;
	unsigned nmembers;
	struct index *indexes;
	size_t nindexes;
	struct dit_check_tree_sums *tree; /* owned */
};

/* ---- digests ---- */

/* A number for each key of up to 8 bytes. @param bytes  8 of them, the key's first */
static inline uint64_t short_key_number(uint64_t seed, const char *bytes, size_t len)
{
	uint64_t number = 0;

	memcpy(&number, bytes, sizeof(number));
	number = le64toh(number);
	if (len < sizeof(number)) {
		number &= (UINT64_C(1) << 8 * len) - 1;
	}
	return number + len * seed;
}

static uint64_t key_number(uint64_t seed, struct dit_span key)
{
	char bytes[sizeof(uint64_t)] = {0};

	if (key.len > sizeof(bytes)) {
		return XXH3_64bits_withSeed(key.data, key.len, seed);
	}
	memcpy(bytes, key.data, key.len);
	return short_key_number(seed, bytes, key.len);
}

/* flatten: with a constant length little is left of the function of the library. */
__attribute__((flatten)) static inline uint64_t posting_digest(uint64_t seed,
                                                               uint64_t key, uint64_t id)
{
	uint64_t posting[] = {key, id};

	return XXH3_64bits_withSeed(posting, sizeof(posting), seed);
}

/* ---- what is stored ---- */

static struct stored *stored_of(struct member *member, const struct dit_walk_list *list)
{
	struct stored *stored = NULL;

	if (list->database >= member->nstored &&
	    DIT_GROW_CLEARED(member->stored, member->nstored, list->database + 1) < 0) {
		member->error = -ENOMEM;
		return NULL;
	}
	stored = &member->stored[list->database];
	if (stored->name == NULL) {
		stored->name = strdup(list->name);
		stored->is_tree = strcmp(list->name, "dn2i") == 0;
		member->error = stored->name == NULL ? -ENOMEM : member->error;
	}
	return stored;
}

static int add_range(struct stored *stored, const struct range *range)
{
	if (stored->nranges == NRANGES_MAX) {
		stored->sum.is_open = true;
		return 0;
	}
	if (DIT_GROW(stored->ranges, stored->ranges_size, stored->nranges + 1) < 0) {
		return -ENOMEM;
	}
	stored->ranges[stored->nranges++] = *range;
	return 0;
}

/* IDs, some or all of a list. */
static int add_ids(const struct dit_check_sums *sums, struct stored *stored,
                   const struct dit_walk_list *list)
{
	struct dit_span ids = list->items;
	size_t n = ids.len / ID_BYTES;
	uint64_t key = key_number(sums->seed, list->key);

	if (n > 0 && dit_id_at(ids, 0) == 0) {
		struct range range = {.key = key, .is_set = true};

		if (n != DIT_RANGE_IDS || list->is_more) {
			stored->sum.is_open = true;
			return 0;
		}
		range.low = dit_id_at(ids, 1);
		range.high = dit_id_at(ids, 2);
		return add_range(stored, &range);
	}
	for (size_t i = 0; i < n; i++) {
		stored->sum.digests += posting_digest(sums->seed, key, dit_id_at(ids, i));
	}
	return 0;
}

void dit_check_sums_note(struct dit_check_sums *sums, unsigned member,
                         const struct dit_walk_list *list)
{
	struct member *own = &sums->members[member];
	struct stored *stored = stored_of(own, list);

	if (stored == NULL) {
		return;
	}
	if (stored->is_tree) {
		dit_check_tree_sums_note(sums->tree, member, list);
	} else if (list->nitems >= sums->list_max || list->items.len % ID_BYTES != 0) {
		/* A list that is exactly full may have to be a range (posting_list.c). */
		stored->sum.is_open = true;
	} else if (add_ids(sums, stored, list) < 0) {
		own->error = -ENOMEM;
	}
}

/* ---- indexes ---- */

static unsigned filter_bit(uint64_t key)
{
	return (unsigned)(key * STEP >> 32) % FILTER_BITS;
}

/* The slot of the key's range, or a free one for it. */
static struct range *range_slot(const struct index *index, uint64_t key)
{
	size_t mask = ((size_t)1 << index->range_bits) - 1;
	size_t i = key * STEP >> (64 - index->range_bits);

	while (index->ranges[i].is_set && index->ranges[i].key != key) {
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

static void put_ranges(struct index *index, const struct stored *stored)
{
	for (size_t i = 0; i < stored->nranges; i++) {
		const struct range *range = &stored->ranges[i];
		unsigned bit = filter_bit(range->key);

		*range_slot(index, range->key) = *range;
		index->filter[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
	}
}

/* The index, as far as the member has seen it. NULL: it has not */
static const struct stored *find_stored(const struct member *member, const char *name)
{
	for (size_t i = 0; i < member->nstored; i++) {
		const struct stored *stored = &member->stored[i];

		if (stored->name != NULL && strcmp(stored->name, name) == 0) {
			return stored;
		}
	}
	return NULL;
}

/* An index that no member has seen is as an empty one. */
static int bind_index(const struct dit_check_sums *sums, const struct dit_index_db *db,
                      struct index *ret)
{
	size_t nranges = 0;

	ret->db = db;
	for (unsigned i = 0; i < sums->nmembers; i++) {
		const struct stored *stored = find_stored(&sums->members[i], db->name);

		if (stored != NULL) {
			ret->stored.digests += stored->sum.digests;
			ret->stored.is_open = ret->stored.is_open || stored->sum.is_open;
			nranges += stored->nranges;
		}
	}
	if (nranges > 0 && make_ranges(ret, nranges) < 0) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < sums->nmembers && nranges > 0; i++) {
		const struct stored *stored = find_stored(&sums->members[i], db->name);

		if (stored != NULL) {
			put_ranges(ret, stored);
		}
	}
	return 0;
}

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

static int make_member(const struct dit_check_sums *sums, struct member *member)
{
	if (member->error < 0) {
		return member->error;
	}
	member->made = calloc(sums->nindexes + 1, sizeof(*member->made));
	return member->made == NULL ? -ENOMEM : seen_init(&member->seen, SEEN_BITS_MIN);
}

int dit_check_sums_bind(struct dit_check_sums *sums, const struct dit_index_set *indexes)
{
	size_t n = dit_index_set_ndbs(indexes);
	int r = 0;

	sums->indexes = calloc(n + 1, sizeof(*sums->indexes));
	if (sums->indexes == NULL) {
		return -ENOMEM;
	}
	sums->nindexes = n;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = bind_index(sums, dit_index_set_db(indexes, i), &sums->indexes[i]);
	}
	for (unsigned i = 0; i < sums->nmembers && r == 0; i++) {
		r = make_member(sums, &sums->members[i]);
	}
	return r;
}

/* ---- keys of an entry ---- */

void dit_check_sums_begin(struct dit_check_sums *sums, unsigned member, uint64_t id)
{
	struct member *own = &sums->members[member];
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

/* NULL: no range is stored of this key. */
static const struct range *find_range(const struct index *index, uint64_t key)
{
	unsigned bit = filter_bit(key);
	const struct range *range = NULL;

	if ((index->filter[bit / WORD_BITS] >> bit % WORD_BITS & 1) == 0) {
		return NULL;
	}
	range = range_slot(index, key);
	return range->is_set ? range : NULL;
}

/* A member adds keys of its current entry to what it has made of an index. */
struct adding {
	const struct index *index;
	struct seen *seen; /* with room for the keys */
	uint64_t seed;
	uint64_t id;
	uint64_t salt;  /* tells the index from others in the table */
	struct sum sum; /* of these keys */
};

static inline void add_key(struct adding *adding, uint64_t key)
{
	const struct range *range = find_range(adding->index, key);
	struct seen *seen = adding->seen;
	uint64_t digest = 0;
	uint64_t wanted = 0;
	uint32_t slot = 0;

	if (range != NULL) {
		adding->sum.is_open = adding->sum.is_open || adding->id < range->low ||
		                      adding->id > range->high;
		return;
	}
	digest = posting_digest(adding->seed, key, adding->id);
	wanted = (digest + adding->salt) | 1; /* no free slot */
	slot = find_slot(seen->slots, seen->bits, wanted);
	if (seen->slots[slot] == 0) {
		seen->slots[slot] = wanted;
		seen->used[seen->n++] = slot;
		adding->sum.digests += digest;
	}
}

/* 1; 0: the keys are too many, so the index has no sum; -ENOMEM */
static int begin_adding(const struct dit_check_sums *sums, struct member *member,
                        unsigned db, size_t nkeys, struct adding *ret)
{
	int r = make_room(&member->seen, sums->seen_bits_max, nkeys);

	if (r < 0) {
		member->made[db].is_open = true;
		return r == -ENOSPC ? 0 : r;
	}
	*ret = (struct adding){.index = &sums->indexes[db],
	                       .seen = &member->seen,
	                       .seed = sums->seed,
	                       .id = member->id,
	                       .salt = db * STEP};
	return 1;
}

static void end_adding(struct member *member, unsigned db, const struct adding *adding)
{
	struct sum *made = &member->made[db];

	made->digests += adding->sum.digests;
	made->is_open = made->is_open || adding->sum.is_open;
}

int dit_check_sums_push(struct dit_check_sums *sums, unsigned member, unsigned db,
                        const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_index_db *index = sums->indexes[db].db;
	struct member *own = &sums->members[member];
	struct adding adding;
	int r = begin_adding(sums, own, db, nkeys, &adding);

	if (r <= 0) {
		return r;
	}
	for (size_t i = 0; i < nkeys; i++) {
		char bytes[sizeof(uint64_t)];
		size_t len = dit_index_key_bytes(index, ordinals[i], bytes);

		add_key(&adding, short_key_number(adding.seed, bytes, len));
	}
	end_adding(own, db, &adding);
	return 0;
}

int dit_check_sums_push_key(struct dit_check_sums *sums, unsigned member, unsigned db,
                            struct dit_span key)
{
	struct member *own = &sums->members[member];
	struct adding adding;
	int r = begin_adding(sums, own, db, 1, &adding);

	if (r <= 0) {
		return r;
	}
	add_key(&adding, key_number(sums->seed, key));
	end_adding(own, db, &adding);
	return 0;
}

/* ---- the end ---- */

bool dit_check_sums_agree(const struct dit_check_sums *sums, size_t db)
{
	const struct sum *stored = &sums->indexes[db].stored;
	uint64_t digests = 0;
	bool is_open = stored->is_open;

	for (unsigned i = 0; i < sums->nmembers; i++) {
		const struct sum *made = &sums->members[i].made[db];

		digests += made->digests;
		is_open = is_open || made->is_open;
	}
	return !is_open && digests == stored->digests;
}

struct dit_check_tree_sums *dit_check_sums_tree(const struct dit_check_sums *sums)
{
	return sums->tree;
}

int dit_check_sums_new(struct dit_check_sums **ret, unsigned nmembers,
                       uint64_t memory_bytes, uint32_t list_max, struct dit_span suffix)
{
	struct dit_check_sums *sums = calloc(1, sizeof(*sums));
	int r = 0;

	if (sums == NULL) {
		return -ENOMEM;
	}
	sums->list_max = list_max;
	sums->seen_bits_max = SEEN_BITS_MIN;
	while (sums->seen_bits_max < SEEN_BITS_MAX &&
	       (SEEN_SLOT_BYTES << (sums->seen_bits_max + 1)) * nmembers <=
	               memory_bytes) {
		sums->seen_bits_max++;
	}
	sums->members = calloc(nmembers, sizeof(*sums->members));
	if (sums->members == NULL) {
		free(sums);
		return -ENOMEM;
	}
	sums->nmembers = nmembers;
	r = dit_check_tree_sums_new(&sums->tree, nmembers, suffix);
	if (r == 0 && getrandom(&sums->seed, sizeof(sums->seed), 0) < 0) {
		r = -errno;
	}
	if (r < 0) {
		dit_check_sums_free(sums);
		return r;
	}
	*ret = sums;
	return 0;
}

void dit_check_sums_reset(struct dit_check_sums *sums)
{
	for (unsigned i = 0; i < sums->nmembers; i++) {
		struct member *member = &sums->members[i];

		for (size_t k = 0; k < member->nstored; k++) {
			free(member->stored[k].name);
			free(member->stored[k].ranges);
		}
		free(member->stored);
		free(member->made);
		seen_deinit(&member->seen);
		*member = (struct member){.nstored = 0};
	}
	for (size_t i = 0; i < sums->nindexes; i++) {
		free(sums->indexes[i].ranges);
	}
	free(sums->indexes);
	sums->indexes = NULL;
	sums->nindexes = 0;
	if (sums->tree != NULL) {
		dit_check_tree_sums_reset(sums->tree);
	}
}

void dit_check_sums_free(struct dit_check_sums *sums)
{
	if (sums != NULL) {
		dit_check_sums_reset(sums);
		dit_check_tree_sums_free(sums->tree);
		free(sums->members);
		free(sums);
	}
}
