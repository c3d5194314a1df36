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
#include "base/ids.h"
#include "base/version.h"
#include "diff/diff_impl.h"

#define BUCKET_FILL   16 /* entries, about */
#define FIGURE_DIGITS 16 /* of a number of 64 bits */
#define BUCKETS_MAX   65536u
#define SUBTREES_MAX  1000
#define NAMES_MAX     10000 /* entries that are named */

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
	struct bucket *buckets;   /* owned */
	unsigned nbuckets;        /* a power of two */
	struct subtree *subtrees; /* owned */
	size_t nsubtrees;
	size_t subtrees_size;
	struct dit_diff_map by_id; /* their places, while they are summed up */
	json_t *csns;              /* owned */
	struct suspect *suspects;  /* by ID; owned */
	size_t nsuspects;
	size_t suspects_size;
};

/* ---- sums ---- */

static unsigned bucket_of(const struct dit_sum128 *name, unsigned nbuckets)
{
	return (unsigned)((name->high >> 32) * nbuckets >> 32);
}

static int add_entry(struct dit_diff_digest *digest, struct bucket *bucket,
                     const struct dit_diff_sum *entry)
{
	uintptr_t place = (uintptr_t)dit_diff_map_get(&digest->by_id, entry->uuid);
	struct subtree *subtree = NULL;

	if (place == 0) {
		place = digest->nsubtrees + 1;
		if (DIT_APPEND(digest->subtrees, digest->subtrees_size, digest->nsubtrees,
		               (struct subtree){.id = entry->uuid}) < 0 ||
		    dit_diff_map_set(&digest->by_id, entry->uuid, (void *)place) < 0) {
			return -ENOMEM;
		}
	}
	subtree = &digest->subtrees[place - 1];
	digest->nentries++;
	bucket->n++;
	bucket->sum += entry->sum.low;
	bucket->mixed += entry->sum.low * entry->dn.low;
	subtree->n++;
	dit_sum128_add(&subtree->sum, &entry->sum);
	dit_sum128_add(&digest->sum, &entry->sum);
	return DIT_APPEND(digest->suspects, digest->suspects_size, digest->nsuspects,
	                  (struct suspect){.id = entry->id, .name = entry->dn.low});
}

/* Its entries are the last suspects, from @p first on. If none is the one that differs,
 * each may be, where the other state has no more. */
static void end_bucket(struct dit_diff_digest *digest, size_t first, unsigned number,
                       const struct bucket *others)
{
	const struct bucket *own = &digest->buckets[number];
	const struct bucket *other = others == NULL ? own : &others[number];
	size_t end = digest->nsuspects;
	bool is_found = false;

	digest->nsuspects = first;
	if (own->n == other->n && own->sum == other->sum && own->mixed == other->mixed) {
		return;
	}
	for (size_t i = first; i < end; i++) {
		struct suspect *it = &digest->suspects[i];

		it->is_found =
			(other->sum - own->sum) * it->name == other->mixed - own->mixed;
		is_found |= it->is_found;
	}
	for (size_t i = first; i < end; i++) {
		if (digest->suspects[i].is_found || (!is_found && other->n <= own->n)) {
			digest->suspects[digest->nsuspects++] = digest->suspects[i];
		}
	}
}

/* In the order of the hashes of DNs, so a bucket's entries come one after the other.
 * @param others  buckets; NULL: there are none */
static int add_entries(struct dit_diff_side *side, struct dit_diff_digest *digest,
                       const struct bucket *others)
{
	unsigned at = 0;
	size_t first = 0;
	int r = 0;

	while (r == 0 && (r = dit_diff_next_sum(side)) > 0) {
		unsigned number = bucket_of(&side->at.dn, digest->nbuckets);

		if (number != at) {
			end_bucket(digest, first, at, others);
			first = digest->nsuspects;
			at = number;
		}
		r = add_entry(digest, &digest->buckets[at], &side->at);
	}
	end_bucket(digest, first, at, others);
	dit_sort_items(digest->suspects, digest->nsuspects, sizeof(*digest->suspects),
	               dit_compare_ids);
	return r;
}

