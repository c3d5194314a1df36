/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modifications of one entry, in slapd's order and words (doc/spec/changes.md).
 *
 * A list that is changed has room for a power of two, so a group may grow one member at
 * a time. It is changed where it stands, and what it was before is kept until the record
 * has been accepted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cut.h"
#include "base/error.h"
#include "codec/entry_codec.h"
#include "entry/entry.h"
#include "modify/modify_impl.h"
#include "values/value.h"

#define LEAST_ROOM 4u
#define BULK_FROM  32u /* values for a sorted list, from which on it is sorted again */

/* A list of values before it was changed in its place; each is noted once. */
struct modify_before {
	struct modify_before *next;
	struct dit_attr attr; /* its lists are the entry's */
	struct dit_attr copy;
};

/* ---- copies ---- */

static size_t room_of(size_t n)
{
	size_t room = LEAST_ROOM;

	while (room < n) {
		room *= 2;
	}
	return room;
}

/* The lists will be changed where they are. */
static int make_room(struct modifier *modifier, struct dit_attr *attr)
{
	int r = attr->has_room
	                ? 0
	                : dit_modify_own(modifier, attr, room_of(attr->nvalues), false);

	attr->has_room = r == 0;
	return r;
}

static struct dit_span key_of(const struct dit_attr *attr, uint32_t i)
{
	return dit_attr_keys(attr)[i];
}

/* ---- values that are stored apart (multival) ---- */

static bool is_in_order(const struct dit_attr *attr)
{
	dit_value_order_fn order = dit_value_order(attr->ad->type);

	for (uint32_t i = 1; i < attr->nvalues; i++) {
		if (order(key_of(attr, i - 1), key_of(attr, i)) > 0) {
			return false;
		}
	}
	return true;
}

/* ---- what is refused ---- */

static int refuse(struct modify_edit *edit, enum dit_why_kind kind,
                  const struct dit_ad *ad, const char *operation)
{
	return dit_why_tell(edit->notes, dit_why_attr(kind, ad, operation));
}

static int refuse_value(struct modify_edit *edit, enum dit_why_kind kind,
                        const struct dit_attr *given, uint32_t number, const char *detail)
{
	return dit_why_tell(
		edit->notes,
		dit_why_value(kind, given->ad, given->values[number], number, detail));
}

static int refuse_size(const struct modifier *modifier, enum dit_why_kind kind,
                       struct dit_notes *notes)
{
	char limit[32];
	int n = snprintf(limit, sizeof(limit), "%lu", modifier->db->maxentrysize_bytes);
	struct dit_span text = {limit, (size_t)n};

	return dit_why_tell(notes, dit_why_dn(kind, (struct dit_span){0},
	                                      dit_arena_copy(notes->arena, text)));
}

/* ---- lists of values ---- */

/* The list will be changed where it stands. It was noted already if an earlier step of
 * the record has changed it. */
static int note_before(struct modify_edit *edit, const struct dit_attr *attr)
{
	struct dit_arena *scratch = &edit->modifier->scratch;
	struct modify_before *before = edit->before;

	dit_modify_forget_values(edit->modifier);
	while (before != NULL && before->attr.values != attr->values) {
		before = before->next;
	}
	if (before != NULL) {
		return 0;
	}
	before = dit_arena_alloc(scratch, sizeof(*before));
	if (before == NULL) {
		return -ENOMEM;
	}
	*before = (struct modify_before){
		.next = edit->before, .attr = *attr, .copy = *attr};
	edit->before = before;
	return dit_attr_copy_lists(&before->copy, scratch, attr->nvalues);
}

static void put_back(const struct modify_edit *edit)
{
	for (const struct modify_before *b = edit->before; b != NULL; b = b->next) {
		size_t bytes = b->attr.nvalues * sizeof(*b->attr.values);

		memcpy(b->attr.values, b->copy.values, bytes);
		if (b->attr.normal != NULL) {
			memcpy(b->attr.normal, b->copy.normal, bytes);
		}
	}
}

/* Exact changes leave values as they are written. */
static bool is_ordered(const struct modify_edit *edit, const struct dit_ad *ad)
{
	return !edit->modifier->opts->is_exact &&
	       (ad->type->flags & DIT_TYPE_ORDERED_VALUES) != 0;
}

/* A value that says "{n}" belongs there. slapd reads n as C does, into an int. */
static uint32_t position_of(const struct modify_edit *edit, const struct dit_attr *attr,
                            struct dit_span value, struct dit_span key)
{
	int n = 0;

