/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each value of a sample of entries makes its keys. If one of them is the key of a list
 * without a value, the lists get their values: the key of presence, keys of pieces at the
 * beginning, in the middle or at the end of the value, then keys of the whole value. The
 * first one stays.
 *
 *   index cn pres,eq,sub; cn: smith    *   smith   sm*   *mith*   *ith
 */
#include "check/check_use.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/object.h"
#include "indexing/stored_keys.h"

/* More of a value is not shown. */
#define SHOWN_MAX 60

struct dit_check_values {
	struct dit_check_sizes *sizes;
	struct dit_index_set *indexes;
	const struct dit_schema *schema;
	const struct dit_index_params *params;
	struct dit_stored_keys *keys;
	/* The value at work. */
	const struct dit_ad *ad;
	struct dit_span normal;
	bool is_named;  /* the keys that come get the text; else they are looked at */
	bool is_wanted; /* one of these is the key of a list without a value */
	char text[SHOWN_MAX + 8];
};

static int take_key(void *ctx, unsigned db, struct dit_span key)
{
	struct dit_check_values *values = ctx;
	const char *name = dit_index_set_db(values->indexes, db)->name;
	struct dit_check_list *list = dit_check_sizes_list(values->sizes, name, key);

	values->is_wanted |= list != NULL;
	if (list == NULL || !values->is_named) {
		return 0;
	}
	list->value = strdup(values->text);
	return list->value == NULL ? -ENOMEM : 0;
}

/* Give the keys of a clue their text: the piece between two others. */
static int name_clue(struct dit_check_values *values, enum dit_index_clue clue,
                     struct dit_span piece, const char *before, const char *after)
{
	(void)snprintf(values->text, sizeof(values->text), "%s%.*s%s", before,
	               DIT_SPAN_ARGS(piece), after);
	return dit_stored_keys_clue(values->keys, values->ad, clue, piece, take_key,
	                            values);
}

/* "*mith*", "sm*", "*ith": pieces of one length. */
static int name_pieces(struct dit_check_values *values, size_t len)
{
	struct dit_span normal = values->normal;
	int r = 0;

	for (size_t at = 0; at + len <= normal.len && r == 0; at++) {
		struct dit_span piece = {normal.data + at, len};

		/* The others have the keys of the middle, too. */
		if (len == values->params->substr_any_len) {
			r = name_clue(values, DIT_CLUE_MIDDLE, piece, "*", "*");
		}
		if (r == 0 && at == 0) {
			r = name_clue(values, DIT_CLUE_INITIAL, piece, "", "*");
		}
		if (r == 0 && at + len == normal.len) {
			r = name_clue(values, DIT_CLUE_FINAL, piece, "*", "");
		}
	}
	return r;
}

static int name_whole(struct dit_check_values *values, const struct dit_attr_view *attr,
                      struct dit_span normal)
{
	const struct dit_entry_view view = {.id = 1, .nattrs = 1, .attrs = attr};

	(void)snprintf(values->text, sizeof(values->text), "%.*s%s",
	               (int)(normal.len < SHOWN_MAX ? normal.len : SHOWN_MAX),
	               normal.data, normal.len > SHOWN_MAX ? "..." : "");
	return dit_stored_keys_spell(values->keys, &view, take_key, values);
}

/* An object class has the keys of those above it, so the highest one comes first. */
static int name_superclasses(struct dit_check_values *values,
                             const struct dit_class *class)
{
	int r = 0;

	for (size_t i = 0; class->sups != NULL && class->sups[i] != NULL && r == 0; i++) {
		struct dit_span name = dit_span_of(class->sups[i]->name);
		const struct dit_attr_view attr = {
			.ad = values->ad, .nvalues = 1, .values = &name};

		r = name_superclasses(values, class->sups[i]);
		r = r ?: name_whole(values, &attr, name);
	}
	return r;
}

static int name_lists(struct dit_check_values *values, const struct dit_attr_view *attr)
{
	const struct dit_class *class =
		values->ad->type->validator == DIT_VALID_CLASS_NAME
			? dit_schema_find_class(values->schema, values->normal)
			: NULL;
	size_t most = values->params->substr_any_len > values->params->substr_if_maxlen
	                      ? values->params->substr_any_len
	                      : values->params->substr_if_maxlen;
	int r = name_clue(values, DIT_CLUE_PRESENT, (struct dit_span){0}, "*", "");

	for (size_t len = values->params->substr_if_minlen;
	     len <= most && len < SHOWN_MAX && r == 0; len++) {
		r = name_pieces(values, len);
	}
	if (r == 0 && class != NULL) {
		r = name_superclasses(values, class);
	}
	return r < 0 ? r : name_whole(values, attr, values->normal);
}

int dit_check_values_want(void *ctx, const struct dit_ad *ad)
{
	const struct dit_check_values *values = ctx;

	return dit_stored_keys_want(values->keys, ad);
}

static int try_value(struct dit_check_values *values, const struct dit_attr_view *attr)
{
	const struct dit_entry_view view = {.id = 1, .nattrs = 1, .attrs = attr};
	int r = 0;

	values->ad = attr->ad;
	values->normal = attr->normal != NULL ? attr->normal[0] : attr->values[0];
	values->is_named = false;
	values->is_wanted = false;
	r = dit_stored_keys_spell(values->keys, &view, take_key, values);
	if (r < 0 || !values->is_wanted) {
		return r;
	}
	values->is_named = true;
	return name_lists(values, attr);
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
	int r = values == NULL ? -ENOMEM : 0;

	if (r == 0) {
		values->sizes = sizes;
		values->params = &settings->index;
		values->schema = settings->schema;
		r = dit_index_set_new(&values->indexes, settings, db->indexes,
		                      db->nindexes, true);
	}
	for (size_t i = 0; r == 0 && i < dit_index_set_ndbs(values->indexes); i++) {
		size_t key_len = 0;

		r = dit_stored_keys_fit(values->indexes, i, snapshot, &key_len);
		/* Keys of another format are found by none. */
		r = r > 0 || r == DIT_E_INVALID ? 0 : r;
	}
	r = r ?: dit_stored_keys_new(&values->keys, values->indexes);
	return DIT_HAND_OVER(r, ret, values, dit_check_values_free);
}

void dit_check_values_free(struct dit_check_values *values)
{
	if (values != NULL) {
		dit_stored_keys_free(values->keys);
		dit_index_set_free(values->indexes);
		free(values);
	}
}
