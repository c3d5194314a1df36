/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a directory that changes, and its entries as LDIF. */
#include "random_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

const struct attribute in_order = {.names = {"inOrder", NULL, NULL},
                                   .kind = KIND_DIRECTORY};
const char *const history_options[NOPTIONS] = {";lang-de", ";LANG-en", ";x-own",
                                               ";lang-de;x-a"};

bool can_be_split(enum kind kind)
{
	return kind <= KIND_IA5_EXACT;
}

void entry_push(struct entry *entry, const struct attribute *attribute,
                const struct text *text)
{
	struct value *value = NULL;

	if (entry->n == entry->size) {
		entry->size = 2 * entry->size + 8;
		entry->values =
			realloc(entry->values, entry->size * sizeof(*entry->values));
		if (entry->values == NULL) {
			perror("randchanges");
			exit(2);
		}
	}
	value = &entry->values[entry->n++];
	*value = (struct value){.attribute = attribute};
	text_bytes(&value->text, text->data, text->len);
}

void entry_remove(struct entry *entry, unsigned i)
{
	text_free(&entry->values[i].text);
	entry->values[i] = entry->values[--entry->n];
}

/* NULL: all values. */
void entry_remove_values(struct entry *entry, const struct attribute *attribute,
                         const struct text *text)
{
	for (unsigned i = entry->n; i-- > 0;) {
		const struct value *value = &entry->values[i];

		if (value->attribute == attribute &&
		    (text == NULL ||
		     (value->text.len == text->len &&
		      strncasecmp(value->text.data, text->data, text->len) == 0))) {
			entry_remove(entry, i);
		}
	}
}

unsigned entry_count(const struct entry *entry, const struct attribute *attribute)
{
	unsigned n = 0;

	for (unsigned i = 0; i < entry->n; i++) {
		n += entry->values[i].attribute == attribute;
	}
	return n;
}

struct entry *entry_of(struct history *h, unsigned node)
{
	if (node >= h->size) {
		unsigned size = 2 * node + 16;

		h->entries = realloc(h->entries, size * sizeof(*h->entries));
		if (h->entries == NULL) {
			perror("randchanges");
			exit(2);
		}
		memset(h->entries + h->size, 0, (size - h->size) * sizeof(*h->entries));
		h->size = size;
	}
	return &h->entries[node];
}

bool entry_has_children(const struct history *h, unsigned node)
{
	for (unsigned i = 0; i < h->tree.n; i++) {
		if (h->entries[i].is_alive && h->tree.nodes[i].parent == node) {
			return true;
		}
	}
	return false;
}

bool entry_is_below(const struct history *h, unsigned node, unsigned top)
{
	while (node != NO_PARENT && node != top) {
		node = h->tree.nodes[node].parent;
	}
	return node == top;
}

bool entry_is_taken(struct history *h, unsigned node)
{
	struct rng rng = {0};
	struct text mine = {0};
	struct text other = {0};
	bool is_equal = false;

	tree_spell(&h->tree, node, true, &rng, &mine);
	for (unsigned i = 0; i < h->tree.n && !is_equal; i++) {
		if (i == node || !h->entries[i].is_alive) {
			continue;
		}
		text_clear(&other);
		tree_spell(&h->tree, i, true, &rng, &other);
		is_equal = mine.len == other.len &&
		           strncasecmp(mine.data, other.data, mine.len) == 0;
	}
	text_free(&mine);
	text_free(&other);
	return is_equal;
}

unsigned history_pick(struct history *h)
{
	unsigned node = 0;

	if (rng_chance(&h->rng, 50)) {
		node = h->recent[rng_below(&h->rng, COUNT(h->recent))];
	} else {
		node = rng_below(&h->rng, h->tree.n);
	}
	for (unsigned i = 0; i < h->tree.n && !h->entries[node].is_alive; i++) {
		node = (node + 1) % h->tree.n;
	}
	if (!rng_chance(&h->rng, 5) && h->entries[node].is_alive) {
		h->recent[rng_below(&h->rng, COUNT(h->recent))] = node;
		return node;
	}
	return rng_chance(&h->rng, 50) ? NO_PARENT : rng_below(&h->rng, h->tree.n);
}