	if (!is_ordered(edit, attr->ad) || value.len == 0 || value.data[0] != '{') {
		return dit_attr_position(attr, key);
	}
	n = (int)strtol(value.data + 1, NULL, 0);
	return n >= 0 && (uint32_t)n < attr->nvalues ? (uint32_t)n : attr->nvalues;
}

static int number_value(struct modify_edit *edit, uint32_t number, struct dit_span *value)
{
	char text[sizeof("{4294967295}")];
	int n = snprintf(text, sizeof(text), "{%u}", number);
	struct dit_span parts[] = {{text, (size_t)n}, *value};

	if (value->len > 0 && value->data[0] == '{' &&
	    !dit_cut_until(&parts[1], '}', value)) {
		parts[1] = *value;
	}
	return dit_arena_join(&edit->modifier->kept, parts, 2, value);
}

/* The number of "{n}text", as slapd reads it. */
static bool number_of(struct dit_span value, int *ret)
{
	struct dit_span rest = value;
	char *end = NULL;

	if (value.len == 0 || value.data[0] != '{' ||
	    !dit_cut_until(&rest, '}', &value)) {
		return false;
	}
	*ret = (int)strtol(value.data + 1, &end, 0);
	return end == value.data + value.len;
}

static void move_value(struct dit_span *list, uint32_t from, uint32_t to)
{
	struct dit_span value = list[from];

	memmove(list + to + 1, list + to, (from - to) * sizeof(*list));
	list[to] = value;
}

/* A load stores values of X-ORDERED attributes as they come. slapd sorts them by their
 * numbers, if all have one. 1: their numbers are not their places; 0; error */
static int sort_ordered(struct modify_edit *edit, struct dit_attr *attr)
{
	uint32_t n = attr->nvalues;
	uint32_t nbraces = 0;
	uint32_t nnumbers = 0;
	int *numbers = dit_arena_calloc(&edit->modifier->scratch, (size_t)n + 1,
	                                sizeof(*numbers));
	int r = numbers == NULL ? -ENOMEM : make_room(edit->modifier, attr);

	r = r ?: note_before(edit, attr);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		nbraces += attr->values[i].len > 0 && attr->values[i].data[0] == '{';
		nnumbers += number_of(attr->values[i], &numbers[i]);
	}
	if (r < 0 || nnumbers < n) {
		return r < 0 ? r : nbraces == 0;
	}
	for (uint32_t i = 1; i < n; i++) {
		int number = numbers[i];
		uint32_t to = i;

		for (; to > 0 && numbers[to - 1] > number; to--) {
			numbers[to] = numbers[to - 1];
		}
		numbers[to] = number;
		move_value(attr->values, i, to);
		if (attr->normal != NULL) {
			move_value(attr->normal, i, to);
		}
	}
	return n > 0 && (numbers[0] != 0 || numbers[n - 1] != (int)n - 1);
}

/* Values of X-ORDERED attributes say where they stand. */
static int renumber(struct modify_edit *edit, struct dit_attr *attr)
{
	int r = is_ordered(edit, attr->ad) ? note_before(edit, attr) : 1;

	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		r = number_value(edit, i, &attr->values[i]);
		if (r == 0 && attr->normal != NULL) {
			r = number_value(edit, i, &attr->normal[i]);
		}
	}
	return r < 0 ? r : 0;
}

static int insert(struct modify_edit *edit, struct dit_span **list, uint32_t n,
                  uint32_t at, struct dit_span value)
{
	struct dit_arena *arena = &edit->modifier->kept;
	size_t room = n;

	if (n == room_of(n) && DIT_ARENA_DOUBLE(arena, *list, n, room, 0) < 0) {
		return -ENOMEM;
	}
	memmove(*list + at + 1, *list + at, (n - at) * sizeof(**list));
	(*list)[at] = dit_arena_copy(arena, value);
	return (*list)[at].data == NULL ? -ENOMEM : 0;
}

/* Slapd keeps normal forms of all values or of none. */
static int put_value(struct modify_edit *edit, struct dit_attr *attr,
                     struct dit_span value, struct dit_span key)
{
	uint32_t at = position_of(edit, attr, value, key);
	int r = at < attr->nvalues ? note_before(edit, attr) : 0;

	r = r ?: insert(edit, &attr->values, attr->nvalues, at, value);
	if (r == 0 && attr->normal != NULL) {
		r = insert(edit, &attr->normal, attr->nvalues, at, key);
	}
	attr->nvalues += r == 0;
	return r;
}

/* An attribute that the entry gets, at its end. */
static int begin_attr(struct modify_edit *edit, const struct dit_attr *given,
                      struct dit_attr **ret)
{
	struct modifier *modifier = edit->modifier;
	struct dit_attr *attr =
		dit_entry_add(&edit->entry, given->ad, &modifier->scratch);

