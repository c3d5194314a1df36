/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths of lists from a sample.
 *
 * Entries come in windows of neighbours, and neighbours are alike: a department's people
 * stand one behind the other. So windows are counted, not entries: a key was seen in v of
 * them. The whole has windows, too, of which the share q is in the sample. A key that
 * occurs in M windows of the whole is seen in v with the probability
 * C(M, v) q^v (1 - q)^(M - v).
 *
 * Keys seen in more than SEEN_MAX windows are taken as they are: their list has the
 * entries that were seen, each with its weight. For all others the numbers h of keys with
 * M = 1, 2, 3 ... are sought that explain how many keys f were seen once, twice and so
 * on, by repeated improvement (expectation maximisation; in optics, Richardson and Lucy's
 * method):
 *
 *     h'(M) = h(M) * sum over v of (f(v) / expected(v)) * P(v | M), over P(seen | M)
 *
 * What the sample cannot tell apart stays as it was assumed at first: half of all
 * postings belong to keys that occur once, the others evenly to all lengths. An attribute
 * whose values are all different is that way found to be so.
 *
 * Example: 1 % of the whole; 1,000 keys, all seen once: 100,000 keys that occur once. If
 * 30 keys more were seen twice: keys of 6 windows each, some 17,000.
 *
 * Memory: of a database with more than PAIRS_MAX pairs only every second key is kept,
 * then every fourth and so on, chosen by the key.
 */
#include "build/key_sample.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define SEEN_MAX  40
#define GRID_MAX  160
#define GRID_STEP 1.2
#define ROUNDS    400
#define PAIRS_MAX (512u << 10)

struct pair {
	uint64_t key;
	uint32_t entry;
};

struct sampled_db {
	struct pair *pairs;
	size_t npairs;
	size_t size;
	unsigned shift; /* one of 2^shift keys is kept */
	double npostings;
};

struct sampled_entry {
	double weight;
	unsigned window;
};

struct dit_key_sample {
	struct sampled_db *dbs;
	size_t ndbs;
	struct sampled_entry *entries;
	size_t nentries;
	size_t entries_size;
};

int dit_key_sample_new(struct dit_key_sample **ret, size_t ndbs)
{
	struct dit_key_sample *sample = calloc(1, sizeof(*sample));

	if (sample == NULL) {
		return -ENOMEM;
	}
	sample->ndbs = ndbs;
	sample->dbs = calloc(ndbs + 1, sizeof(*sample->dbs));
	if (sample->dbs == NULL) {
		free(sample);
		return -ENOMEM;
	}
	*ret = sample;
	return 0;
}

void dit_key_sample_free(struct dit_key_sample *sample)
{
	if (sample == NULL) {
		return;
	}
	for (size_t i = 0; i < sample->ndbs; i++) {
		free(sample->dbs[i].pairs);
	}
	free(sample->dbs);
	free(sample->entries);
	free(sample);
}

/* ---- collecting ---- */

int dit_key_sample_begin(struct dit_key_sample *sample, double weight, unsigned window)
{
	if (sample->nentries == sample->entries_size) {
		struct sampled_entry *grown =
			dit_grow(sample->entries, &sample->entries_size,
		                 sample->nentries + 1, sizeof(*grown));

		if (grown == NULL) {
			return -ENOMEM;
		}
		sample->entries = grown;
	}
	sample->entries[sample->nentries++] =
		(struct sampled_entry){.weight = weight, .window = window};
	return 0;
}

/* Keys are hashes or not; a multiplication mixes them well enough to choose by. */
static bool is_kept(uint64_t key, unsigned shift)
{
	uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;

	mixed ^= mixed >> 32;
	return (mixed * 0xbf58476d1ce4e5b9u >> 32 & (((uint64_t)1 << shift) - 1)) == 0;
}

static void thin_out(struct sampled_db *db)
{
	size_t n = 0;

	db->shift++;
	for (size_t i = 0; i < db->npairs; i++) {
		if (is_kept(db->pairs[i].key, db->shift)) {
			db->pairs[n++] = db->pairs[i];
		}
	}
	db->npairs = n;
}

