/* SPDX-License-Identifier: BSD-2-Clause */
/* Digests as JSON: doc/schemas/digest.schema.json. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/version.h"
#include "diff/diff_digest.h"

#define FIGURE_DIGITS 17 /* a number of 64 bits, and NUL */

/* ---- written ---- */

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

int dit_digest_write(struct dit_diff *diff, const struct dit_diff_digest *digest)
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
	return r ?: dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
}

/* ---- read ---- */

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

	if (n == 0 || n > DIT_DIGEST_BUCKETS_MAX || (n & (n - 1)) != 0) {
		return 0;
	}
	if (dit_digest_new_buckets(ret, (unsigned)n) < 0) {
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

int dit_digest_read(struct dit_diff *diff, const char *path, struct dit_diff_digest *ret)
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
