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
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/version.h"
#include "diff/diff_impl.h"

#define BUCKETS_MAX   65536u
#define BUCKET_FILL   16 /* entries, about */
#define SUBTREES_MAX  1000
#define NAMES_MAX     10000 /* entries that are named */
#define FIGURE_DIGITS 17    /* a number of 64 bits, and NUL */

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

/** One of the two states. */
struct dit_diff_digest {
	uint64_t nentries;
	struct dit_sum128 sum;
	struct bucket *buckets; /* owned */
	unsigned nbuckets;      /* a power of two */
	struct subtree *subtrees;
	size_t nsubtrees;
	size_t subtrees_size;
	struct dit_diff_map by_id; /* of subtrees, while they are summed up */
	uint64_t top;              /* ID of an entry with contextCSN */
	json_t *csns;              /* owned */
};

/* An entry in a bucket that differs. */
struct suspect {
	uint64_t id;
	unsigned bucket;
	bool is_found;
};

struct suspects {
	struct suspect *list; /* owned */
	size_t n;
	size_t size;
};

/* [own: member] the parts that belong to one */
struct digesting {
	struct dit_diff *diff;
	unsigned side;
	struct dit_diff_digest *parts; /* of the members */
	const struct dit_diff_digest
		*other; /* NULL: sums are made; else suspects are looked for */
	const struct dit_diff_digest *own;
	struct suspects *suspects; /* of the members */
};

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

static bool has_csn(const struct dit_entry_view *entry)
{
	for (uint32_t i = 0; entry->parent == 0 && i < entry->nattrs; i++) {
		if (dit_span_eq(entry->attrs[i].name, DIT_SPAN("contextCSN"))) {
			return true;
		}
	}
	return false;
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
	digest->top = has_csn(entry) ? entry->id : digest->top;
	return add_to_subtree(digest, &one);
}

static bool are_equal(const struct bucket *a, const struct bucket *b)
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

	if (are_equal(own, other) || (!is_found && suspects->n >= NAMES_MAX)) {
		return 0;
	}
	if (DIT_GROW(suspects->list, suspects->size, suspects->n + 1) < 0) {
		return -ENOMEM;
	}
	suspects->list[suspects->n++] = (struct suspect){entry->id, number, is_found};
	return 0;
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct digesting *work = ctx;
	struct dit_sum128 name;

	if (entry->name_error < 0 || entry->record_error < 0) {
		range->result = (void *)(uintptr_t)entry->id;
		return DIT_E_CORRUPT;
	}
	if (entry->is_hole) {
		return 0;
	}
	name = dit_sum128_of(entry->norm_dn, 0);
	return work->other == NULL ? add_entry(&work->parts[range->member], entry, &name)
	                           : suspect(work, range->member, entry, &name);
}

static int count_range(void *ctx, struct dit_scan_range *range)
{
	struct digesting *work = ctx;

	work->diff->sides[work->side].nread += range->nread;
	dit_tick_often(&work->diff->job.ticker);
	return 0;
}

static void drop_range(void *ctx, struct dit_scan_range *range)
{
	struct digesting *work = ctx;

	if (range->result != NULL) {
		(void)dit_diff_fail_entry(work->diff, work->side,
		                          (uint64_t)(uintptr_t)range->result);
	}
}