int dit_key_sample_add(struct dit_key_sample *sample, size_t number, uint64_t key)
{
	struct sampled_db *db = &sample->dbs[number];

	db->npostings += sample->entries[sample->nentries - 1].weight;
	if (!is_kept(key, db->shift)) {
		return 0;
	}
	/* A few keys of very many entries cannot be thinned out. */
	if (db->npairs >= PAIRS_MAX && db->shift < 6) {
		thin_out(db);
	}
	if (db->npairs == db->size) {
		struct pair *grown =
			dit_grow(db->pairs, &db->size, db->npairs + 1, sizeof(*grown));

		if (grown == NULL) {
			return -ENOMEM;
		}
		db->pairs = grown;
	}
	db->pairs[db->npairs++] =
		(struct pair){.key = key, .entry = (uint32_t)(sample->nentries - 1)};
	return 0;
}

double dit_key_sample_npostings(const struct dit_key_sample *sample, size_t db)
{
	return sample->dbs[db].npostings;
}

/* ---- what was seen ---- */

/** Keys that were seen in the same number of windows. */
struct seen {
	double nkeys;
	double nids; /* entries that have them, in the whole */
	double weighted_windows;
};

struct lists {
	struct dit_list_class *classes;
	size_t n;
	size_t size;
	struct seen seen[SEEN_MAX + 1];
	double nwindows; /* incidences of keys in windows, in the sample */
	double ratio;    /* keys for each key that was kept */
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a;
	const struct pair *y = b;

	if (x->key != y->key) {
		return x->key < y->key ? -1 : 1;
	}
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static int add_class(struct lists *lists, double nids, double nkeys, double ntogether)
{
	if (lists->n == lists->size) {
		struct dit_list_class *grown = dit_grow(lists->classes, &lists->size,
		                                        lists->n + 1, sizeof(*grown));

		if (grown == NULL) {
			return -ENOMEM;
		}
		lists->classes = grown;
	}
	lists->classes[lists->n++] =
		(struct dit_list_class){.nids = nids < 1 ? 1 : nids,
	                                .nkeys = nkeys,
	                                .ntogether = ntogether < 1 ? 1 : ntogether};
	return 0;
}

/* One key's pairs, by entry. */
static int take_key(const struct dit_key_sample *sample, struct lists *lists,
                    const struct pair *pairs, size_t n)
{
	unsigned nwindows = 0;
	double weighted = 0;
	double nids = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sampled_entry *entry = &sample->entries[pairs[i].entry];

		if (i > 0 && pairs[i].entry == pairs[i - 1].entry) {
			continue;
		}
		nids += entry->weight;
		if (i == 0 ||
		    entry->window != sample->entries[pairs[i - 1].entry].window) {
			nwindows++;
			weighted += entry->weight;
		}
	}
	lists->nwindows += nwindows;
	/* All windows are in the sample, or nearly: there is nothing to guess. */
	if (nwindows > SEEN_MAX || weighted < nwindows * 1.01) {
		return add_class(lists, nids, lists->ratio, nids / weighted);
	}
	lists->seen[nwindows].nkeys++;
	lists->seen[nwindows].nids += nids;
	lists->seen[nwindows].weighted_windows += weighted;
	return 0;
}

static int take_keys(struct dit_key_sample *sample, struct sampled_db *db,
                     struct lists *lists)
{
	size_t first = 0;
	int r = 0;

	if (db->npairs == 0) {
		return 0; /* and there may be no array */
	}
	qsort(db->pairs, db->npairs, sizeof(*db->pairs), compare_pairs);
	for (size_t i = 1; i <= db->npairs && r == 0; i++) {
		if (i == db->npairs || db->pairs[i].key != db->pairs[first].key) {
			r = take_key(sample, lists, db->pairs + first, i - first);
			first = i;
		}
	}
	return r;
}

/* ---- what was not seen ---- */

/** The guess: numbers of keys by the windows of the whole that have them. */
struct guess {
	size_t n;
	double windows[GRID_MAX];
	double nkeys[GRID_MAX];
	double probability[GRID_MAX][SEEN_MAX + 1]; /* to be seen in v; [0]: at all */
};

/* C(m, v) q^v (1 - q)^(m - v) for v = 1, 2 ...; that for 0 is e^-SEEN_MAX at least. */
static void binomials(double *ret, double m, double q)
{
	double p = exp(m * log1p(-q));

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		p *= v > m ? 0 : (m - v + 1) / v * q / (1 - q);
		ret[v] = p;
	}
}