unsigned history_pick_parent(struct history *h)
{
	unsigned node = rng_below(&h->rng, h->tree.n);

	return h->entries[node].is_alive || rng_chance(&h->rng, 5) ? node : NO_PARENT;
}

/* ---- lines ---- */

/* The first directory has no folded lines: releases read blanks there differently. */
void history_pair(struct history *h, const struct text *name, const struct text *value)
{
	size_t start = h->out.len;

	do {
		h->out.len = start;
		ldif_pair(LINE_END, name, value, &h->rng, &h->out);
	} while (h->is_first &&
	         memchr(h->out.data + start, '\n', h->out.len - start - 1) != NULL);
}

void history_line(struct history *h, const char *name, const char *value)
{
	struct text n = {0};
	struct text v = {0};

	text_string(&n, name);
	text_string(&v, value);
	history_pair(h, &n, &v);
	text_free(&n);
	text_free(&v);
}

void history_type(struct history *h, const char *type)
{
	if (h->is_relaxed) {
		text_string(&h->out, "control: 1.3.6.1.4.1.4203.666.5.12 true" LINE_END);
	}
	/* Without the line it is a modification. */
	if (strcmp(type, "add") != 0 || !rng_chance(&h->rng, 5)) {
		history_line(h, "changetype", type);
	}
}

void history_dn(struct history *h, const char *name, unsigned node)
{
	struct text n = {0};
	struct text value = {0};

	text_string(&n, name);
	tree_spell(&h->tree, node, rng_chance(&h->rng, 70), &h->rng, &value);
	history_pair(h, &n, &value);
	text_free(&n);
	text_free(&value);
}

/* Will slapd take it? */
static bool is_valid(enum kind kind, const struct text *value)
{
	for (size_t i = 0; i < value->len; i++) {
		if ((kind == KIND_IA5 || kind == KIND_IA5_EXACT) &&
		    (value->data[i] & 0x80) != 0) {
			return false;
		}
	}
	return kind == KIND_COUNTRY ? value->len == 2
	                            : value->len > 0 && value->data[0] != 't';
}

void history_value(struct history *h, const struct attribute *attribute, struct text *ret)
{
	bool may_be_wrong = !h->is_first && rng_chance(&h->rng, 1);
	char number[16];

	do {
		text_clear(ret);
		if (attribute == &in_order && (h->is_first || rng_chance(&h->rng, 40))) {
			(void)snprintf(number, sizeof(number), "{%u}",
			               h->is_first ? 0 : rng_below(&h->rng, 5));
			text_string(ret, number);
		}
		(may_be_wrong ? value_make : value_of_kind)(attribute->kind, &h->tree,
		                                            &h->rng, ret);
	} while ((!may_be_wrong && !is_valid(attribute->kind, ret)) ||
	         (attribute == &in_order && ret->len > 1 &&
	          memchr(ret->data + 1, '{', ret->len - 1) != NULL));
	if (ret->len == 0 &&
	    (attribute->kind == KIND_INTEGER || attribute->kind == KIND_NUMERIC)) {
		text_string(ret, "1"); /* slapd dies of an empty one */
	}
	if ((h->has_multival || h->is_first) && can_be_split(attribute->kind)) {
		if (h->is_first && ret->len > 100) {
			text_clear(ret); /* too long for id2v */
		}
		(void)snprintf(number, sizeof(number), "~%u", h->nvalues++);
		text_string(ret, number);
	}
}

void history_name(struct history *h, const struct attribute *attribute, struct text *ret)
{
	text_clear(ret);
	if (h->is_first) { /* a load stores "cn" and "commonName" as two attributes */
		text_string(ret, attribute->names[0]);
		return;
	}
	attribute_spell(attribute, &h->rng, ret);
	if (!h->has_multival && attribute->kind < KIND_TIME && rng_chance(&h->rng, 5)) {
		text_string(ret, history_options[rng_below(&h->rng, NOPTIONS)]);
	}
}