	if (attr == NULL) {
		return -ENOMEM;
	}
	attr->is_sorted = dit_entry_is_sorted(&modifier->changing, given->ad->type);
	attr->has_room = true;
	attr->values = given->values;
	attr->normal = given->normal;
	*ret = attr;
	return dit_attr_copy_lists(attr, &modifier->kept, room_of(given->nvalues));
}

/* A list with equal values, as slapadd -q stores them, stays as it is. */
static int sort_list(struct modify_edit *edit, struct dit_attr *attr)
{
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = make_room(edit->modifier, attr);

	r = r ?: note_before(edit, attr);
	return r ?: dit_attr_sort(attr, &edit->modifier->scratch, &twice);
}

/* The next reader sees values in the order in which they are stored. */
static int order_splits(struct modify_edit *edit)
{
	int r = 0;

	for (uint32_t i = 0; i < edit->entry.nattrs && r == 0; i++) {
		struct dit_attr *attr = &edit->entry.attrs[i];

		if (attr->is_split && !is_in_order(attr)) {
			r = sort_list(edit, attr);
		}
	}
	return r;
}

/* ---- add, delete, replace ---- */

static int put_values(struct modify_edit *edit, struct dit_attr *attr,
                      const struct dit_attr *given, bool is_soft)
{
	const struct dit_split_rules *rules = edit->modifier->split_rules;
	bool is_bulk = false; /* of a sorted list, which is sorted again then */
	int r = attr == NULL                  ? begin_attr(edit, given, &attr)
	        : is_ordered(edit, given->ad) ? sort_ordered(edit, attr)
	                                      : 0;

	r = r < 0 ? r : make_room(edit->modifier, attr);
	if (r == 0 && attr->is_sorted && !is_ordered(edit, given->ad)) {
		is_bulk = given->nvalues >= BULK_FROM && !is_soft;
		attr->is_sorted = !is_bulk;
	}
	for (uint32_t i = 0; i < given->nvalues && r == 0; i++) {
		struct dit_span key = key_of(given, i);

		if (!is_soft || dit_modify_find_value(edit->modifier, attr, key, 1) ==
		                        attr->nvalues) {
			r = put_value(edit, attr, given->values[i], key);
		}
	}
	if (is_bulk) {
		r = r ?: sort_list(edit, attr);
		attr->is_sorted = is_in_order(attr);
	}
	r = r ?: renumber(edit, attr);
	if (r == 0) {
		attr->is_split = dit_modify_is_apart(edit->modifier, attr);
		/* slapd stores them now, and a later step may leave but a few. */
		if (!edit->modifier->opts->is_exact && !dit_split_fits(rules, attr)) {
			r = refuse_size(edit->modifier, DIT_WHY_SPLIT_SIZE, edit->notes);
		}
	}
	return r;
}

static int add_values(struct modify_edit *edit, const struct modify_mod *mod)
{
	const struct dit_attr *given = &mod->attr;
	struct dit_attr *attr = dit_entry_find(&edit->entry, given->ad);
	bool is_soft = mod->how == MODIFY_HOW_SOFT_ADD;

	if (attr != NULL && given->ad->type->equality == NULL) {
		return refuse(edit, DIT_WHY_MOD_NO_RULE, given->ad, "add");
	}
	for (uint32_t i = 0; attr != NULL && !is_soft && i < given->nvalues; i++) {
		if (dit_modify_find_value(edit->modifier, attr, key_of(given, i),
		                          given->nvalues - i) < attr->nvalues) {
			return refuse_value(edit, DIT_WHY_MOD_EXISTS, given, i, "");
		}
	}
	return put_values(edit, attr, given, is_soft);
}

/* The values that are not marked move up. */
static void close_gaps(struct dit_attr *attr, const bool *is_gone)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < attr->nvalues; i++) {
		if (!is_gone[i]) {
			attr->values[n] = attr->values[i];
			if (attr->normal != NULL) {
				attr->normal[n] = attr->normal[i];
			}
			n++;
		}
	}
	attr->nvalues = n;
}

