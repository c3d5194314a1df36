/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the entries of a database; the order of events. */
#include "diff/diff_digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define BUCKET_FILL 16 /* entries, about */

static void free_digest(struct dit_diff_digest *digest)
{
	for (size_t i = 0; i < digest->nsubtrees; i++) {
		free(digest->subtrees[i].dn);
	}
	free(digest->subtrees);
	free(digest->buckets);
	dit_diff_map_deinit(&digest->by_id);
	json_decref(digest->csns);
}

/* ---- sums ---- */

static unsigned bucket_of(const struct dit_sum128 *name, unsigned nbuckets)
{
	return (unsigned)((name->high >> 32) * nbuckets >> 32);
}

static int add_to_subtree(struct dit_diff_digest *digest, const struct subtree *more)
{
	uint32_t at = dit_diff_map_get(&digest->by_id, more->id);

	if (at != DIT_DIFF_NONE) {
		digest->subtrees[at].n += more->n;
		dit_sum128_add(&digest->subtrees[at].sum, &more->sum);
		return 0;
	}
	if (digest->nsubtrees >= DIT_DIFF_NONE - 1 ||
	    DIT_GROW(digest->subtrees, digest->subtrees_size, digest->nsubtrees + 1) <
	            0) {
		return -ENOMEM;
	}
	digest->subtrees[digest->nsubtrees] = *more;
	return dit_diff_map_set(&digest->by_id, more->id, (uint32_t)digest->nsubtrees++);
}

static int add_entry(struct dit_diff_digest *digest, const struct dit_entry_view *entry,
                     const struct dit_sum128 *name)
{
	const struct subtree one = {
		.id = entry->parent, .n = 1, .sum = dit_entry_view_digest(entry)};
	struct bucket *bucket = &digest->buckets[bucket_of(name, digest->nbuckets)];

	digest->nentries++;
	dit_sum128_add(&digest->sum, &one.sum);
	bucket->n++;
	bucket->sum += one.sum.low;
	bucket->mixed += one.sum.low * name->low;
	if (entry->parent == 0 && dit_diff_csns(entry) != NULL) {
		digest->top = entry->id;
	}
	return add_to_subtree(digest, &one);
}

bool dit_digest_is_same(const struct bucket *a, const struct bucket *b)
{
	return a->n == b->n && a->sum == b->sum && a->mixed == b->mixed;
}

static int suspect(struct digesting *work, unsigned member,
                   const struct dit_entry_view *entry, const struct dit_sum128 *name)
{
	unsigned number = bucket_of(name, work->own->nbuckets);
	const struct bucket *own = &work->own->buckets[number];
	const struct bucket *other = &work->other->buckets[number];
	struct suspects *suspects = &work->suspects[member];
	bool is_found = (other->sum - own->sum) * name->low == other->mixed - own->mixed;

	if (dit_digest_is_same(own, other) ||
	    (!is_found && suspects->n >= DIT_DIGEST_NAMES_MAX)) {
		return 0;
	}
	return DIT_APPEND(suspects->list, suspects->size, suspects->n,
	                  (struct suspect){entry->id, number, is_found});
}

static int take_entry(struct dit_diff_scan *scan, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct digesting *work = (struct digesting *)scan;
	struct dit_sum128 name = dit_sum128_of(entry->norm_dn, 0);

	return work->other == NULL ? add_entry(&work->parts[range->member], entry, &name)
	                           : suspect(work, range->member, entry, &name);
}

int dit_digest_scan(struct digesting *work)
{
	work->scan.take = take_entry;
	work->scan.diff->sides[work->scan.side].nread = 0;
	dit_job_tell(&work->scan.diff->job, work->scan.side);
	return dit_diff_scan_run(&work->scan);
}

/* ---- a database's digest ---- */

static int merge(struct dit_diff_digest *all, struct dit_diff_digest *part)
{
	int r = 0;

	all->nentries += part->nentries;
	dit_sum128_add(&all->sum, &part->sum);
	all->top = part->top != 0 ? part->top : all->top;
	for (unsigned i = 0; i < all->nbuckets; i++) {
		all->buckets[i].n += part->buckets[i].n;
		all->buckets[i].sum += part->buckets[i].sum;
		all->buckets[i].mixed += part->buckets[i].mixed;
	}
	for (size_t i = 0; i < part->nsubtrees && r == 0; i++) {
		r = add_to_subtree(all, &part->subtrees[i]);
	}
	return r;
}

/* The same order on each host: the larger one first. */
static int compare_subtrees(const void *a, const void *b)
{
	const struct subtree *x = a;
	const struct subtree *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
	       : x->sum.high != y->sum.high
	               ? (x->sum.high < y->sum.high ? -1 : 1)
	               : (x->sum.low > y->sum.low) - (x->sum.low < y->sum.low);
}