/* ---- a database's digest ---- */

/* The same order on each host: the larger one first. */
static int compare_subtrees(const void *a, const void *b)
{
	const struct subtree *x = a;
	const struct subtree *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
	                    : dit_compare_id_pairs(&x->sum, &y->sum);
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

		entry.norm_dn = DIT_SPAN("");
		r = subtree->id == 0 ? 0 : dit_diff_read(diff, side, subtree->id, &entry);
		subtree->dn =
			r < 0 ? NULL : strndup(entry.norm_dn.data, entry.norm_dn.len);
		r = r == 0 && subtree->dn == NULL ? -ENOMEM : r;
	}
	return r;
}

static int read_csns(struct dit_diff *diff, unsigned side, struct dit_diff_digest *digest)
{
	struct dit_entry_view entry = {.nattrs = 0};
	const struct dit_attr_view *csns = NULL;
	uint64_t top = diff->sides[side].top;
	int r = top == 0 ? 0 : dit_diff_read(diff, side, top, &entry);

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

/* @param other  has no buckets if there is none */
static int make_digest(struct dit_diff *diff, unsigned side,
                       const struct dit_diff_digest *other, struct dit_diff_digest *ret)
{
	struct dit_diff_side *it = &diff->sides[side];
	uint64_t nrecords = dit_entry_scan_nrecords(it->scan);
	int r = new_buckets(ret, other->nbuckets ?: choose_nbuckets(nrecords));

	r = r ?: add_entries(it, ret, other->buckets);
	r = r ?: name_subtrees(diff, side, ret);
	return r ?: read_csns(diff, side, ret);
}

/* ---- written, as JSON: doc/schemas/digest.schema.json ---- */

static json_t *subtree_json(const struct subtree *subtree)
{
	char text[DIT_DIGEST_TEXT_BYTES];

	dit_sum128_text(&subtree->sum, text);
	return json_pack("{s:s, s:I, s:s}", "dn", subtree->dn, "entries",
	                 (json_int_t)subtree->n, "digest", text);
}

static json_t *bucket_json(const struct bucket *bucket)
{
	char sum[FIGURE_DIGITS + 1];
	char mixed[FIGURE_DIGITS + 1];

	(void)snprintf(sum, sizeof(sum), "%016" PRIx64, bucket->sum);
	(void)snprintf(mixed, sizeof(mixed), "%016" PRIx64, bucket->mixed);
	return json_pack("[I, s, s]", (json_int_t)bucket->n, sum, mixed);
}

static int write_json(const char *text, size_t len, void *ctx)
{
	struct dit_diff *diff = ctx;

	return dit_ldif_write_raw(&diff->text, (struct dit_span){text, len}) < 0 ? -1 : 0;
}

static int write_digest(struct dit_diff *diff, const struct dit_diff_digest *digest)
{
	char text[DIT_DIGEST_TEXT_BYTES];
	json_t *subtrees = json_array();
	json_t *buckets = json_array();
	json_t *json = NULL;
	int r = 0;

	for (size_t i = 0; i < digest->nsubtrees && r == 0; i++) {
		r = json_array_append_new(subtrees, subtree_json(&digest->subtrees[i]));
	}
	for (unsigned i = 0; i < digest->nbuckets && r == 0; i++) {
		r = json_array_append_new(buckets, bucket_json(&digest->buckets[i]));
	}
	dit_sum128_text(&digest->sum, text);
	json = json_pack("{s:i, s:s, s:s, s:I, s:s, s:O, s:o, s:o}", "format", 1,
	                 "program", "ditdiff", "version", dit_version(), "entries",
	                 (json_int_t)digest->nentries, "digest", text, "contextCSN",
	                 digest->csns, "subtrees", subtrees, "buckets", buckets);
	if (r < 0 || json == NULL) {
		json_decref(json);
		return dit_diff_fail(diff, DIT_E_INVALID, diff->sides[0].directory,
		                     "a name is no UTF-8, or there is no memory");
	}
	r = json_dump_callback(json, write_json, diff, JSON_INDENT(1)) < 0 ? -ENOMEM : 0;
	json_decref(json);
	return r ?: dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
}

/* ---- read ---- */

static bool read_hex(const char *text, uint64_t *ret)
{
	char digits[FIGURE_DIGITS + 1];
	char *end = NULL;

	(void)snprintf(digits, sizeof(digits), "%.*s", FIGURE_DIGITS, text);
	*ret = strtoull(digits, &end, 16);
	return end == digits + FIGURE_DIGITS;
}

static bool read_sum(const char *text, struct dit_sum128 *ret)
{
	return strlen(text) == DIT_DIGEST_TEXT_BYTES - 1 && read_hex(text, &ret->high) &&
	       read_hex(text + FIGURE_DIGITS, &ret->low);
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
		struct bucket *bucket = &ret->buckets[i];
		json_int_t nentries = 0;
		const char *sum = NULL;
		const char *mixed = NULL;

		if (json_unpack(json_array_get(list, i), "[I, s, s]", &nentries, &sum,
		                &mixed) < 0 ||
		    nentries < 0 || !read_hex(sum, &bucket->sum) ||
		    !read_hex(mixed, &bucket->mixed)) {
			return 0;
		}
		bucket->n = (uint64_t)nentries;
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
		struct subtree *subtree = &ret->subtrees[ret->nsubtrees++];
		json_int_t nentries = 0;
		const char *dn = NULL;
		const char *digest = NULL;

		if (json_unpack(json_array_get(list, i), "{s:s, s:I, s:s}", "dn", &dn,
		                "entries", &nentries, "digest", &digest) < 0 ||
		    nentries < 0 || !read_sum(digest, &subtree->sum)) {
			return 0;
		}
		subtree->n = (uint64_t)nentries;
		subtree->dn = strdup(dn);
		if (subtree->dn == NULL) {
			return -ENOMEM;
		}
	}
	return 1;
}

