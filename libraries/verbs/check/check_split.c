/* SPDX-License-Identifier: BSD-2-Clause */
/* id2v checked: the values of each key next to the attribute that counts them. */
#include "check/check_content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "codec/entry_codec.h"
#include "values/value_order.h"

#define ARENA_BYTES (16u << 10)
#define KEY_BYTES   (sizeof(uint64_t) + sizeof(uint16_t))
#define NAME_SHOWN  200

/* The values under one key. */
struct group {
	char key[KEY_BYTES]; /* the ID and the number */
	bool has_begun;
	uint64_t id;
	uint16_t number;
	const struct dit_ad *ad; /* NULL: not in the schema */
	uint64_t nwanted;        /* that the entry counts; 0: it keeps none there */
	unsigned nparts;         /* of the entry that count them */
	bool has_normal;
	uint64_t n;
	bool has_before;
	size_t before_len; /* of what the value before this one is ordered by */
};

struct split_check {
	struct dit_check_content *content;
	const struct dit_ad_names *names;
	struct dit_tree_cursor *values;
	struct dit_tree_cursor *entries;
	struct dit_arena arena; /* of one entry */
	bool was_read;
	uint64_t entry_id;
	bool has_entry; /* of entry_id, and it can be read */
	struct dit_stored_entry entry;
	char *before; /* before_len bytes of the group at hand; owned */
	size_t before_size;
	char attribute[NAME_SHOWN];
};

/* ---- findings ---- */

static struct dit_check_finding place_of(struct split_check *check,
                                         const struct group *group)
{
	const struct dit_ad_name *name = dit_ad_names_get(check->names, group->number);
	struct dit_check_finding place =
		dit_check_entry_place(check->content, "id2v", group->id);

	if (name != NULL) {
		(void)snprintf(check->attribute, sizeof(check->attribute), "%.*s",
		               DIT_SPAN_ARGS(name->name));
		place.attribute = check->attribute;
	}
	return place;
}

#define FIND(check, group, kind, ...)                                                    \
 do {                                                                                    \
  const struct dit_check_finding place = place_of((check), (group));                     \
                                                                                         \
  dit_check_report((check)->content->findings, (kind), &place, __VA_ARGS__);             \
 } while (0)

/* ---- the entry of a key ---- */

static int read_entry(struct split_check *check, uint64_t id)
{
	struct dit_span wanted = {(const char *)&id, sizeof(id)};
	struct dit_span key;
	struct dit_span record;
	int r = dit_tree_cursor_find(check->entries, wanted, &key, &record);

	check->was_read = true;
	check->entry_id = id;
	check->has_entry = false;
	if (r <= 0) {
		return r;
	}
	dit_arena_reset(&check->arena);
	r = record.len == 0 ? DIT_E_CORRUPT
	                    : dit_entry_decode(record, &check->arena, &check->entry);
	check->has_entry = r == 0;
	return r == DIT_E_CORRUPT ? 0 : r;
}

/* An entry may have several blocks of one description; their values share a key. */
static void find_attribute(const struct split_check *check, struct group *group)
{
	for (uint32_t i = 0; check->has_entry && i < check->entry.nattrs; i++) {
		const struct dit_stored_attr *attr = &check->entry.attrs[i];

		if (attr->ad_number == group->number && attr->is_split) {
			group->nwanted += attr->nvalues;
			group->nparts++;
			group->has_normal = attr->has_normal;
		}
	}
}

static int begin_group(struct split_check *check, struct dit_span key,
                       struct group *group)
{
	const struct dit_ad_name *name = NULL;
	int r = 0;

	*group = (struct group){.has_begun = true};
	memcpy(group->key, key.data, KEY_BYTES);
	memcpy(&group->id, key.data, sizeof(group->id));
	memcpy(&group->number, key.data + sizeof(group->id), sizeof(group->number));
	if (!check->was_read || check->entry_id != group->id) {
		r = read_entry(check, group->id);
	}
	if (r < 0) {
		return r;
	}
	find_attribute(check, group);
	name = dit_ad_names_get(check->names, group->number);
	group->ad = name == NULL ? NULL : name->ad;
	if (group->nwanted == 0) {
		FIND(check, group, DIT_CHECK_SPLIT_SURPLUS, "%s",
		     !check->has_entry ? "there is no entry whose values these could be"
		     : group->number == 0
		             ? "slapd stored the values of an attribute that was new "
		               "under number 0, where no reader finds them"
		             : "the entry keeps no values of this attribute in id2v");
	}
	return 0;
}

