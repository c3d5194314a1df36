/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each value of a sample of entries makes its keys. One that is the key of a list without
 * a value is looked at closely: the key of presence, of a piece at the beginning, in the
 * middle or at the end of the value, else of the whole value.
 *
 *   index cn pres,eq,sub; cn: smith    *   smith   sm*   *mith*   *ith
 */
#include "check/check_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "build/stored_keys.h"

/* More of a value is not shown. */
#define SHOWN_MAX 60

/* A value has so few of the longest lists; others come with another entry. */
#define HITS_MAX 16

struct hit {
	unsigned db;
	size_t key_len;
	char key[DIT_KEY_MAX];
};

struct dit_check_values {
	struct dit_check_sizes *sizes;
	struct dit_index_set *indexes;
	const struct dit_schema *schema;
	const struct dit_index_params *params;
	struct dit_stored_keys *keys;
	/* The value at work. */
	const struct dit_ad *ad;
	struct dit_span normal;
	struct hit hits[HITS_MAX];
	size_t nhits;
	const struct hit *wanted; /* the key that a piece is looked for; NULL: all keys */
	bool is_found;
};

/* The keys belong to the work of the index set, so a hit is looked at later. */
static int take_key(void *ctx, unsigned db, struct dit_span key)
{
	struct dit_check_values *values = ctx;
	const char *name = dit_index_set_db(values->indexes, db)->name;

	if (values->wanted != NULL) {
		values->is_found |= values->wanted->db == db &&
		                    values->wanted->key_len == key.len &&
		                    memcmp(values->wanted->key, key.data, key.len) == 0;
	} else if (values->nhits < HITS_MAX && key.len <= DIT_KEY_MAX &&
	           dit_check_sizes_wants(values->sizes, name, key)) {
		struct hit *hit = &values->hits[values->nhits++];

		hit->db = db;
		hit->key_len = key.len;
		memcpy(hit->key, key.data, key.len);
	}
	return 0;
}

/* Does this clue have the key that is wanted? 1; 0; -ENOMEM */
static int has_clue(struct dit_check_values *values, enum dit_index_clue clue,
                    struct dit_span piece)
{
	int r = dit_stored_keys_clue(values->keys, values->ad, clue, piece, take_key,
	                             values);

	return r < 0 ? r : values->is_found;
}

/* "sm*", "*mith*", "*ith": the shortest piece of the value; "": none has the key. */
static int find_piece(struct dit_check_values *values, size_t len, char *ret, size_t size)
{
	struct dit_span normal = values->normal;
	int r = 0;

	for (size_t at = 0; at + len <= normal.len && r == 0; at++) {
		struct dit_span piece = {normal.data + at, len};
		const char *form = "*%.*s*";

		/* The others have the keys of the middle, too. */
		r = len == values->params->substr_any_len
		            ? has_clue(values, DIT_CLUE_MIDDLE, piece)
		            : 0;
		if (r == 0 && at == 0) {
			form = "%.*s*";
			r = has_clue(values, DIT_CLUE_INITIAL, piece);
		}
		if (r == 0 && at + len == normal.len) {
			form = "*%.*s";
			r = has_clue(values, DIT_CLUE_FINAL, piece);
		}
		if (r > 0) {
			(void)snprintf(ret, size, form, DIT_SPAN_ARGS(piece));
		}
	}
	return r;
}

/* Has this value the key that is wanted? 1; 0; -ENOMEM */
static int has_key(struct dit_check_values *values, struct dit_span value)
{
	const struct dit_attr_view attr = {
		.ad = values->ad, .nvalues = 1, .values = &value};
	const struct dit_entry_view view = {.id = 1, .nattrs = 1, .attrs = &attr};
	int r = 0;

	values->is_found = false;
	r = dit_stored_keys_spell(values->keys, &view, take_key, values);
	return r < 0 ? r : values->is_found;
}

/* An object class has the keys of those above it, so the highest one that has the key is
 * meant. */
static int find_class(struct dit_check_values *values)
{
	const struct dit_class *class =
		dit_schema_find_class(values->schema, values->normal);
	const struct dit_class *const *sup = class == NULL ? NULL : class->sups;
	int r = 0;

	while (sup != NULL && *sup != NULL && r >= 0) {
		struct dit_span name = dit_span_of((*sup)->name);

		r = has_key(values, name);
		if (r > 0) {
			values->normal = name;
			sup = (*sup)->sups;
		} else {
			sup++;
		}
	}
	return r < 0 ? r : 0;
}