void history_values(struct history *h, const struct attribute *attribute,
                    const struct text *name, struct entry *entry)
{
	bool has_option = name->len > 0 && memchr(name->data, ';', name->len) != NULL;
	unsigned n = 1;
	struct text value = {0};

	if (h->is_first ? can_be_split(attribute->kind) && !attribute->is_single
	                : !attribute->is_single || rng_chance(&h->rng, 1)) {
		n += rng_chance(&h->rng, 30)
		             ? rng_below(&h->rng, rng_chance(&h->rng, 5) ? 60 : 5)
		             : 0;
	}
	while (n-- > 0) {
		history_value(h, attribute, &value);
		history_pair(h, name, &value);
		if (entry != NULL && !has_option) {
			entry_push(entry, attribute, &value);
		}
	}
	text_free(&value);
}

/* ---- entries ---- */

static void add_classes(struct history *h, struct entry *entry)
{
	static const char *const sets[][2] = {
		{"inetOrgPerson", NULL},      {"PERSON", "top"},
		{"organizationalUnit", NULL}, {"device", "2.5.6.0"},
		{"groupOfNames", NULL},       {"alias", NULL},
		{"person", "device"},
	};
	unsigned set = rng_below(
		&h->rng, h->is_first || rng_chance(&h->rng, 97) ? 5 : COUNT(sets));

	for (unsigned i = 0; i < 2 && sets[set][i] != NULL; i++) {
		history_line(h, "objectClass", sets[set][i]);
	}
	entry->is_extensible = h->is_first || rng_chance(&h->rng, 95);
	if (entry->is_extensible) {
		history_line(h, "objectClass", "extensibleObject");
	}
	if (rng_chance(&h->rng, 40)) {
		history_line(h, "objectClass", "oAux");
	}
	if (h->is_first || rng_chance(&h->rng, 97)) {
		history_line(h, "sn", "Needed");
		history_line(h, "cn", "Needed");
	}
	if (set == 2) {
		history_line(h, "ou", "Needed");
	}
	if (set == 4) {
		history_line(h, "member", h->suffix);
	}
	if (set == 5) {
		history_line(h, "aliasedObjectName", h->suffix);
	}
}

static bool is_naming(const struct node *names, const struct attribute *attribute)
{
	return names->avas[0].attribute == attribute ||
	       (names->navas > 1 && names->avas[1].attribute == attribute);
}

void entry_push_names(struct history *h, unsigned node)
{
	const struct node *names = &h->tree.nodes[node];

	for (unsigned i = 0; i < names->navas; i++) {
		struct entry *entry = entry_of(h, node);

		entry_remove_values(entry, names->avas[i].attribute,
		                    &names->avas[i].value);
		entry_push(entry, names->avas[i].attribute, &names->avas[i].value);
	}
}

/* Not operational, not there for the class, and not single-valued and in the name. */
static bool is_usual(const struct history *h, unsigned node,
                     const struct attribute *attribute)
{
	for (unsigned i = h->nused - RELAX_ONLY; i < h->nused; i++) {
		if (h->used[i] == attribute) {
			return false;
		}
	}
	return strcmp(attribute->names[0], "member") != 0 &&
	       (!attribute->is_single || !is_naming(&h->tree.nodes[node], attribute));
}

/* The attributes of a new entry; each has one name, and is there once. */
static void add_attributes(struct history *h, unsigned node)
{
	unsigned first = rng_below(&h->rng, h->nused);
	struct text name = {0};

	for (unsigned i = rng_below(&h->rng, 6); i-- > 0;) {
		const struct attribute *attribute = h->used[(first + i) % h->nused];

		if (attribute == &in_order || /* an add does not order */
		    (!is_usual(h, node, attribute) && !h->is_relaxed)) {
			continue;
		}
		history_name(h, attribute, &name);
		history_values(h, attribute, &name, entry_of(h, node));
	}
	text_free(&name);
}

void history_entry(struct history *h, unsigned node)
{
	add_classes(h, entry_of(h, node));
	add_attributes(h, node);
	entry_push_names(h, node);
}
