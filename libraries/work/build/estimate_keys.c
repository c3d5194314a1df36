/* SPDX-License-Identifier: BSD-2-Clause */
#include "build/estimate_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* The keys of a database that has some of them without ordinals. */
#define FAMILIES(keys) dit_index_set_ndbs((keys)->indexes)

int dit_estimate_keys_init(struct dit_estimate_keys *keys,
                           const struct dit_index_set *indexes)
{
	size_t n = dit_index_set_ndbs(indexes) + 1;

	*keys = (struct dit_estimate_keys){.indexes = indexes};
	keys->ngroups = calloc(n, sizeof(*keys->ngroups));
	keys->key_bytes = calloc(n, sizeof(*keys->key_bytes));
	keys->nkeys = calloc(n, sizeof(*keys->nkeys));
	if (keys->ngroups == NULL || keys->key_bytes == NULL || keys->nkeys == NULL) {
		return -ENOMEM;
	}
	return dit_key_sample_new(&keys->keys, n);
}

void dit_estimate_keys_deinit(struct dit_estimate_keys *keys)
{
	dit_key_sample_free(keys->keys);
	free(keys->ngroups);
	free(keys->key_bytes);
	free(keys->nkeys);
}

int dit_estimate_keys_begin(struct dit_estimate_keys *keys, double weight,
                            unsigned window, uint64_t parent)
{
	int r = dit_key_sample_begin(keys->keys, weight, window);

	keys->weight = weight;
	keys->nentries += weight;
	keys->nsampled_entries++;
	return r < 0 ? r : dit_key_sample_add(keys->keys, FAMILIES(keys), parent);
}

static void count(struct dit_estimate_keys *keys, unsigned db, size_t nkeys,
                  double key_bytes)
{
	keys->ngroups[db] += keys->weight;
	keys->key_bytes[db] += key_bytes;
	keys->nkeys[db] += nkeys;
	keys->npostings += keys->weight * (double)nkeys;
	keys->nsampled += nkeys;
}

int dit_estimate_keys_push(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct dit_estimate_keys *keys = ctx;
	const struct dit_index_db *index = dit_index_set_db(keys->indexes, db);
	double bytes = 0;
	int r = 0;

	for (size_t i = 0; i < nkeys && r == 0; i++) {
		char key[sizeof(uint64_t)];

		bytes += (double)dit_index_key_bytes(index, ordinals[i], key);
		r = dit_key_sample_add(keys->keys, db, ordinals[i]);
	}
	count(keys, db, nkeys, bytes);
	return r;
}

int dit_estimate_keys_push_wide(void *ctx, unsigned db, struct dit_span key)
{
	struct dit_estimate_keys *keys = ctx;

	count(keys, db, 1, (double)key.len);
	return dit_key_sample_add(keys->keys, db, XXH3_64bits(key.data, key.len));
}

/* ---- the end ---- */

struct ending {
	struct dit_estimate_keys *keys;
	const struct dit_estimate_keys_end *end;
	struct dit_estimate_database *database;
	struct dit_estimate_keys_sizes *sizes;
	struct dit_stream_model *streams;
	struct dit_list_class **lists; /* owned, one for each database */
};

static double sum_keys(const struct dit_list_class *lists, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += lists[i].nkeys;
	}
	return sum;
}

static int end_index(struct ending *ending, size_t number)
{
	struct dit_estimate_keys *keys = ending->keys;
	const struct dit_index_db *db = dit_index_set_db(keys->indexes, number);
	struct dit_estimate_index *ret = &ending->database->indexes[number];
	struct dit_list_class **lists = &ending->lists[number];
	ptrdiff_t n = dit_key_sample_lists(keys->keys, number, lists);
	double key_bytes = keys->nkeys[number] == 0 ? 4
	                                            : keys->key_bytes[number] /
	                                                      (double)keys->nkeys[number];
	double pages = 0;

	if (n < 0) {
		return (int)n;
	}
	pages = dit_estimate_index_pages(&ending->end->pages, key_bytes, *lists,
	                                 (size_t)n);
	ending->sizes->npages += pages;
	ending->streams[number] = (struct dit_stream_model){
		.npostings = dit_key_sample_npostings(keys->keys, number),
		.ngroups = keys->ngroups[number],
		.key_units = db->format == DIT_KEY_INT32 || db->format == DIT_KEY_BYTES32
	                             ? 1
	                             : 2,
		.lists = *lists,
		.nlists = (size_t)n};
	ret->name = strdup(db->name);
	ret->npostings = (uint64_t)ending->streams[number].npostings;
	ret->nkeys = (uint64_t)sum_keys(*lists, (size_t)n);
	ret->bytes = (uint64_t)pages * ending->end->pages.page_bytes;
	ending->database->nindexes++;
	return ret->name == NULL ? -ENOMEM : 0;
}

static int end_families(struct ending *ending)
{
	struct dit_estimate_keys *keys = ending->keys;
	struct dit_tree_model tree = {.nentries = keys->nentries,
	                              .self_bytes = ending->end->tree_self_bytes,
	                              .child_bytes = ending->end->tree_child_bytes};
	struct dit_list_class *families = NULL;
	ptrdiff_t n = 0;

	if (tree.self_bytes <= 0) {
		return 0;
	}
	n = dit_key_sample_lists(keys->keys, FAMILIES(keys), &families);
	if (n < 0) {
		return (int)n;
	}
	tree.families = families;
	tree.nfamilies = (size_t)n;
	ending->sizes->nfamily_pages =
		dit_estimate_tree_pages(&ending->end->pages, &tree);
	free(families);
	return 0;
}

static int end_all(struct ending *ending)
{
	const struct dit_estimate_keys_end *end = ending->end;
	size_t n = dit_index_set_ndbs(ending->keys->indexes);
	struct dit_sort_model sort = {.nentries = ending->keys->nentries,
	                              .nproducers = end->nproducers,
	                              .memory_bytes = end->postings_bytes,
	                              .list_max = end->pages.list_max,
	                              .streams = ending->streams,
	                              .nstreams = n};
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = end_index(ending, i);
	}
	if (r == 0) {
		r = end_families(ending);
	}
	if (r == 0 && sort.nentries > 0) {
		ending->sizes->sort = dit_estimate_sort(&sort);
	}
	return r;
}

int dit_estimate_keys_end(struct dit_estimate_keys *keys,
                          const struct dit_estimate_keys_end *end,
                          struct dit_estimate_database *ret,
                          struct dit_estimate_keys_sizes *ret_sizes)
{
	size_t n = dit_index_set_ndbs(keys->indexes);
	struct ending ending = {.keys = keys,
	                        .end = end,
	                        .database = ret,
	                        .sizes = ret_sizes,
	                        .streams = calloc(n + 1, sizeof(*ending.streams)),
	                        .lists = calloc(n + 1, sizeof(*ending.lists))};
	int r = -ENOMEM;

	*ret_sizes = (struct dit_estimate_keys_sizes){.npages = 0};
	ret->indexes = calloc(n + 1, sizeof(*ret->indexes));
	if (ending.streams != NULL && ending.lists != NULL && ret->indexes != NULL) {
		r = end_all(&ending);
	}
	for (size_t i = 0; i < n && ending.lists != NULL; i++) {
		free(ending.lists[i]);
	}
	free(ending.lists);
	free(ending.streams);
	return r;
}