static int describe(struct dit_check_values *values, char *ret, size_t size)
{
	struct dit_span normal = values->normal;
	size_t most = values->params->substr_any_len > values->params->substr_if_maxlen
	                      ? values->params->substr_any_len
	                      : values->params->substr_if_maxlen;
	int r = has_clue(values, DIT_CLUE_PRESENT, (struct dit_span){0});

	if (r > 0) {
		(void)snprintf(ret, size, "*");
	}
	for (size_t len = values->params->substr_if_minlen;
	     len <= most && len < SHOWN_MAX && r == 0; len++) {
		r = find_piece(values, len, ret, size);
	}
	if (r == 0 && values->ad->type->pretty == DIT_PRETTY_CLASS_NAME) {
		r = find_class(values);
		normal = values->normal;
	}
	if (r == 0) {
		(void)snprintf(ret, size, "%.*s%s",
		               (int)(normal.len < SHOWN_MAX ? normal.len : SHOWN_MAX),
		               normal.data, normal.len > SHOWN_MAX ? "..." : "");
	}
	return r < 0 ? r : 0;
}

int dit_check_values_want(struct dit_check_values *values, const struct dit_ad *ad)
{
	return dit_stored_keys_want(values->keys, ad);
}

static int try_value(struct dit_check_values *values, const struct dit_attr_view *attr)
{
	const struct dit_entry_view view = {.id = 1, .nattrs = 1, .attrs = attr};
	int r = 0;

	values->ad = attr->ad;
	values->nhits = 0;
	r = dit_stored_keys_spell(values->keys, &view, take_key, values);
	for (size_t i = 0; i < values->nhits && r == 0; i++) {
		const struct hit *hit = &values->hits[i];
		char text[SHOWN_MAX + 8];

		values->wanted = hit;
		values->is_found = false;
		values->normal = attr->normal != NULL ? attr->normal[0] : attr->values[0];
		r = describe(values, text, sizeof(text));
		values->wanted = NULL;
		if (r == 0) {
			r = dit_check_sizes_name(
				values->sizes,
				dit_index_set_db(values->indexes, hit->db)->name,
				(struct dit_span){hit->key, hit->key_len}, text);
		}
	}
	return r;
}

int dit_check_values_try(struct dit_check_values *values,
                         const struct dit_attr_view *attr)
{
	int r = 0;

	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		struct dit_attr_view one = *attr;

		one.nvalues = 1;
		one.values = &attr->values[i];
		one.normal = attr->normal == NULL ? NULL : &attr->normal[i];
		r = try_value(values, &one);
	}
	return r;
}

int dit_check_values_new(struct dit_check_values **ret, struct dit_check_sizes *sizes,
                         struct dit_snapshot *snapshot,
                         const struct dit_settings *settings,
                         const struct dit_database *db)
{
	struct dit_check_values *values = calloc(1, sizeof(*values));
	const struct dit_ad *culprit = NULL;
	int r = values == NULL ? -ENOMEM : 0;

	if (r == 0) {
		values->sizes = sizes;
		values->params = &settings->index;
		values->schema = settings->schema;
		r = dit_index_set_new(&values->indexes, settings->schema, db->indexes,
		                      db->nindexes, &settings->index, true, &culprit);
	}
	for (size_t i = 0; r == 0 && i < dit_index_set_ndbs(values->indexes); i++) {
		size_t key_len = 0;

		r = dit_stored_keys_fit(values->indexes, i, snapshot, &key_len);
		/* Keys of another format are found by none. */
		r = r > 0 || r == DIT_E_INVALID ? 0 : r;
	}
	if (r == 0) {
		r = dit_stored_keys_new(&values->keys, values->indexes);
	}
	if (r < 0) {
		dit_check_values_free(values);
		return r;
	}
	*ret = values;
	return 0;
}

void dit_check_values_free(struct dit_check_values *values)
{
	if (values != NULL) {
		dit_stored_keys_free(values->keys);
		dit_index_set_free(values->indexes);
		free(values);
	}
}