/* Take values out of a list that may be changed. */
static int take_out(struct modify_edit *edit, struct dit_attr *attr,
                    const struct dit_attr *given)
{
	struct dit_arena *scratch = &edit->modifier->scratch;
	struct dit_arena_mark mark = dit_arena_mark(scratch);
	bool *is_gone =
		dit_arena_calloc(scratch, (size_t)attr->nvalues + 1, sizeof(*is_gone));

	if (is_gone == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < given->nvalues; i++) {
		struct dit_span value = given->values[i];
		bool is_bare = dit_attr_is_number(given->ad->type, value);
		uint32_t at = dit_modify_find_value(edit->modifier, attr,
		                                    is_bare ? value : key_of(given, i),
		                                    given->nvalues - i);

		if (at == attr->nvalues) {
			return refuse_value(edit, DIT_WHY_MOD_NO_VALUE, given, i, "");
		}
		is_gone[at] = true;
	}
	close_gaps(attr, is_gone);
	dit_modify_forget_values(edit->modifier);
	dit_arena_rewind(scratch, mark);
	return 0;
}

static int remove_values(struct modify_edit *edit, struct dit_attr *attr,
                         const struct dit_attr *given)
{
	int r = make_room(edit->modifier, attr);

	r = r ?: note_before(edit, attr);
	r = r ?: take_out(edit, attr, given);
	if (r < 0) {
		return r;
	}
	attr->is_split = dit_modify_is_apart(edit->modifier, attr);
	if (attr->nvalues == 0) {
		dit_entry_remove(&edit->entry, attr);
		return 0;
	}
	r = is_ordered(edit, attr->ad) ? sort_ordered(edit, attr) : 0;
	return r <= 0 ? r : renumber(edit, attr);
}

static int delete_values(struct modify_edit *edit, const struct dit_attr *given)
{
	struct dit_attr *attr = dit_entry_find(&edit->entry, given->ad);

	if (given->nvalues > 0 && given->ad->type->equality == NULL) {
		return refuse(edit, DIT_WHY_MOD_NO_RULE, given->ad, "delete");
	}
	if (attr == NULL) {
		return refuse(edit, DIT_WHY_MOD_NO_ATTR, given->ad, "delete");
	}
	if (given->nvalues == 0) {
		dit_entry_remove(&edit->entry, attr);
		return 0;
	}
	return remove_values(edit, attr, given);
}

/* slapd deletes the first one of several blocks, and adds to the next one. */
static int replace_values(struct modify_edit *edit, const struct modify_mod *mod)
{
	struct dit_attr *attr = dit_entry_find(&edit->entry, mod->attr.ad);

	if (attr != NULL) {
		dit_entry_remove(&edit->entry, attr);
	}
	return mod->attr.nvalues == 0 ? 0 : add_values(edit, mod);
}

/* ---- increment ---- */

static bool read_number(struct dit_span text, long *ret)
{
	char copy[sizeof("-9223372036854775808")];
	char *end = NULL;

	if (text.len == 0 || text.len >= sizeof(copy)) {
		return false;
	}
	memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	errno = 0;
	*ret = strtol(copy, &end, 10);
	return errno == 0 && *end == '\0';
}

static int increment(struct modify_edit *edit, const struct dit_attr *given)
{
	struct dit_attr *attr = dit_entry_find(&edit->entry, given->ad);
	struct dit_arena *arena = &edit->modifier->kept;
	long more = 0;
	int r = 0;

	if (given->ad->type->validator != DIT_VALID_INTEGER) {
		return refuse(edit, DIT_WHY_MOD_NOT_INTEGER, given->ad, "");
	}
	if (given->nvalues != 1) {
		return refuse(edit, DIT_WHY_MOD_INCREMENTS, given->ad, "");
	}
	if (attr == NULL) {
		return refuse(edit, DIT_WHY_MOD_NO_ATTR, given->ad, "increment");
	}
	if (!read_number(given->values[0], &more)) {
		return refuse_value(edit, DIT_WHY_MOD_NUMBER, given, 0, "increment");
	}
	r = more == 0 ? 1 : make_room(edit->modifier, attr);
	r = r ?: note_before(edit, attr);
	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		char text[sizeof("-9223372036854775808")];
		long number = 0;

		if (!read_number(attr->values[i], &number)) {
			return refuse_value(edit, DIT_WHY_MOD_NUMBER, attr, i,
			                    "original value");
		}
		/* slapd's sum has no limit either */
		(void)snprintf(text, sizeof(text), "%ld",
		               (long)((unsigned long)number + (unsigned long)more));
		attr->values[i] = dit_arena_copy(arena, dit_span_of(text));
		r = attr->values[i].data == NULL ? -ENOMEM : 0;
		if (r == 0 && attr->normal != NULL) {
			r = dit_attr_normalize(edit->modifier->changing.schema,
			                       attr->ad->type, attr->values[i], arena,
			                       &attr->normal[i]);
		}
	}
	return r < 0 ? r : 0;
}

/* ---- what can be stored ---- */