/* @param ret  to be released also after an error. 0; error, reported or -ENOMEM */
static int read_digest(struct dit_diff *diff, const char *path,
                       struct dit_diff_digest *ret)
{
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error);
	json_t *buckets = NULL;
	json_t *subtrees = NULL;
	json_int_t format = 0;
	json_int_t nentries = 0;
	const char *digest = NULL;
	int r = 0;

	if (json == NULL) {
		return dit_diff_fail(diff, DIT_E_INVALID, path, error.text);
	}
	r = json_unpack(json, "{s:I, s:I, s:s, s:O, s:o, s:o}", "format", &format,
	                "entries", &nentries, "digest", &digest, "contextCSN", &ret->csns,
	                "buckets", &buckets, "subtrees", &subtrees) == 0 &&
	    format == 1 && nentries >= 0 && read_sum(digest, &ret->sum) &&
	    json_is_array(ret->csns);
	ret->nentries = (uint64_t)nentries;
	r = r <= 0 ? r : read_buckets(buckets, ret);
	r = r <= 0 ? r : read_subtrees(subtrees, ret);
	json_decref(json);
	return r != 0 ? (r < 0 ? r : 0)
	              : dit_diff_fail(diff, DIT_E_INVALID, path,
	                              "this is no digest that ditdiff has written");
}

/* ---- two digests: lines ---- */

/* Is a byte part of a control character? Those of C1 have two bytes in UTF-8. */
static bool is_control(struct dit_span text, size_t i)
{
	const unsigned char *bytes = (const unsigned char *)text.data;
	size_t lead = i - (i > 0 && bytes[i - 1] == 0xc2);

	return bytes[i] < 0x20 || bytes[i] == 0x7f ||
	       (bytes[lead] == 0xc2 && lead + 1 < text.len && bytes[lead + 1] < 0xa0);
}

/* A name may have control characters: \0A, as DNs have them. @param name  the end of the
 * line */