static int scan(struct digesting *work)
{
	static const struct dit_entry_scan_ops ops = {
		.entry = take_entry, .in_order = count_range, .drop = drop_range};
	struct dit_diff_side *side = &work->diff->sides[work->side];

	side->nread = 0;
	dit_job_tell(&work->diff->job, work->side);
	return dit_entry_scan_run(side->scan, &ops, work);
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
	if (digest->nsubtrees > SUBTREES_MAX) {
		digest->nsubtrees = SUBTREES_MAX;
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
	int r = digest->top == 0 ? 0 : dit_diff_read(diff, side, digest->top, &entry);

	digest->csns = json_array();
	for (uint32_t i = 0; i < entry.nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry.attrs[i];

		for (uint32_t v = 0; v < attr->nvalues && r == 0 &&
		                     dit_span_eq(attr->name, DIT_SPAN("contextCSN"));
		     v++) {
			r = json_array_append_new(digest->csns,
			                          json_stringn(attr->values[v].data,
			                                       attr->values[v].len)) < 0
			            ? -ENOMEM
			            : 0;
		}
	}
	return digest->csns == NULL ? -ENOMEM : r;
}

static int new_buckets(struct dit_diff_digest *digest, unsigned n)
{
	digest->nbuckets = n;
	digest->buckets = calloc(n, sizeof(*digest->buckets));
	return digest->buckets == NULL ? -ENOMEM : 0;
}

static unsigned choose_nbuckets(uint64_t nentries)
{
	unsigned n = 1;

	while (n < BUCKETS_MAX && n < nentries / BUCKET_FILL) {
		n *= 2;
	}
	return n;
}

/* @param nbuckets  0: by the number of entries */
static int make_digest(struct dit_diff *diff, unsigned side, unsigned nbuckets,
                       struct dit_diff_digest *ret)
{
	unsigned nmembers = dit_entry_scan_nthreads(diff->sides[side].scan);
	struct digesting work = {.diff = diff, .side = side};
	int r = 0;

	nbuckets = nbuckets != 0 ? nbuckets
	                         : choose_nbuckets(dit_entry_scan_nrecords(
					   diff->sides[side].scan));
	work.parts = calloc(nmembers, sizeof(*work.parts));
	r = work.parts == NULL ? -ENOMEM : new_buckets(ret, nbuckets);
	for (unsigned i = 0; i < nmembers && r == 0; i++) {
		r = new_buckets(&work.parts[i], nbuckets);
	}
	r = r < 0 ? r : scan(&work);
	for (unsigned i = 0; i < nmembers && r == 0; i++) {
		r = merge(ret, &work.parts[i]);
	}
	for (unsigned i = 0; work.parts != NULL && i < nmembers; i++) {
		free_digest(&work.parts[i]);
	}
	free(work.parts);
	r = r < 0 ? r : name_subtrees(diff, side, ret);
	return r < 0 ? r : read_csns(diff, side, ret);
}

/* ---- as JSON ---- */

static json_t *subtrees_json(const struct dit_diff_digest *digest)
{
	json_t *list = json_array();

	for (size_t i = 0; i < digest->nsubtrees; i++) {
		const struct subtree *subtree = &digest->subtrees[i];
		char text[DIT_DIGEST_TEXT_BYTES];

		dit_sum128_text(&subtree->sum, text);
		if (json_array_append_new(list,
		                          json_pack("{s:s, s:I, s:s}", "dn", subtree->dn,
		                                    "entries", (json_int_t)subtree->n,
		                                    "digest", text)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *buckets_json(const struct dit_diff_digest *digest)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < digest->nbuckets; i++) {
		const struct bucket *bucket = &digest->buckets[i];
		char sum[FIGURE_DIGITS];
		char mixed[FIGURE_DIGITS];

		(void)snprintf(sum, sizeof(sum), "%016" PRIx64, bucket->sum);
		(void)snprintf(mixed, sizeof(mixed), "%016" PRIx64, bucket->mixed);
		if (json_array_append_new(list,
		                          json_pack("[I, s, s]", (json_int_t)bucket->n,
		                                    sum, mixed)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static int write_json(const char *text, size_t len, void *ctx)
{
	struct dit_diff *diff = ctx;

	return dit_ldif_write_raw(&diff->text, (struct dit_span){text, len}) < 0 ? -1 : 0;
}

static int write_digest(struct dit_diff *diff, const struct dit_diff_digest *digest)
{
	char text[DIT_DIGEST_TEXT_BYTES];
	json_t *json = NULL;
	int r = 0;

	dit_sum128_text(&digest->sum, text);
	json = json_pack("{s:i, s:s, s:s, s:I, s:s, s:O, s:o, s:o}", "format", 1,
	                 "program", "ditdiff", "version", dit_version(), "entries",
	                 (json_int_t)digest->nentries, "digest", text, "contextCSN",
	                 digest->csns, "subtrees", subtrees_json(digest), "buckets",
	                 buckets_json(digest));
	if (json == NULL) {
		return dit_diff_fail(diff, DIT_E_INVALID, diff->sides[0].directory,
		                     "a name is no UTF-8, or there is no memory");
	}
	r = json_dump_callback(json, write_json, diff, JSON_INDENT(1)) < 0 ? -ENOMEM : 0;
	json_decref(json);
	r = r < 0 ? r : dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
	return r < 0 ? r : dit_diff_flush(diff);
}

static bool read_hex(const char *text, unsigned ndigits, uint64_t *ret)
{
	char digits[FIGURE_DIGITS];
	char *end = NULL;

	if (text == NULL || strlen(text) < ndigits) {
		return false;
	}
	(void)snprintf(digits, sizeof(digits), "%.*s", (int)ndigits, text);
	*ret = strtoull(digits, &end, 16);
	return *end == '\0';
}

static bool read_number(const json_t *json, uint64_t *ret)
{
	*ret = (uint64_t)json_integer_value(json);
	return json_is_integer(json) && json_integer_value(json) >= 0;
}

static bool read_sum(const json_t *json, struct dit_sum128 *ret)
{
	const char *text = json_string_value(json);

	return text != NULL && strlen(text) == DIT_DIGEST_TEXT_BYTES - 1 &&
	       read_hex(text, 16, &ret->high) && read_hex(text + 16, 16, &ret->low);
}

/* 1; 0: this is no digest; -ENOMEM */
static int read_buckets(const json_t *list, struct dit_diff_digest *ret)
{
	size_t n = json_array_size(list);

	if (n == 0 || n > BUCKETS_MAX || (n & (n - 1)) != 0) {
		return 0;
	}
	if (new_buckets(ret, (unsigned)n) < 0) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		struct bucket *bucket = &ret->buckets[i];

		if (!read_number(json_array_get(item, 0), &bucket->n) ||
		    !read_hex(json_string_value(json_array_get(item, 1)), 16,
		              &bucket->sum) ||
		    !read_hex(json_string_value(json_array_get(item, 2)), 16,
		              &bucket->mixed)) {
			return 0;
		}
	}
	return 1;
}

/* As read_buckets(). */
static int read_subtrees(const json_t *list, struct dit_diff_digest *ret)
{
	size_t n = json_array_size(list);

	if (!json_is_array(list)) {
		return 0;
	}
	ret->subtrees = calloc(n + 1, sizeof(*ret->subtrees));
	if (ret->subtrees == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		const char *dn = json_string_value(json_object_get(item, "dn"));
		struct subtree *subtree = &ret->subtrees[ret->nsubtrees++];

		if (dn == NULL ||
		    !read_number(json_object_get(item, "entries"), &subtree->n) ||
		    !read_sum(json_object_get(item, "digest"), &subtree->sum)) {
			return 0;
		}
		subtree->dn = strdup(dn);
		if (subtree->dn == NULL) {
			return -ENOMEM;
		}
	}
	return 1;
}

static int read_digest(struct dit_diff *diff, const char *path,
                       struct dit_diff_digest *ret)
{
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error);
	int r = 0;

	if (json == NULL) {
		return dit_diff_fail(diff, DIT_E_INVALID, path, error.text);
	}
	ret->csns = json_incref(json_object_get(json, "contextCSN"));
	r = json_integer_value(json_object_get(json, "format")) == 1 &&
	    json_is_array(ret->csns) &&
	    read_number(json_object_get(json, "entries"), &ret->nentries) &&
	    read_sum(json_object_get(json, "digest"), &ret->sum);
	r = r <= 0 ? r : read_buckets(json_object_get(json, "buckets"), ret);
	r = r <= 0 ? r : read_subtrees(json_object_get(json, "subtrees"), ret);
	json_decref(json);
	return r != 0 ? (r < 0 ? r : 0)
	              : dit_diff_fail(diff, DIT_E_INVALID, path,
	                              "this is no digest that ditdiff has written");
}

/* ---- two digests ---- */

static int write_words(struct dit_diff *diff, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int write_words(struct dit_diff *diff, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int r = 0;

	va_start(args, format);
	r = vasprintf(&text, format, args);
	va_end(args);
	if (r < 0) {
		return -ENOMEM;
	}
	r = dit_ldif_write_raw(&diff->text, dit_span_of(text));
	free(text);
	return r;
}

/* Is a byte part of a control character? Those of C1 have two bytes in UTF-8. */
static bool is_control(struct dit_span text, size_t i)
{
	const unsigned char *bytes = (const unsigned char *)text.data;
	size_t lead = i - (i > 0 && bytes[i - 1] == 0xc2);

	return bytes[i] < 0x20 || bytes[i] == 0x7f ||
	       (bytes[lead] == 0xc2 && lead + 1 < text.len && bytes[lead + 1] < 0xa0);
}

/* The end of a line. A name may have control characters: \0A, as DNs have them. */
static int write_name(struct dit_diff *diff, struct dit_span name)
{
	int r = 0;

	for (size_t i = 0; i < name.len && r == 0; i++) {
		r = is_control(name, i)
		            ? write_words(diff, "\\%02X", (unsigned char)name.data[i])
		            : dit_ldif_write_raw(&diff->text,
		                                 (struct dit_span){&name.data[i], 1});
	}
	return r < 0 ? r : dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
}

/* Fewer, larger buckets. */
static void fold(struct dit_diff_digest *digest, unsigned nbuckets)
{
	unsigned each = digest->nbuckets / nbuckets;

	for (unsigned i = 0; i < digest->nbuckets && each > 1; i++) {
		struct bucket from = digest->buckets[i];

		digest->buckets[i] = (struct bucket){.n = 0};
		digest->buckets[i / each].n += from.n;
		digest->buckets[i / each].sum += from.sum;
		digest->buckets[i / each].mixed += from.mixed;
	}
	digest->nbuckets = nbuckets;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct subtree *)a)->dn, ((const struct subtree *)b)->dn);
}

static const struct subtree *find_subtree(const struct dit_diff_digest *digest,
                                          const char *dn)
{
	const struct subtree wanted = {.dn = (char *)dn};

	return bsearch(&wanted, digest->subtrees, digest->nsubtrees, sizeof(wanted),
	               compare_names);
}

static int write_subtree(struct dit_diff *diff, const struct subtree *first,
                         const struct subtree *second)
{
	int r = 0;

	if (first != NULL && second != NULL && first->sum.low == second->sum.low &&
	    first->sum.high == second->sum.high) {
		return 0;
	}
	diff->stats.nsubtrees++;
	r = write_words(diff, "subtree\t%" PRIu64 "\t%" PRIu64 "\t",
	                first == NULL ? 0 : first->n, second == NULL ? 0 : second->n);
	return r < 0 ? r
	             : write_name(diff,
	                          dit_span_of(first == NULL ? second->dn : first->dn));
}

/* One that has as many subtrees as a digest takes may lack more. */
static int write_subtrees(struct dit_diff *diff, const struct dit_diff_digest digests[2])
{
	int r = 0;

	for (size_t i = 0; i < digests[0].nsubtrees && r == 0; i++) {
		const struct subtree *first = &digests[0].subtrees[i];
		const struct subtree *second = find_subtree(&digests[1], first->dn);

		if (second != NULL || digests[1].nsubtrees < SUBTREES_MAX) {
			r = write_subtree(diff, first, second);
		}
	}
	for (size_t i = 0; i < digests[1].nsubtrees && r == 0; i++) {
		const struct subtree *second = &digests[1].subtrees[i];

		if (digests[0].nsubtrees < SUBTREES_MAX &&
		    find_subtree(&digests[0], second->dn) == NULL) {
			r = write_subtree(diff, NULL, second);
		}
	}
	return r;
}

static int write_csns(struct dit_diff *diff, const struct dit_diff_digest digests[2])
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		const json_t *csn = NULL;
		size_t i = 0;

		json_array_foreach(digests[side].csns, i, csn)
		{
			if (r == 0 && json_is_string(csn)) {
				r = write_words(diff, "contextCSN\t%s\t",
				                side == 0 ? "first" : "second");
				r = r < 0 ? r
				          : write_name(
						    diff,
						    dit_span_of(json_string_value(csn)));
			}
		}
	}
	return r;
}

/* ---- entries that differ ---- */

static int compare_suspects(const void *a, const void *b)
{
	const struct suspect *x = a;
	const struct suspect *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Those of all members. */
static int gather(struct suspects *suspects, unsigned nmembers)
{
	for (unsigned i = 1; i < nmembers; i++) {
		if (suspects[i].n == 0) {
			continue;
		}
		if (DIT_GROW(suspects[0].list, suspects[0].size,
		             suspects[0].n + suspects[i].n) < 0) {
			return -ENOMEM;
		}
		memcpy(suspects[0].list + suspects[0].n, suspects[i].list,
		       suspects[i].n * sizeof(*suspects[i].list));
		suspects[0].n += suspects[i].n;
	}
	dit_sort_items(suspects[0].list, suspects[0].n, sizeof(*suspects[0].list),
	               compare_suspects);
	return 0;
}

/* @param founds  buckets in which one entry is the one that differs */
static int write_suspects(struct digesting *work, const bool *founds)
{
	struct dit_diff *diff = work->diff;
	struct dit_entry_view entry;
	int r = 0;

	for (size_t i = 0; i < work->suspects[0].n && r == 0; i++) {
		const struct suspect *suspect = &work->suspects[0].list[i];
		const struct bucket *own = &work->own->buckets[suspect->bucket];

		if (!suspect->is_found &&
		    (founds[suspect->bucket] ||
		     work->other->buckets[suspect->bucket].n > own->n)) {
			continue;
		}
		diff->stats.nnamed++;
		if (diff->stats.nnamed > NAMES_MAX) {
			continue;
		}
		r = dit_diff_read(diff, work->side, suspect->id, &entry);
		r = r < 0 ? r
		          : write_words(diff, "%s\t",
		                        suspect->is_found ? "entry" : "perhaps");
		r = r < 0 ? r : write_name(diff, entry.dn);
	}
	return r;
}

static int write_missing(struct digesting *work)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < work->own->nbuckets; i++) {
		uint64_t own = work->own->buckets[i].n;
		uint64_t other = work->other->buckets[i].n;

		n += other > own ? other - own : 0;
	}
	work->diff->stats.nmissing = n;
	return n == 0 ? 0 : write_words(work->diff, "missing\t%" PRIu64 "\n", n);
}