int dit_modify_check_fits(struct modifier *modifier, const struct dit_entry *entry,
                          struct dit_notes *notes)
{
	uint64_t most = modifier->db->maxentrysize_bytes;
	struct dit_index_refusal refusal = {0};
	struct dit_encoded encoded;
	int r = dit_index_check(modifier->keys, entry, &refusal);

	if (r == DIT_E_INVALID) {
		return dit_why_tell(notes, dit_why_attr(DIT_WHY_INDEX_KEY, refusal.ad,
		                                        refusal.reason));
	}
	if (r < 0 || (most == 0 && modifier->split_rules == NULL)) {
		return r;
	}
	r = dit_entry_encode(entry, modifier->split_rules, &modifier->scratch, &encoded);
	if (r == 0 && most > 0 && encoded.size_limit_bytes > most) {
		return refuse_size(modifier, DIT_WHY_ENTRY_SIZE, notes);
	}
	return r < 0 || !encoded.splits.is_too_long || modifier->opts->is_exact
	               ? r
	               : refuse_size(modifier, DIT_WHY_SPLIT_SIZE, notes);
}

/* ---- all of a record ---- */

static int make_mod(struct modify_edit *edit, const struct modify_mod *mod)
{
	switch (mod->how) {
	case MODIFY_HOW_ADD:
	case MODIFY_HOW_SOFT_ADD:
		return add_values(edit, mod);
	case MODIFY_HOW_DELETE:
		return delete_values(edit, &mod->attr);
	case MODIFY_HOW_REPLACE_ALL:
		dit_entry_remove_all(&edit->entry, mod->attr.ad);
		return replace_values(edit, mod);
	case MODIFY_HOW_REPLACE:
		return replace_values(edit, mod);
	case MODIFY_HOW_INCREMENT:
		return increment(edit, &mod->attr);
	}
	return -EINVAL;
}

/* slapd leaves the stamps alone that the change adds or replaces itself. */
static int stamp_entry(struct modify_edit *edit, const struct modify_mod *mods,
                       size_t nmods, const struct dit_entry_stamp *stamp)
{
	struct modifier *modifier = edit->modifier;
	const struct dit_ad **given = dit_arena_alloc(
		&modifier->scratch, (nmods + 1) * sizeof(const struct dit_ad *));
	size_t n = 0;

	if (given == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < nmods; i++) {
		if (mods[i].how == MODIFY_HOW_ADD || mods[i].how == MODIFY_HOW_REPLACE) {
			given[n++] = mods[i].attr.ad;
		}
	}
	return dit_entry_mark_modified(&modifier->changing, modify_caches(modifier),
	                               &edit->entry, stamp, &modifier->kept, given, n);
}

/* The check may add structuralObjectClass, or replace that of glue; it does not last. */
static int check(struct modify_edit *edit, const struct dit_dn *dn)
{
	struct modifier *modifier = edit->modifier;
	struct dit_entry *entry = &edit->entry;
	uint32_t n = (entry->oc_flags & DIT_OC_GLUE) != 0 ? 0 : entry->nattrs;
	int r = 0;

	entry->dn = *dn;
	r = dit_entry_check(&modifier->changing, modify_caches(modifier), entry,
	                    edit->notes);
	r = r ?: dit_modify_check_fits(modifier, entry, edit->notes);
	while (r == 0 && n < entry->nattrs) {
		struct dit_attr *attr = &entry->attrs[n++];

		attr->has_room = false;
		r = dit_modify_own(modifier, attr, attr->nvalues, true);
	}
	return r ?: order_splits(edit);
}

int dit_modify_edit(struct modify_edit *edit, const struct dit_dn *dn,
                    const struct modify_mod *mods, size_t nmods,
                    const struct dit_entry_stamp *stamp)
{
	struct modifier *modifier = edit->modifier;
	struct dit_arena_mark mark = dit_arena_mark(&modifier->kept);
	int r = dit_entry_grow(&edit->entry, &modifier->scratch);

	if (!modifier->values.is_lasting) {
		dit_modify_forget_values(modifier);
	}
	for (size_t i = 0; i < nmods && r == 0; i++) {
		r = make_mod(edit, &mods[i]);
	}
	if (r == 0 && stamp != NULL) {
		r = stamp_entry(edit, mods, nmods, stamp);
	}
	if (r == 0 && dn != NULL) {
		r = check(edit, dn);
	}
	r = r ?: dit_modify_keep_edited(edit);
	if (r < 0) {
		put_back(edit);
		dit_modify_forget_values(modifier);
		dit_arena_rewind(&modifier->kept, mark);
	}
	return r;
}
