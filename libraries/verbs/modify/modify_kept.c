/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changed entries in memory. A record changes a few attributes, so these alone are kept.
 * The others are read again from the snapshot when the entry is changed again, and when
 * it is written.
 */
#include <errno.h>

#include "base/error.h"
#include "codec/entry_codec.h"
#include "modify/modify_impl.h"

#define MANY_VALUES 100u /* of a large entry */

/* ---- copies ---- */

static int copy_bytes(struct dit_arena *arena, struct dit_attr *attr)
{
	struct dit_span *const lists[] = {attr->values, attr->normal};

	for (size_t i = 0; i < 2 && lists[i] != NULL; i++) {
		for (uint32_t k = 0; k < attr->nvalues; k++) {
			lists[i][k] = dit_arena_copy(arena, lists[i][k]);
			if (lists[i][k].data == NULL) {
				return -ENOMEM;
			}
		}
	}
	return 0;
}

int dit_modify_own(struct modifier *modifier, struct dit_attr *attr, size_t room,
                   bool is_new)
{
	int r = dit_attr_copy_lists(attr, &modifier->kept, room);

	return r < 0 || (!is_new && modifier->seal == NULL && !attr->is_split)
	               ? r
	               : copy_bytes(&modifier->kept, attr);
}

/* ---- entries ---- */

bool dit_modify_is_apart(const struct modifier *modifier, const struct dit_attr *attr)
{
	return dit_split_applies(modifier->split_rules, attr) &&
	       (!modifier->opts->is_exact || dit_split_fits(modifier->split_rules, attr));
}

void dit_modify_compose(const struct modify_entry *entry, const struct dit_attr *stored,
                        struct dit_entry *ret)
{
	const struct dit_attr *own = entry->own;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		uint32_t place = entry->places[i];

		ret->attrs[i] = place == MODIFY_OWN ? *own++ : stored[place];
	}
	ret->nattrs = entry->nattrs;
	ret->oc_flags = entry->oc_flags;
}

static int read_stored(struct modify_edit *edit)
{
	struct dit_entry_view view;
	int r = dit_entry_reader_seek(edit->modifier->entries, edit->node->id, &view);

	if (r <= 0 || view.id != edit->node->id || view.is_hole) {
		return r < 0 ? r : 0;
	}
	if (view.record_error != 0) {
		return DIT_E_CORRUPT;
	}
	edit->stored = dit_arena_alloc(&edit->modifier->scratch,
	                               (view.nattrs + 1) * sizeof(*edit->stored));
	if (edit->stored == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < view.nattrs; i++) {
		if (view.attrs[i].ad == NULL) {
			edit->unknown = view.attrs[i].name;
			return DIT_E_UNSUPPORTED;
		}
		edit->stored[i] = dit_attr_of_view(&view.attrs[i]);
	}
	edit->nstored = view.nattrs;
	edit->entry = (struct dit_entry){.attrs = edit->stored,
	                                 .nattrs = view.nattrs,
	                                 .attrs_size = view.nattrs + 1,
	                                 .oc_flags = view.oc_flags};
	return 1;
}

int dit_modify_read(struct modify_edit *edit)
{
	const struct modify_entry *entry = edit->node->entry;
	int r = entry == NULL || entry->nown < entry->nattrs ? read_stored(edit) : 1;

	if (r <= 0 || entry == NULL) {
		return r;
	}
	edit->entry.attrs =
		dit_arena_alloc(&edit->modifier->scratch,
	                        (entry->nattrs + 1) * sizeof(*edit->entry.attrs));
	if (edit->entry.attrs == NULL) {
		return -ENOMEM;
	}
	edit->entry.attrs_size = entry->nattrs + 1;
	dit_modify_compose(entry, edit->stored, &edit->entry);
	return 1;
}

/* The number of a stored attribute, after another one. MODIFY_OWN: it is not as stored */
static uint32_t place_of(const struct modify_edit *edit, uint32_t first,
                         const struct dit_attr *attr)
{
	uint32_t i = first;

	while (i < edit->nstored && (edit->stored[i].values != attr->values ||
	                             edit->stored[i].ad != attr->ad)) {
		i++;
	}
	return i < edit->nstored ? i : MODIFY_OWN;
}

/* A large entry would be read again for each of its changes. */
static bool is_large(const struct modify_edit *edit)
{
	size_t n = 0;

	for (uint32_t i = 0; i < edit->nstored; i++) {
		n += edit->stored[i].nvalues;
	}
	return n > MANY_VALUES;
}

int dit_modify_keep_edited(struct modify_edit *edit)
{
	struct modifier *modifier = edit->modifier;
	const struct dit_entry *edited = &edit->entry;
	struct dit_arena *arena = &modifier->kept;
	struct modify_entry *entry =
		edit->node->entry ?: dit_arena_calloc(arena, 1, sizeof(*entry));
	bool is_whole = is_large(edit);
	uint32_t number = 0;
	uint32_t next = 0;
	uint32_t nown = 0;
	int r = entry == NULL ? -ENOMEM : 0;

	while (r == 0 && entry->places_size < edited->nattrs) {
		r = DIT_ARENA_DOUBLE(arena, entry->places, 0, entry->places_size,
		                     edited->nattrs);
	}
	for (uint32_t i = 0; r == 0 && i < edited->nattrs; i++) {
		struct dit_attr *attr = &edited->attrs[i];
		uint32_t place = place_of(edit, next, attr);

		next = place == MODIFY_OWN ? next : place + 1;
		if (is_whole && place != MODIFY_OWN) {
			r = dit_modify_own(modifier, attr, attr->nvalues, false);
			place = MODIFY_OWN;
		}
		entry->places[i] = place;
		nown += place == MODIFY_OWN;
	}
	while (r == 0 && entry->own_size < nown) {
		r = DIT_ARENA_DOUBLE(arena, entry->own, 0, entry->own_size, nown);
	}
	if (r < 0) {
		return r;
	}
	edit->node->entry = entry;
	entry->nattrs = edited->nattrs;
	entry->nown = 0;
	entry->oc_flags = edited->oc_flags;
	for (uint32_t i = 0; r == 0 && i < edited->nattrs; i++) {
		r = dit_ad_number(&modifier->numbers, edited->attrs[i].ad, &number);
		if (entry->places[i] == MODIFY_OWN) {
			entry->own[entry->nown++] = edited->attrs[i];
		}
	}
	return r;
}

int dit_modify_keep(struct modify_edit *edit)
{
	struct modifier *modifier = edit->modifier;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = dit_entry_grow(&edit->entry, &modifier->scratch);

	for (uint32_t i = 0; r == 0 && i < edit->entry.nattrs; i++) {
		struct dit_attr *attr = &edit->entry.attrs[i];

		r = dit_modify_own(modifier, attr, attr->nvalues, true);
		attr->is_split = dit_modify_is_apart(modifier, attr);
		if (r == 0 && attr->is_split) {
			r = dit_attr_sort(attr, &modifier->scratch, &twice);
		}
	}
	return r ?: dit_modify_keep_edited(edit);
}