/* From keys of one window to those that would be seen more than SEEN_MAX times. */
static void make_grid(struct guess *guess, double q)
{
	double windows = 1;

	guess->n = 0;
	while (guess->n < GRID_MAX && windows * q < SEEN_MAX) {
		double *probability = guess->probability[guess->n];

		guess->windows[guess->n] = windows;
		probability[0] = -expm1(windows * log1p(-q));
		binomials(probability, windows, q);
		guess->n++;
		windows = windows < 6 ? windows + 1 : floor(windows * GRID_STEP + 0.5);
	}
}

static void assume(struct guess *guess, const struct seen *seen)
{
	double total = 0;

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		total += seen[v].weighted_windows;
	}
	for (size_t i = 0; i < guess->n; i++) {
		double share = i == 0 ? 0.5 : 0.5 / (double)guess->n;

		guess->nkeys[i] = total * share / guess->windows[i];
	}
}

static void improve(struct guess *guess, const struct seen *seen)
{
	double ratio[SEEN_MAX + 1] = {0};

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		double expected = 0;

		for (size_t i = 0; i < guess->n; i++) {
			expected += guess->nkeys[i] * guess->probability[i][v];
		}
		ratio[v] = expected > 0 ? seen[v].nkeys / expected : 0;
	}
	for (size_t i = 0; i < guess->n; i++) {
		double sum = 0;

		for (unsigned v = 1; v <= SEEN_MAX; v++) {
			sum += ratio[v] * guess->probability[i][v];
		}
		guess->nkeys[i] *= sum / guess->probability[i][0];
	}
}

/* Entries in a window that has a key, by how often the keys were seen that probably
 * occur so often. */
static double ids_per_window(const struct guess *guess, const struct seen *seen, size_t i)
{
	double nids = 0;
	double nwindows = 0;

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		double all = 0;
		double share = 0;

		for (size_t k = 0; k < guess->n && seen[v].nkeys > 0; k++) {
			all += guess->nkeys[k] * guess->probability[k][v];
		}
		share = all > 0 ? guess->nkeys[i] * guess->probability[i][v] / all : 0;
		nids += share * seen[v].nids;
		nwindows += share * seen[v].weighted_windows;
	}
	return nwindows > 0 ? nids / nwindows : 1;
}

static int add_guess(struct lists *lists, const struct guess *guess)
{
	double wanted = 0;
	double found = 0;
	double together[GRID_MAX];
	double lengths[GRID_MAX];
	int r = 0;

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		wanted += lists->seen[v].nids;
	}
	for (size_t i = 0; i < guess->n; i++) {
		together[i] = ids_per_window(guess, lists->seen, i);
		lengths[i] = guess->windows[i] * together[i];
		found += guess->nkeys[i] * lengths[i];
	}
	for (size_t i = 0; i < guess->n && r == 0; i++) {
		double nkeys = guess->nkeys[i] * (found > 0 ? wanted / found : 0);

		if (nkeys * lengths[i] > wanted * 1e-6) {
			r = add_class(lists, lengths[i], nkeys * lists->ratio,
			              together[i]);
		}
	}
	return r;
}

static int add_unseen(struct lists *lists)
{
	double weighted = 0;
	double nwindows = 0;
	struct guess *guess = NULL;
	int r = 0;

	for (unsigned v = 1; v <= SEEN_MAX; v++) {
		weighted += lists->seen[v].weighted_windows;
		nwindows += lists->seen[v].nkeys * v;
	}
	if (weighted <= 0) {
		return 0;
	}
	guess = malloc(sizeof(*guess));
	if (guess == NULL) {
		return -ENOMEM;
	}
	make_grid(guess, nwindows / weighted);
	assume(guess, lists->seen);
	for (unsigned i = 0; i < ROUNDS; i++) {
		improve(guess, lists->seen);
	}
	r = add_guess(lists, guess);
	free(guess);
	return r;
}

ptrdiff_t dit_key_sample_lists(struct dit_key_sample *sample, size_t number,
                               struct dit_list_class **ret)
{
	struct sampled_db *db = &sample->dbs[number];
	struct lists lists = {.ratio = (double)((uint64_t)1 << db->shift)};
	int r = take_keys(sample, db, &lists);

	if (r == 0) {
		r = add_unseen(&lists);
	}
	if (r < 0) {
		free(lists.classes);
		return r;
	}
	*ret = lists.classes;
	return (ptrdiff_t)lists.n;
}