static int name_subtrees(struct dit_diff *diff, unsigned side,
                         struct dit_diff_digest *digest)
{
	struct dit_entry_view entry = {.id = 0};
	int r = 0;

	dit_sort_items(digest->subtrees, digest->nsubtrees, sizeof(*digest->subtrees),
	               compare_subtrees);
	if (digest->nsubtrees > DIT_DIGEST_SUBTREES_MAX) {
		digest->nsubtrees = DIT_DIGEST_SUBTREES_MAX;
	}
	for (size_t i = 0; i < digest->nsubtrees && r == 0; i++) {
		struct subtree *subtree = &digest->subtrees[i];

		r = subtree->id == 0 ? 0 : dit_diff_read(diff, side, subtree->id, &entry);
		subtree->dn = r < 0 ? NULL
		              : subtree->id == 0
		                      ? strdup("")
		                      : strndup(entry.norm_dn.data, entry.norm_dn.len);
		r = r == 0 && subtree->dn == NULL ? -ENOMEM : r;
	}
	return r;
}

static int read_csns(struct dit_diff *diff, unsigned side, struct dit_diff_digest *digest)
{
	struct dit_entry_view entry = {.nattrs = 0};
	const struct dit_attr_view *csns = NULL;
	int r = digest->top == 0 ? 0 : dit_diff_read(diff, side, digest->top, &entry);

	digest->csns = json_array();
	csns = r < 0 ? NULL : dit_diff_csns(&entry);
	for (uint32_t i = 0; csns != NULL && i < csns->nvalues && r == 0; i++) {
		r = json_array_append_new(
			    digest->csns,
			    json_stringn(csns->values[i].data, csns->values[i].len)) < 0
		            ? -ENOMEM
		            : 0;
	}
	return digest->csns == NULL ? -ENOMEM : r;
}

int dit_digest_new_buckets(struct dit_diff_digest *digest, unsigned n)
{
	digest->nbuckets = n;
	digest->buckets = calloc(n, sizeof(*digest->buckets));
	return digest->buckets == NULL ? -ENOMEM : 0;
}

static unsigned choose_nbuckets(uint64_t nentries)
{
	unsigned n = 1;

	while (n < DIT_DIGEST_BUCKETS_MAX && n < nentries / BUCKET_FILL) {
		n *= 2;
	}
	return n;
}

/* @param nbuckets  0: by the number of entries */
static int make_digest(struct dit_diff *diff, unsigned side, unsigned nbuckets,
                       struct dit_diff_digest *ret)
{
	unsigned nmembers = dit_entry_scan_nthreads(diff->sides[side].scan);
	struct digesting work = {.scan = {.diff = diff, .side = side}};
	int r = 0;

	nbuckets = nbuckets != 0 ? nbuckets
	                         : choose_nbuckets(dit_entry_scan_nrecords(
					   diff->sides[side].scan));
	work.parts = calloc(nmembers, sizeof(*work.parts));
	r = work.parts == NULL ? -ENOMEM : dit_digest_new_buckets(ret, nbuckets);
	for (unsigned i = 0; i < nmembers && r == 0; i++) {
		r = dit_digest_new_buckets(&work.parts[i], nbuckets);
	}
	r = r ?: dit_digest_scan(&work);
	for (unsigned i = 0; i < nmembers && r == 0; i++) {
		r = merge(ret, &work.parts[i]);
	}
	for (unsigned i = 0; work.parts != NULL && i < nmembers; i++) {
		free_digest(&work.parts[i]);
	}
	free(work.parts);
	r = r ?: name_subtrees(diff, side, ret);
	return r ?: read_csns(diff, side, ret);
}

/* ---- the whole ---- */

int dit_diff_read_digests(struct dit_diff *diff)
{
	int r = 0;

	if (!dit_diff_has_digests(diff)) {
		return 0;
	}
	diff->digests = calloc(2, sizeof(*diff->digests));
	r = diff->digests == NULL ? -ENOMEM : 0;
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		if (diff->opts.digests[side] != NULL) {
			r = dit_digest_read(diff, diff->opts.digests[side],
			                    &diff->digests[side]);
		}
	}
	return r;
}

int dit_diff_run_digests(struct dit_diff *diff)
{
	struct dit_diff_digest *digests = diff->digests;
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		if (diff->sides[side].scan != NULL) {
			r = make_digest(diff, side, digests[1 - side].nbuckets,
			                &digests[side]);
		}
		diff->stats.nentries[side] = digests[side].nentries;
	}
	r = r
	            ?: diff->opts.digest ? dit_digest_write(diff, &digests[0])
	                                 : dit_digest_compare(diff, digests);
	return r ?: dit_diff_flush(diff);
}

void dit_diff_free_digests(struct dit_diff *diff)
{
	for (unsigned side = 0; diff->digests != NULL && side < 2; side++) {
		free_digest(&diff->digests[side]);
	}
	free(diff->digests);
}