/* Equal values are counted, and stored once (split_codec.h). */
static void end_group(struct split_check *check, const struct group *group)
{
	bool is_few = group->n < group->nwanted;

	if (group->nparts > 1) {
		FIND(check, group, DIT_CHECK_SPLIT_COUNT,
		     "the entry has the attribute in %u parts, id2v has %lu values for "
		     "each of them: slapd shows some twice and others never",
		     group->nparts, group->n);
	} else if (group->nwanted > 0 && group->n != group->nwanted) {
		FIND(check, group, is_few ? DIT_CHECK_SPLIT_FEW : DIT_CHECK_SPLIT_COUNT,
		     "the entry counts %lu value%s, id2v has %lu%s", group->nwanted,
		     group->nwanted == 1 ? "" : "s", group->n,
		     is_few ? ": equal ones were given, or some are lost" : "");
	}
}

/* ---- values ---- */

/* Empty values that have a normal form are all kept. */
static int check_order(struct split_check *check, struct group *group,
                       struct dit_span key)
{
	int order = 0;
	int r = DIT_GROW(check->before, check->before_size, key.len + 1);

	if (r < 0) {
		return r;
	}
	if (group->has_before && group->ad != NULL) {
		order = dit_value_order(group->ad->type)(
			(struct dit_span){check->before, group->before_len}, key);
	}
	if (order > 0 ||
	    (group->has_before && order == 0 && group->ad != NULL && key.len > 0)) {
		FIND(check, group, DIT_CHECK_SPLIT_ORDER,
		     "a value is not above the one before it");
	}
	group->has_before = true;
	group->before_len = key.len;
	memcpy(check->before, key.data, key.len);
	return 0;
}

static int check_value(struct split_check *check, struct group *group,
                       struct dit_span record)
{
	struct dit_span value;
	struct dit_span normal;

	group->n++;
	if (group->nwanted == 0) {
		return 0;
	}
	if (dit_split_decode(record, group->has_normal, &value, &normal) < 0) {
		FIND(check, group, DIT_CHECK_SPLIT_RECORD,
		     "a record contradicts its format");
		return 0;
	}
	return check_order(check, group, group->has_normal ? normal : value);
}

static int check_values(struct split_check *check)
{
	struct group group = {.n = 0};
	struct dit_span key;
	struct dit_span record;
	int r = 0;

	while (r == 0 && (r = dit_tree_cursor_next(check->values, &key, &record)) > 0) {
		r = dit_stop_is_set(check->content->stop) ? DIT_E_STOPPED : 0;
		if (r == 0 && key.len != KEY_BYTES) {
			return DIT_E_CORRUPT; /* the structure was checked before */
		}
		if (r == 0 &&
		    (!group.has_begun || memcmp(group.key, key.data, KEY_BYTES) != 0)) {
			end_group(check, &group);
			r = begin_group(check, key, &group);
		}
		r = r ?: check_value(check, &group, record);
	}
	if (r == 0) {
		end_group(check, &group);
	}
	return r;
}

int dit_check_split(struct dit_check_content *content)
{
	struct split_check check = {.content = content,
	                            .names = dit_entry_scan_names(content->scan)};
	int r = dit_snapshot_cursor_open(&check.values, content->snapshot, 0, "id2v");

	dit_arena_init(&check.arena, ARENA_BYTES);
	r = r ?: dit_snapshot_cursor_open(&check.entries, content->snapshot, 0, "id2e");
	r = r ?: check_values(&check);
	dit_tree_cursor_close(check.values);
	dit_tree_cursor_close(check.entries);
	dit_arena_deinit(&check.arena);
	free(check.before);
	return r;
}