__attribute__((format(printf, 3, 4))) static int write_line(struct dit_diff *diff,
                                                            struct dit_span name,
                                                            const char *format, ...)
{
	char *text = NULL;
	char hex[4];
	va_list args;
	int r = 0;

	va_start(args, format);
	r = vasprintf(&text, format, args);
	va_end(args);
	if (r < 0) {
		return -ENOMEM;
	}
	r = dit_ldif_write_raw(&diff->text, dit_span_of(text));
	free(text);
	for (size_t i = 0; i < name.len && r == 0; i++) {
		struct dit_span byte = {&name.data[i], 1};

		if (is_control(name, i)) {
			(void)snprintf(hex, sizeof(hex), "\\%02X", *byte.data & 0xffu);
			byte = dit_span_of(hex);
		}
		r = dit_ldif_write_raw(&diff->text, byte);
	}
	return r ?: dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
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
	if (first != NULL && second != NULL &&
	    dit_compare_id_pairs(&first->sum, &second->sum) == 0) {
		return 0;
	}
	diff->stats.nsubtrees++;
	return write_line(diff, dit_span_of(first == NULL ? second->dn : first->dn),
	                  "subtree\t%lu\t%lu\t", first == NULL ? 0 : first->n,
	                  second == NULL ? 0 : second->n);
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
				r = write_line(diff, dit_span_of(json_string_value(csn)),
				               "contextCSN\t%s\t",
				               side == 0 ? "first" : "second");
			}
		}
	}
	return r;
}

/* ---- entries that differ ---- */

static int write_suspects(struct dit_diff *diff, unsigned side,
                          const struct dit_diff_digest *digest)
{
	struct dit_entry_view entry;
	int r = 0;

	diff->stats.nnamed += digest->nsuspects;
	for (size_t i = 0; i < digest->nsuspects && i < NAMES_MAX && r == 0; i++) {
		const struct suspect *suspect = &digest->suspects[i];

		r = dit_diff_read(diff, side, suspect->id, &entry);
		r = r
		            ?: write_line(diff, entry.dn, "%s\t",
		                          suspect->is_found ? "entry" : "perhaps");
	}
	return r;
}

static int write_missing(struct dit_diff *diff, const struct dit_diff_digest *digest,
                         const struct dit_diff_digest *more)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < digest->nbuckets; i++) {
		uint64_t own = digest->buckets[i].n;
		uint64_t other = more->buckets[i].n;

		n += other > own ? other - own : 0;
	}
	diff->stats.nmissing = n;
	return n == 0 ? 0 : write_line(diff, DIT_SPAN(""), "missing\t%lu", n);
}

static int compare(struct dit_diff *diff, struct dit_diff_digest digests[2])
{
	bool are_same = digests[0].nentries == digests[1].nentries &&
	                dit_compare_id_pairs(&digests[0].sum, &digests[1].sum) == 0;
	unsigned nbuckets = digests[0].nbuckets < digests[1].nbuckets
	                            ? digests[0].nbuckets
	                            : digests[1].nbuckets;
	int r = 0;

	diff->stats.differs = !are_same;
	r = write_line(diff, DIT_SPAN(""), "%s\t%lu\t%lu",
	               are_same ? "equal" : "different", digests[0].nentries,
	               digests[1].nentries);
	r = r ?: write_csns(diff, digests);
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
			r = write_suspects(diff, side, &digests[side]);
			r = r ?: write_missing(diff, &digests[side], &digests[1 - side]);
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
			r = make_digest(diff, side, &digests[1 - side], &digests[side]);
		}
		diff->stats.nentries[side] = digests[side].nentries;
	}
	r = r
	            ?: diff->opts.digest ? write_digest(diff, &digests[0])
	                                 : compare(diff, digests);
	return r ?: dit_diff_flush(diff);
}

void dit_diff_free_digests(struct dit_diff *diff)
{
	for (unsigned side = 0; diff->digests != NULL && side < 2; side++) {
		struct dit_diff_digest *digest = &diff->digests[side];

		for (size_t i = 0; i < digest->nsubtrees; i++) {
			free(digest->subtrees[i].dn);
		}
		free(digest->subtrees);
		free(digest->buckets);
		free(digest->suspects);
		dit_diff_map_deinit(&digest->by_id);
		json_decref(digest->csns);
	}
	free(diff->digests);
}
