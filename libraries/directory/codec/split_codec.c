/* SPDX-License-Identifier: BSD-2-Clause */
/* Values stored apart; the layout is in the header. */
#include "codec/split_codec.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/ids.h"
#include "values/value_order.h"

struct dit_span dit_split_key_make(struct dit_split_key *key, uint64_t id, uint16_t ad)
{
	memcpy(key->bytes, &id, sizeof(id));
	memcpy(key->bytes + sizeof(id), &ad, sizeof(ad));
	return (struct dit_span){key->bytes, sizeof(key->bytes)};
}

int dit_split_key_compare(struct dit_span a, struct dit_span b)
{
	uint64_t ids[2] = {dit_id_at(a, 0), dit_id_at(b, 0)};
	uint16_t ads[2];

	memcpy(&ads[0], a.data + sizeof(ids[0]), sizeof(ads[0]));
	memcpy(&ads[1], b.data + sizeof(ids[1]), sizeof(ads[1]));
	return DIT_ORDER_OF(ids[0], ids[1]) ?: DIT_ORDER_OF(ads[0], ads[1]);
}

/* A value on its way to its place. */
struct candidate {
	struct dit_span key; /* what it is ordered by */
	struct dit_span value;
	bool has_normal; /* the key is a normal form */
	uint32_t index;  /* in the order given */
	dit_value_order_fn order;
};

static int compare(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	return a->order(a->key, b->key) ?: DIT_ORDER_OF(a->index, b->index);
}

static size_t record_len(const struct candidate *value)
{
	return value->key.len + 1 + sizeof(uint16_t) +
	       (value->has_normal ? value->value.len + 1 : 0);
}

bool dit_split_fits(const struct dit_split_rules *rules, const struct dit_attr *attr)
{
	for (uint32_t i = 0; dit_split_applies(rules, attr) && i < attr->nvalues; i++) {
		struct candidate value = {.key = dit_attr_keys(attr)[i],
		                          .value = attr->values[i],
		                          .has_normal = attr->normal != NULL};

		if (record_len(&value) > rules->record_max) {
			return false;
		}
	}
	return true;
}

static int encode(const struct candidate *value, struct dit_arena *arena,
                  struct dit_span *ret)
{
	uint16_t value_len = value->has_normal ? (uint16_t)value->value.len : 0;
	char *out = dit_arena_bytes(arena, record_len(value));

	if (out == NULL) {
		return -ENOMEM;
	}
	*ret = (struct dit_span){out, record_len(value)};
	out = dit_span_put(out, value->key);
	*out++ = '\0';
	if (value->has_normal) {
		out = dit_span_put(out, value->value);
		*out++ = '\0';
	}
	memcpy(out, &value_len, sizeof(value_len));
	return 0;
}

/* The block of @p ad among the first @p n ones that the rules apply to, or NULL. */
static struct dit_attr *find_block(const struct dit_entry *entry, uint32_t n,
                                   const struct dit_split_rules *rules,
                                   const struct dit_ad *ad)
{
	for (uint32_t i = 0; i < n; i++) {
		struct dit_attr *attr = &entry->attrs[i];

		if (attr->ad == ad && dit_split_applies(rules, attr)) {
			return attr;
		}
	}
	return NULL;
}

/* Blocks of one description have normal forms all or none. */
static int append_block(struct dit_attr *attr, const struct dit_attr *more,
                        struct dit_arena *arena)
{
	size_t more_bytes = more->nvalues * sizeof(*more->values);
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = dit_attr_copy_lists(attr, arena, (size_t)attr->nvalues + more->nvalues);

	if (r < 0) {
		return r;
	}
	memcpy(attr->values + attr->nvalues, more->values, more_bytes);
	if (attr->normal != NULL) {
		memcpy(attr->normal + attr->nvalues, more->normal, more_bytes);
	}
	attr->nvalues += more->nvalues;
	if (attr->is_sorted) {
		r = dit_attr_sort(attr, arena, &twice);
		attr->is_sorted = twice == DIT_VALUES_UNIQUE;
	}
	return r;
}

int dit_split_join(struct dit_entry *entry, const struct dit_split_rules *rules,
                   struct dit_arena *arena)
{
	uint32_t n = 0;
	int r = 0;

