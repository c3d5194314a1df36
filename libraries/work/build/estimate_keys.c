/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All is scaled: an entry with the weight 20 stands for 20 entries with as many keys.
 * The number of different keys cannot be scaled, since some keys are in every entry and
 * others in one. Keys that no window of the sample has are guessed by how many are in one
 * window alone and how many in two (Chao's estimator): f1 * f1 / (2 * f2), but no more
 * than if each key of one window were its entry's own.
 *
 * An index key takes a node with its IDs, 8 bytes each; with more than one ID also the
 * header of a page inside. A list over the limit is a range, as three IDs.
 */
#include "build/estimate_keys.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/grow.h"

#define NODE_BYTES  10 /* a slot and a node's header */
#define ID_BYTES    8
#define RANGE_NIDS  3
#define BRANCHES    1.01 /* pages, with those above the leaves */
#define CHUNK_WASTE 1.03 /* of memory for postings: chunks that are not full */
/* Size of a posting in temporary files. */
#define RUN_BYTES 2.0
/* The general sorter (sort/sort.h) adds so much to key and value: in memory, in runs. */
#define NAME_OVERHEAD  40
#define NAME_RUN_BYTES 2

struct sampled_key {
	uint64_t key; /* or a hash */
	double weight;
	unsigned window;
	unsigned entry; /* of the sample */
};

struct dit_sampled_index {
	struct sampled_key *keys; /* owned */
	size_t nkeys;
	size_t size;
	double npostings;
	double ngroups;   /* entries that have keys in it */
	double key_bytes; /* of all sampled keys */
};

int dit_estimate_keys_init(struct dit_estimate_keys *keys,
                           const struct dit_index_set *indexes)
{
	*keys = (struct dit_estimate_keys){.indexes = indexes};
	keys->sampled = calloc(dit_index_set_ndbs(indexes) + 1, sizeof(*keys->sampled));
	return keys->sampled == NULL ? -ENOMEM : 0;
}

void dit_estimate_keys_deinit(struct dit_estimate_keys *keys)
{
	for (size_t i = 0; keys->sampled != NULL && i < dit_index_set_ndbs(keys->indexes);
	     i++) {
		free(keys->sampled[i].keys);
	}
	free(keys->sampled);
}

void dit_estimate_keys_begin(struct dit_estimate_keys *keys, double weight,
                             unsigned window)
{
	keys->weight = weight;
	keys->window = window;
	keys->nentries += weight;
	keys->nsampled_entries++;
}

static int add_key(struct dit_estimate_keys *keys, unsigned db, uint64_t key,
                   double key_bytes)
{
	struct dit_sampled_index *index = &keys->sampled[db];
	struct sampled_key *grown =
		dit_grow(index->keys, &index->size, index->nkeys + 1, sizeof(*grown));

	if (grown == NULL) {
		return -ENOMEM;
	}
	index->keys = grown;
	index->keys[index->nkeys++] = (struct sampled_key){
		key, keys->weight, keys->window, (unsigned)keys->nsampled_entries};
	index->key_bytes += key_bytes;
	index->npostings += keys->weight;
	keys->npostings += keys->weight;
	keys->nsampled++;
	return 0;
}

int dit_estimate_keys_push(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct dit_estimate_keys *keys = ctx;
	const struct dit_index_db *index = dit_index_set_db(keys->indexes, db);
	int r = 0;

	keys->sampled[db].ngroups += keys->weight;
	for (size_t i = 0; i < nkeys && r == 0; i++) {
		char key[sizeof(uint64_t)];
		size_t len = dit_index_key_bytes(index, ordinals[i], key);

		r = add_key(keys, db, ordinals[i], (double)len);
	}
	return r;
}

int dit_estimate_keys_push_wide(void *ctx, unsigned db, struct dit_span key)
{
	struct dit_estimate_keys *keys = ctx;

	keys->sampled[db].ngroups += keys->weight;
	return add_key(keys, db, XXH3_64bits(key.data, key.len), (double)key.len);
}

/* ---- pages ---- */

static double room_of(const struct dit_page_model *model)
{
	return model->page_bytes - model->format->header_bytes;
}

static double even(double bytes)
{
	return 2 * ceil(bytes / 2);
}

void dit_node_sum_add(struct dit_node_sum *sum, const struct dit_page_model *model,
                      uint64_t value_bytes, double weight)
{
	size_t node = dit_node_bytes(model->format, ID_BYTES, value_bytes);

	if (node > dit_node_max(model->format, model->page_bytes)) {
		sum->noverflow +=
			weight * (double)dit_overflow_pages(model->format, value_bytes,
		                                            model->page_bytes);
		node = dit_node_bytes(model->format, ID_BYTES,
		                      model->format->big_node_bytes);
	}
	sum->nnodes += weight;
	sum->bytes += weight * (even((double)node) + 2);
}

/* A leaf is filled up to what does not fit any more, half a node on average. */
double dit_node_sum_pages(const struct dit_node_sum *sum,
                          const struct dit_page_model *model)
{
	double room = room_of(model);

	if (sum->nnodes > 0 && sum->bytes > room) {
		room -= sum->bytes / sum->nnodes / 2;
	}
	return sum->noverflow + ceil(BRANCHES * sum->bytes / room);
}

/* ---- different keys ---- */

static int compare_keys(const void *a, const void *b)
{
	const struct sampled_key *x = a;
	const struct sampled_key *y = b;

	if (x->key != y->key) {
		return x->key < y->key ? -1 : 1;
	}
	if (x->window != y->window) {
		return x->window < y->window ? -1 : 1;
	}
	return (x->entry > y->entry) - (x->entry < y->entry);
}

/** Counts of the whole input. */
struct key_sum {
	double nkeys;
	double nids; /* that are stored: those of ranges are three */
	double once; /* keys that one window has, and that stand for others */
	double twice;
	double alike; /* keys that there were if each of these were its entry's own */
};

/** One key. @param n  its sampled postings; those of one entry are one ID */
static void sum_key(struct key_sum *sum, const struct sampled_key *keys, size_t n,
                    uint64_t list_max)
{
	unsigned nwindows = 1;
	unsigned nentries = 1;
	double nids = keys[0].weight;

	for (size_t i = 1; i < n; i++) {
		if (keys[i].entry != keys[i - 1].entry) {
			nwindows += keys[i].window != keys[i - 1].window;
			nids += keys[i].weight;
			nentries++;
		}
	}
	sum->nkeys++;
	sum->nids += nids > (double)list_max ? RANGE_NIDS : nids;
	/* A record that is in the sample itself leaves nothing to guess. */
	if (nids / nentries < 1.5) {
		return;
	}
	sum->once += nwindows == 1;
	sum->twice += nwindows == 2;
	sum->alike += nwindows == 1 ? nids / nentries - 1 : 0;
}

static struct key_sum sum_keys(struct dit_sampled_index *index, uint64_t list_max)
{
	struct key_sum sum = {0};

	if (index->nkeys > 0) {
		qsort(index->keys, index->nkeys, sizeof(*index->keys), compare_keys);
	}
	for (size_t i = 0, end = 0; i < index->nkeys; i = end) {
		for (end = i + 1; end < index->nkeys; end++) {
			if (index->keys[end].key != index->keys[i].key) {
				break;
			}
		}
		sum_key(&sum, index->keys + i, end - i, list_max);
	}
	sum.nkeys += fmin(sum.alike, sum.once * sum.once / (2 * sum.twice + 1));
	return sum;
}

static int end_index(struct dit_estimate_keys *keys, size_t number,
                     const struct dit_page_model *model, struct dit_estimate_index *ret,
                     double *ret_pages)
{
	struct dit_sampled_index *index = &keys->sampled[number];
	const struct key_sum sum = sum_keys(index, model->list_max);
	double key_bytes =
		index->nkeys == 0 ? 4 : index->key_bytes / (double)index->nkeys;
	double inside = sum.nids < 1.5 * sum.nkeys ? 0 : model->format->header_bytes;
	const struct dit_node_sum nodes = {
		.nnodes = sum.nkeys,
		.bytes = sum.nids * ID_BYTES +
	                 sum.nkeys * (NODE_BYTES + even(key_bytes) + inside)};

	/* Most of the bytes of long lists lie in pages of their own. */
	*ret_pages = sum.nids > 100 * sum.nkeys
	                     ? ceil(BRANCHES * nodes.bytes / room_of(model))
	                     : dit_node_sum_pages(&nodes, model);
	ret->name = strdup(dit_index_set_db(keys->indexes, number)->name);
	ret->npostings = (uint64_t)index->npostings;
	ret->nkeys = (uint64_t)sum.nkeys;
	ret->bytes = (uint64_t)*ret_pages * model->page_bytes;
	return ret->name == NULL ? -ENOMEM : 0;
}

/* ---- sorting ---- */

/* Memory holds postings until a share is full, with what sorting the largest index
 * needs; the rest at the end needs no file. */
static struct dit_sort_sizes sum_sort(const struct dit_estimate_keys *keys,
                                      const struct dit_estimate_keys_end *end)
{
	struct dit_sort_sizes sizes = {0};
	double memory = (double)end->postings_bytes;
	double bytes = 0;
	double scratch = 0;

	for (size_t i = 0; i < dit_index_set_ndbs(keys->indexes); i++) {
		const struct dit_sampled_index *index = &keys->sampled[i];
		enum dit_key_format format = dit_index_set_db(keys->indexes, i)->format;
		double units =
			format == DIT_KEY_INT32 || format == DIT_KEY_BYTES32 ? 1 : 2;

		bytes += CHUNK_WASTE * 4 * (index->ngroups + units * index->npostings);
		scratch = fmax(scratch, 16 * units * index->npostings);
	}
	bytes += scratch;
	sizes.memory_bytes = fmin(bytes, memory);
	if (bytes > memory) {
		sizes.run_bytes = floor(bytes / memory) * memory / bytes *
		                  keys->npostings * RUN_BYTES;
	}
	return sizes;
}

int dit_estimate_keys_end(struct dit_estimate_keys *keys,
                          const struct dit_estimate_keys_end *end,
                          struct dit_estimate_database *ret,
                          struct dit_estimate_keys_sizes *ret_sizes)
{
	size_t n = dit_index_set_ndbs(keys->indexes);

	*ret_sizes = (struct dit_estimate_keys_sizes){.npages = 0};
	ret->indexes = calloc(n + 1, sizeof(*ret->indexes));
	if (ret->indexes == NULL) {
		return -ENOMEM;
	}
	while (ret->nindexes < n) {
		size_t number = ret->nindexes++;
		double pages = 0;
		int r = end_index(keys, number, &end->pages, &ret->indexes[number],
		                  &pages);

		if (r < 0) {
			return r;
		}
		ret_sizes->npages += pages;
	}
	ret_sizes->sort = sum_sort(keys, end);
	return 0;
}

struct dit_sort_sizes dit_estimate_names(double nrecords, double record_bytes,
                                         uint64_t memory_bytes)
{
	double each = record_bytes + NAME_OVERHEAD;
	double all = nrecords * each;
	double memory = (double)memory_bytes;
	struct dit_sort_sizes sizes = {.memory_bytes = all < memory ? all : memory};

	sizes.run_bytes =
		floor(all / memory) * memory * (record_bytes + NAME_RUN_BYTES) / each;
	return sizes;
}
