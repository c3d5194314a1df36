/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/entry_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/object.h"
#include "codec/entry_codec.h"
#include "codec/split_codec.h"
#include "reader/dn_reader.h"

#define ARENA_BYTES  (64u << 10)
#define REASON_MAX   80
#define FIRST_VALUES 1024 /* of a split attribute that have room at once */

struct dit_entry_reader {
	const struct dit_ad_names *names;
	struct dit_dn_reader *dns;       /* NULL: without_dn */
	struct dit_tree_cursor *entries; /* id2e */
	struct dit_tree_cursor *splits;  /* id2v */
	struct dit_arena arena;          /* of the entry that is shown */
	char reason[REASON_MAX];
};

int dit_entry_reader_new(struct dit_entry_reader **ret,
                         const struct dit_entry_reader_opts *opts)
{
	struct dit_entry_reader *reader = calloc(1, sizeof(*reader));
	int r = 0;

	if (reader == NULL) {
		return -ENOMEM;
	}
	reader->names = opts->names;
	dit_arena_init(&reader->arena, ARENA_BYTES);
	r = dit_snapshot_cursor_open(&reader->entries, opts->snapshot, opts->reader,
	                             "id2e");
	if (r == 0) {
		r = dit_snapshot_cursor_open(&reader->splits, opts->snapshot,
		                             opts->reader, "id2v");
	}
	if (r == 0 && !opts->without_dn) {
		r = dit_dn_reader_new(&reader->dns, opts->snapshot, opts->reader);
	}
	return DIT_HAND_OVER(r, ret, reader, dit_entry_reader_free);
}

void dit_entry_reader_free(struct dit_entry_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	dit_tree_cursor_close(reader->entries);
	dit_tree_cursor_close(reader->splits);
	dit_dn_reader_free(reader->dns);
	dit_arena_deinit(&reader->arena);
	free(reader);
}

/* ---- attributes ---- */

/** Values of a split attribute, as far as they are read. */
struct joined {
	struct dit_span *values;
	struct dit_span *normal;
	uint32_t n;
	size_t size;
};

/* An entry's own count is no reason to take memory: it may be forged. */
static int join_value(struct joined *joined, struct dit_arena *arena,
                      const struct dit_stored_attr *stored, struct dit_span record)
{
	size_t size = joined->size;
	size_t first = stored->nvalues < FIRST_VALUES ? stored->nvalues : FIRST_VALUES;
	int r = joined->n == stored->nvalues ? DIT_E_UNKNOWN : 0;

	if (r == 0 && joined->n == size) {
		r = DIT_ARENA_DOUBLE(arena, joined->normal, joined->n, size, first);
		r = r
		            ?: DIT_ARENA_DOUBLE(arena, joined->values, joined->n,
		                                joined->size, first);
	}
	if (r == 0) {
		r = dit_split_decode(record, stored->has_normal,
		                     &joined->values[joined->n],
		                     &joined->normal[joined->n]);
	}
	joined->n++;
	return r;
}

/* The values are shown when the cursor has moved. */
static int keep_record(struct dit_entry_reader *reader, struct dit_span *record)
{
	if (!dit_tree_cursor_is_mapped(reader->splits)) {
		*record = dit_arena_copy(&reader->arena, *record);
	}
	return record->data == NULL ? -ENOMEM : 0;
}

/*
 * Equal values were counted but are stored once (split_codec.h), and slapd loses all of
 * a new attribute (storage.md 2): so there may be fewer than the entry says, never more.
 *
 * @return 0; DIT_E_UNKNOWN: there are more; DIT_E_CORRUPT; LMDB's codes; -ENOMEM
 */
static int join_values(struct dit_entry_reader *reader, uint64_t id,
                       const struct dit_stored_attr *stored, struct dit_attr_view *attr)
{
	static const struct dit_span nothing = {"", 0};
	struct dit_split_key key;
	struct dit_span wanted =
		dit_split_key_make(&key, id, (uint16_t)stored->ad_number);
	struct dit_span found;
	struct dit_span record;
	struct joined joined = {.n = 0};
	int r = 0;

	r = dit_tree_cursor_find(reader->splits, wanted, &found, &record);
	while (r > 0 && dit_span_eq(found, wanted)) {
		r = keep_record(reader, &record);
		r = r ?: join_value(&joined, &reader->arena, stored, record);
		r = r ?: dit_tree_cursor_next(reader->splits, &found, &record);
	}
	if (r < 0) {
		return r;
	}
	attr->nvalues = joined.n;
	attr->values = joined.n == 0 ? &nothing : joined.values;
	attr->normal = !stored->has_normal ? NULL
	               : joined.n == 0     ? &nothing
	                                   : joined.normal;
	return 0;
}

/* Equal values are found when some are in order already: hence the copies. */
static int sort_values(struct dit_entry_reader *reader, struct dit_attr_view *attr)
{
	struct dit_attr sorted = dit_attr_of_view(attr);
	uint32_t twice = 0;
	int r = dit_attr_copy_lists(&sorted, &reader->arena, attr->nvalues);

	r = r ?: dit_attr_sort(&sorted, &reader->arena, &twice);
	if (r == 0 && twice == DIT_VALUES_UNIQUE) {
		attr->values = sorted.values;
		attr->normal = sorted.normal;
		attr->is_sorted = true;
	}
	return r;
}