	for (uint32_t i = 0; rules != NULL && i < entry->nattrs && r == 0; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		struct dit_attr *block = dit_split_applies(rules, attr)
		                                 ? find_block(entry, n, rules, attr->ad)
		                                 : NULL;

		if (block != NULL) {
			r = append_block(block, attr, arena);
		} else {
			entry->attrs[n++] = *attr;
		}
	}
	entry->nattrs = rules != NULL && r == 0 ? n : entry->nattrs;
	return r;
}

static void list_values(const struct dit_attr *attr, struct candidate *list)
{
	dit_value_order_fn order = dit_value_order(attr->ad->type);

	for (uint32_t i = 0; i < attr->nvalues; i++) {
		list[i] = (struct candidate){.key = dit_attr_keys(attr)[i],
		                             .value = attr->values[i],
		                             .has_normal = attr->normal != NULL,
		                             .index = i,
		                             .order = order};
	}
}

/* Is @p a replaced by the value after it? */
static bool is_replaced(const struct candidate *a, const struct candidate *next)
{
	/* To slapd, who takes its record for one without normal form, it is no value's
	 * equal, not even its own. */
	bool is_nothing = a->has_normal && a->key.len == 0 && a->value.len == 0;

	return !is_nothing && a->order(a->key, next->key) == 0;
}

static int encode_split(const struct candidate *list, uint32_t n, size_t record_max,
                        struct dit_arena *arena, struct dit_split *split,
                        bool *ret_too_long)
{
	split->records = dit_arena_alloc(arena, n * sizeof(*split->records));
	if (split->records == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		int r = 0;

		if (record_len(&list[i]) > record_max) {
			*ret_too_long = true;
			return 0;
		}
		if (i + 1 < n && is_replaced(&list[i], &list[i + 1])) {
			continue;
		}
		r = encode(&list[i], arena, &split->records[split->nrecords]);
		if (r < 0) {
			return r;
		}
		split->nrecords++;
	}
	return 0;
}

int dit_split_encode(const struct dit_entry *entry, const struct dit_split_rules *rules,
                     struct dit_arena *arena, struct dit_splits *ret)
{
	struct dit_splits splits = {0};
	uint32_t nattrs = 0;
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		nattrs += dit_split_applies(rules, &entry->attrs[i]);
	}
	if (nattrs > 0) {
		splits.list = dit_arena_alloc(arena, nattrs * sizeof(*splits.list));
		r = splits.list == NULL ? -ENOMEM : 0;
	}
	for (uint32_t i = 0; splits.n < nattrs && r == 0; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		struct candidate *list = NULL;

		if (!dit_split_applies(rules, attr)) {
			continue;
		}
		list = dit_arena_alloc(arena, attr->nvalues * sizeof(*list));
		if (list == NULL) {
			return -ENOMEM;
		}
		list_values(attr, list);
		qsort(list, attr->nvalues, sizeof(*list), compare);
		splits.list[splits.n] = (struct dit_split){.ad = attr->ad};
		r = encode_split(list, attr->nvalues, rules->record_max, arena,
		                 &splits.list[splits.n++], &splits.is_too_long);
	}
	if (r == 0) {
		*ret = splits;
	}
	return r;
}

int dit_split_decode(struct dit_span record, bool has_normal, struct dit_span *ret_value,
                     struct dit_span *ret_normal)
{
	uint16_t value_len = 0;
	size_t len = 0; /* without the length at the end */

	if (record.len < sizeof(value_len) + 1) {
		return DIT_E_CORRUPT;
	}
	len = record.len - sizeof(value_len);
	memcpy(&value_len, record.data + len, sizeof(value_len));
	if (record.data[len - 1] != '\0') {
		return DIT_E_CORRUPT;
	}
	if (!has_normal) {
		if (value_len != 0) {
			return DIT_E_CORRUPT;
		}
		*ret_value = (struct dit_span){record.data, len - 1};
		return 0;
	}
	/* Normal form, NUL, value, NUL. */
	if ((size_t)value_len + 2 > len || record.data[len - value_len - 2] != '\0') {
		return DIT_E_CORRUPT;
	}
	*ret_value = (struct dit_span){record.data + len - value_len - 1, value_len};
	*ret_normal = (struct dit_span){record.data, len - value_len - 2};
	return 0;
}