/* A database next to a digest: which of its entries differ? */
static int write_entries(struct dit_diff *diff, unsigned side,
                         const struct dit_diff_digest digests[2])
{
	unsigned nmembers = dit_entry_scan_nthreads(diff->sides[side].scan);
	struct digesting work = {.diff = diff,
	                         .side = side,
	                         .own = &digests[side],
	                         .other = &digests[1 - side]};
	bool *founds = calloc(work.own->nbuckets, sizeof(*founds));
	int r = 0;

	work.suspects = calloc(nmembers, sizeof(*work.suspects));
	r = founds == NULL || work.suspects == NULL ? -ENOMEM : scan(&work);
	r = r < 0 ? r : gather(work.suspects, nmembers);
	for (size_t i = 0; r == 0 && i < work.suspects[0].n; i++) {
		founds[work.suspects[0].list[i].bucket] |=
			work.suspects[0].list[i].is_found;
	}
	r = r < 0 ? r : write_suspects(&work, founds);
	r = r < 0 ? r : write_missing(&work);
	for (unsigned i = 0; work.suspects != NULL && i < nmembers; i++) {
		free(work.suspects[i].list);
	}
	free(work.suspects);
	free(founds);
	return r;
}

static int compare(struct dit_diff *diff, struct dit_diff_digest digests[2])
{
	bool are_same = digests[0].nentries == digests[1].nentries &&
	                digests[0].sum.low == digests[1].sum.low &&
	                digests[0].sum.high == digests[1].sum.high;
	unsigned nbuckets = digests[0].nbuckets < digests[1].nbuckets
	                            ? digests[0].nbuckets
	                            : digests[1].nbuckets;
	int r = 0;

	diff->stats.differs = !are_same;
	r = write_words(diff, "%s\t%" PRIu64 "\t%" PRIu64 "\n",
	                are_same ? "equal" : "different", digests[0].nentries,
	                digests[1].nentries);
	r = r < 0 ? r : write_csns(diff, digests);
	if (r < 0 || are_same) {
		return r;
	}
	for (unsigned side = 0; side < 2; side++) {
		fold(&digests[side], nbuckets);
		dit_sort_items(digests[side].subtrees, digests[side].nsubtrees,
		               sizeof(*digests[side].subtrees), compare_names);
	}
	r = write_subtrees(diff, digests);
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		if (diff->opts.digests[side] == NULL) {
			r = write_entries(diff, side, digests);
		}
	}
	return r;
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
			r = read_digest(diff, diff->opts.digests[side],
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
	r = r < 0               ? r
	    : diff->opts.digest ? write_digest(diff, &digests[0])
	                        : compare(diff, digests);
	return r < 0 ? r : dit_diff_flush(diff);
}

void dit_diff_free_digests(struct dit_diff *diff)
{
	for (unsigned side = 0; diff->digests != NULL && side < 2; side++) {
		free_digest(&diff->digests[side]);
	}
	free(diff->digests);
}