/* 0; DIT_E_UNKNOWN or DIT_E_CORRUPT with a reason; or an error of reading. */
static int show_attr(struct dit_entry_reader *reader, uint64_t id,
                     const struct dit_stored_attr *stored, struct dit_attr_view *ret)
{
	const struct dit_ad_name *name =
		dit_ad_names_get(reader->names, stored->ad_number);
	int r = 0;

	if (name == NULL) {
		(void)snprintf(reader->reason, sizeof(reader->reason),
		               dit_ad_names_is_forged(reader->names, stored->ad_number)
		                       ? "number %u in ad2i is no attribute description"
		                       : "no attribute description has the number %u",
		               stored->ad_number);
		return DIT_E_UNKNOWN;
	}
	*ret = (struct dit_attr_view){.number = stored->ad_number,
	                              .name = name->name,
	                              .ad = name->ad,
	                              .is_sorted = stored->is_sorted,
	                              .is_split = stored->is_split,
	                              .nvalues = stored->nvalues,
	                              .values = stored->values,
	                              .normal = stored->normal};
	if (stored->is_split) {
		r = join_values(reader, id, stored, ret);
	}
	if (r == 0 && name->is_sorted && !ret->is_sorted && ret->nvalues > 0) {
		r = sort_values(reader, ret);
	}
	if (r == DIT_E_UNKNOWN || r == DIT_E_CORRUPT) {
		(void)snprintf(
			reader->reason, sizeof(reader->reason),
			r == DIT_E_CORRUPT
				? "a value of attribute number %u in id2v "
				  "contradicts its format"
				: "id2v has more values than the entry of attribute "
				  "number %u",
			stored->ad_number);
	}
	return r;
}

static int show_attrs(struct dit_entry_reader *reader, struct dit_entry_view *view)
{
	const struct dit_ad_names *names = reader->names;
	const struct dit_unwanted_ads unwanted = {
		.is_unwanted = names->is_unwanted,
		.n = names->is_unwanted == NULL ? 0 : names->n};
	struct dit_stored_entry stored;
	struct dit_attr_view *attrs = NULL;
	int r = dit_entry_decode_wanted(view->record, &unwanted, &reader->arena, &stored);

	if (r == DIT_E_CORRUPT) {
		(void)snprintf(reader->reason, sizeof(reader->reason),
		               "the record contradicts its format");
	}
	if (r < 0) {
		return r;
	}
	attrs = dit_arena_alloc(&reader->arena, stored.nattrs * sizeof(*attrs));
	if (attrs == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < stored.nattrs; i++) {
		r = show_attr(reader, view->id, &stored.attrs[i], &attrs[i]);
		if (r < 0) {
			return r;
		}
	}
	view->oc_flags = stored.oc_flags;
	view->nattrs = stored.nattrs;
	view->attrs = attrs;
	return 0;
}

/* ---- entries ---- */

/* The entry that stands on the root of an empty suffix has ID 0 and no node. */
static int show_names(struct dit_entry_reader *reader, struct dit_entry_view *view)
{
	struct dit_dn_text dn;
	int r = 0;

	if (reader->dns == NULL || view->id == 0) {
		return 0;
	}
	r = dit_dn_reader_get(reader->dns, view->id, &dn);
	if (r == 0) {
		view->parent = dn.parent;
		view->dn = dn.pretty;
		view->norm_dn = dn.norm;
	}
	return r;
}

static bool is_of_content(int r)
{
	return r == DIT_E_UNKNOWN || r == DIT_E_CORRUPT || r == DIT_E_TOOLONG;
}

int dit_entry_reader_show(struct dit_entry_reader *reader, uint64_t id,
                          struct dit_span record, struct dit_entry_view *ret)
{
	struct dit_entry_view view = {.id = id,
	                              .record = record,
	                              .is_hole = record.len == 0,
	                              .reason = reader->reason};
	int r = 0;

	dit_arena_reset(&reader->arena);
	reader->reason[0] = '\0';
	view.name_error = show_names(reader, &view);
	if (view.name_error < 0 && !is_of_content(view.name_error)) {
		return view.name_error;
	}
	r = view.is_hole ? 0 : show_attrs(reader, &view);
	if (r < 0 && !is_of_content(r)) {
		return r;
	}
	view.record_error = r;
	*ret = view;
	return 0;
}

/* @param found  1: there is one */
static int show_found(struct dit_entry_reader *reader, int found, struct dit_span key,
                      struct dit_span record, struct dit_entry_view *ret)
{
	uint64_t id = 0;
	int r = 0;

	if (found <= 0) {
		return found;
	}
	if (key.len != sizeof(id)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&id, key.data, sizeof(id));
	r = dit_entry_reader_show(reader, id, record, ret);
	return r < 0 ? r : 1;
}

void dit_entry_reader_restart(struct dit_entry_reader *reader)
{
	if (reader->dns != NULL) {
		dit_dn_reader_restart(reader->dns);
	}
}

int dit_entry_reader_seek(struct dit_entry_reader *reader, uint64_t least,
                          struct dit_entry_view *ret)
{
	struct dit_span key;
	struct dit_span record;
	const struct dit_span wanted = {(const char *)&least, sizeof(least)};
	int found = dit_tree_cursor_seek(reader->entries, wanted, &key, &record);

	return show_found(reader, found, key, record, ret);
}

int dit_entry_reader_next(struct dit_entry_reader *reader, struct dit_entry_view *ret)
{
	struct dit_span key;
	struct dit_span record;
	int found = dit_tree_cursor_next(reader->entries, &key, &record);

	return show_found(reader, found, key, record, ret);
}
