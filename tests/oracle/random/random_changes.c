/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of every kind, to entries of the model mostly. */
#include "random_history.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its name is that of an entry. */
static void change_add_again(struct history *h)
{
	history_dn(h, "dn", history_pick(h));
	history_type(h, "add");
	history_line(h, "objectClass", "device");
	history_line(h, "objectClass", "extensibleObject");
}

static void change_add(struct history *h)
{
	unsigned node =
		tree_grow(&h->tree, &h->attributes, history_pick_parent(h), &h->rng);

	entry_of(h, node)->is_alive = !entry_is_taken(h, node);
	history_dn(h, "dn", node);
	history_type(h, "add");
	history_entry(h, node);
}

static void change_delete(struct history *h)
{
	unsigned node = history_pick(h);

	for (unsigned i = 0; i < 4 && entry_has_children(h, node) == (node != NO_PARENT);
	     i++) {
		node = history_pick(h);
	}
	history_dn(h, "dn", node);
	history_type(h, "delete");
	if (node != NO_PARENT && !entry_has_children(h, node)) {
		h->entries[node].is_alive = false;
	}
}

/* A copy of its names. */
static struct node node_copy(const struct node *node)
{
	struct node copy = *node;

	for (unsigned i = 0; i < copy.navas; i++) {
		copy.avas[i].value = (struct text){0};
		text_bytes(&copy.avas[i].value, node->avas[i].value.data,
		           node->avas[i].value.len);
	}
	return copy;
}

static void node_free(struct node *node)
{
	for (unsigned i = 0; i < node->navas; i++) {
		text_free(&node->avas[i].value);
	}
}

/* Another name, or the same in another case; avas of the node are replaced. */
static void make_names(struct history *h, unsigned node)
{
	struct node *names = &h->tree.nodes[node];
	unsigned grown = 0;
	unsigned other = 0;

	if (!h->has_multival && rng_chance(&h->rng, 20)) {
		struct text *value = &names->avas[0].value;

		for (size_t i = 0; i < value->len; i++) {
			if (isalpha((unsigned char)value->data[i])) {
				value->data[i] ^= 0x20;
			}
		}
		return;
	}
	other = rng_chance(&h->rng, 10) ? history_pick(h) : NO_PARENT;
	grown = tree_grow(&h->tree, &h->attributes, NO_PARENT, &h->rng);
	h->tree.n = grown;
	names = &h->tree.nodes[node];
	if (other != NO_PARENT && other != node) { /* mostly taken */
		node_free(&h->tree.nodes[grown]);
		h->tree.nodes[grown] = node_copy(&h->tree.nodes[other]);
	}
	node_free(names);
	names->navas = h->tree.nodes[grown].navas;
	memcpy(names->avas, h->tree.nodes[grown].avas, sizeof(names->avas));
}

/* The new name changes the values; false: the entry cannot have it. */
static bool rename_values(struct history *h, unsigned node, const struct node *old,
                          bool is_old_deleted)
{
	struct entry *entry = entry_of(h, node);

	if (!entry->is_extensible || entry_is_taken(h, node)) {
		return false;
	}
	for (unsigned i = 0; is_old_deleted && i < old->navas; i++) {
		entry_remove_values(entry, old->avas[i].attribute, &old->avas[i].value);
	}
	entry_push_names(h, node);
	for (unsigned i = 0; i < h->tree.nodes[node].navas; i++) {
		const struct attribute *attribute = h->tree.nodes[node].avas[i].attribute;

		if (attribute->is_single && entry_count(entry, attribute) > 1) {
			return false;
		}
	}
	return true;
}

/* "newrdn": the name of a node that stands at the top. */
static void add_newrdn(struct history *h, unsigned node)
{
	struct tree alone = {.nodes = &h->tree.nodes[node], .n = 1, .suffix = ""};
	unsigned parent = h->tree.nodes[node].parent;
	struct text name = {0};
	struct text value = {0};

	h->tree.nodes[node].parent = NO_PARENT;
	text_string(&name, "newrdn");
	tree_spell(&alone, 0, h->has_multival || rng_chance(&h->rng, 70), &h->rng,
	           &value);
	h->tree.nodes[node].parent = parent;
	history_pair(h, &name, &value);
	text_free(&name);
	text_free(&value);
}

static void change_name(struct history *h)
{
	unsigned node = history_pick(h);
	unsigned parent = history_pick_parent(h);
	bool is_moved = rng_chance(&h->rng, 40);
	bool is_old_deleted = rng_chance(&h->rng, 60);
	struct node old = {0};
	struct node *now = NULL;

	node = node == NO_PARENT ? 0 : node;
	old = node_copy(&h->tree.nodes[node]);
	history_dn(h, "dn", node);
	history_type(h, rng_chance(&h->rng, 80) ? "modrdn" : "moddn");
	if (!is_moved || rng_chance(&h->rng, 60)) {
		make_names(h, node);
	}
	now = &h->tree.nodes[node];
	add_newrdn(h, node);
	history_line(h, "deleteoldrdn", is_old_deleted ? "1" : "0");
	if (is_moved) {
		history_dn(h, "newsuperior", parent);
	}
	if (is_moved && (parent == NO_PARENT || !entry_is_below(h, parent, node))) {
		now->parent = parent;
	}
	if (!rename_values(h, node, &old, is_old_deleted)) {
		node_free(now);
		*now = old;
		return;
	}
	node_free(&old);
}

static void mod_begin(struct history *h, const char *kind, const struct text *name)
{
	struct text n = {0};

	text_string(&n, kind);
	history_pair(h, &n, name);
	text_free(&n);
}

/* Some of its values, mostly as they are spelled. */
static void mod_delete_values(struct history *h, const struct attribute *attribute,
                              const struct text *name, struct entry *entry)
{
	struct text value = {0};
	bool is_any = false;

	for (unsigned i = entry->n; i-- > 0;) {
		if (entry->values[i].attribute != attribute ||
		    (is_any && rng_chance(&h->rng, 60))) {
			continue;
		}
		is_any = true;
		text_clear(&value);
		if (attribute == &in_order && rng_chance(&h->rng, 60)) {
			text_string(&value, rng_chance(&h->rng, 50) ? "{0}" : "{1}");
		} else {
			text_bytes(&value, entry->values[i].text.data,
			           entry->values[i].text.len);
		}
		for (size_t j = 0; j < value.len && rng_chance(&h->rng, 5); j++) {
			value.data[j] = (char)toupper((unsigned char)value.data[j]);
		}
		history_pair(h, name, &value);
		entry_remove(entry, i);
	}
	text_free(&value);
	if (!is_any) {
		history_values(h, attribute, name, NULL);
	}
}

static void mod_increment(struct history *h, struct entry *entry, bool *touched)
{
	unsigned first = rng_below(&h->rng, h->nused);
	char by[24];

	for (unsigned i = 0; i < h->nused; i++) {
		unsigned at = (first + i) % h->nused;
		const struct attribute *attribute = h->used[at];
		struct text name = {0};
		struct text value = {0};

		if (attribute->kind != KIND_INTEGER || touched[at] ||
		    (entry_count(entry, attribute) == 0 && !rng_chance(&h->rng, 5))) {
			continue;
		}
		text_string(&name, attribute->names[0]);
		(void)snprintf(by, sizeof(by), "%d", (int)rng_below(&h->rng, 300) - 150);
		text_string(&value, by);
		mod_begin(h, "increment", &name);
		history_pair(h, &name, &value);
		text_string(&h->out, "-" LINE_END);
		text_free(&name);
		text_free(&value);
		return;
	}
}

static void mod_classes(struct history *h, struct entry *entry)
{
	static const char *const texts[] = {
		"add: objectClass\nobjectClass: extensibleObject\n",
		"add: objectClass\nobjectClass: oAux\n",
		"delete: objectClass\nobjectClass: oaux\n",
		"add: objectClass\nobjectClass: top\nobjectClass: OAUX\n",
		"add: objectClass\nobjectClass: posixAccount\n",
		"delete: objectClass\nobjectClass: extensibleObject\n",
		"add: objectClass\nobjectClass: device\n",
		"replace: objectClass\nobjectClass: inetOrgPerson\n"
		"objectClass: extensibleObject\n",
		"delete: objectClass\nobjectClass: person\n-\n"
		"add: objectClass\nobjectClass: residentialPerson\n",
	};
	unsigned i = rng_below(&h->rng, h->is_relaxed ? 6 : COUNT(texts));

	entry->is_extensible |= i == 0;
	text_string(&h->out, texts[i]);
	text_string(&h->out, "-" LINE_END);
}

/* One mod; operational attributes are replaced or deleted only. */
static void mod_any(struct history *h, struct entry *entry, bool *touched)
{
	bool may_be_any = h->is_relaxed && rng_chance(&h->rng, 40);
	unsigned i = rng_below(&h->rng, h->nused - (may_be_any ? 0 : RELAX_ONLY));
	const struct attribute *attribute = h->used[i];
	bool is_operational = i + RELAX_ONLY >= h->nused;
	unsigned n = entry_count(entry, attribute);
	unsigned kind = rng_below(&h->rng, 100);
	struct text name = {0};

	if (touched[i]) {
		return; /* the record itself has made it: see the head of the file */
	}
	touched[i] = n == 0;
	history_name(h, attribute, &name);
	if (is_operational || kind < 25 || (n > 0 && attribute->is_single && kind < 70)) {
		mod_begin(h, "replace", &name);
		entry_remove_values(entry, attribute, NULL);
		if (kind % 6 != 0) {
			history_values(h, attribute, &name, entry);
		}
	} else if (kind < 65 || n == 0) {
		mod_begin(h, "add", &name);
		history_values(h, attribute, &name, entry);
	} else if (kind < 93) {
		mod_begin(h, "delete", &name);
		mod_delete_values(h, attribute, &name, entry);
	} else {
		mod_begin(h, "delete", &name);
		entry_remove_values(entry, attribute, NULL);
	}
	text_string(&h->out, "-" LINE_END);
	text_free(&name);
}

static void mod_wrong(struct history *h)
{
	static const char *const texts[] = {
		"add: fooAttr\nfooAttr: x\n",
		"replace: noSuchAttr\n",
		"add: cn;binary\ncn;binary: x\n",
		"add: cn;y-unknown\ncn;y-unknown: x\n",
		"add: cn\nsn: x\n",
		"foo: cn\ncn: x\n",
		"cn: x\n",
		"no colon at all\n",
		"add: structuralObjectClass\nstructuralObjectClass: device\n",
		"replace: hasSubordinates\nhasSubordinates: TRUE\n",
		"delete: seeAlso\nseeAlso: not a name\n",
		"add: telephoneNumber\n",
		"increment: cn\ncn: 1\n",
		"increment: uidNumber\nuidNumber: 1\nuidNumber: 2\n",
		"increment: uidNumber\nuidNumber: x\n",
		"increment: uidNumber\nuidNumber: 99999999999999999999\n",
		"add: ref\nref: ldap://x\n",
		"replace: objectClass\n",
		"add: objectClass\nobjectClass: noSuchClass\n",
		"add: objectClass\nobjectClass: top\nobjectClass: TOP\n",
		"replace: cn\n",
		"replace: sn\nsn: Other\n",
		"add: userCertificate\nuserCertificate:: MAA=\n",
		"add: description\ndescription:\n",
		"delete: jpegPhoto\njpegPhoto: x\n",
		"delete: entryUUID\nentryUUID: 00000000-0000-0000-0000-000000000000\n",
		"-\n",
	};

	text_string(&h->out, texts[rng_below(&h->rng, COUNT(texts))]);
	text_string(&h->out, "-" LINE_END);
}

static void change_values(struct history *h)
{
	unsigned node = history_pick(h);
	struct entry nothing = {0};
	struct entry *entry = node == NO_PARENT ? &nothing : &h->entries[node];
	bool touched[COUNT(h->used)] = {false}; /* and not there before */
	bool is_wrong = rng_chance(&h->rng, 10);

	history_dn(h, "dn", node);
	history_type(h, "modify");
	for (unsigned i = rng_below(&h->rng, rng_chance(&h->rng, 80) ? 3 : 8) + 1;
	     i-- > 0;) {
		if (is_wrong && rng_chance(&h->rng, 50)) {
			mod_wrong(h);
		}
		if (rng_chance(&h->rng, 6)) {
			mod_classes(h, entry);
		} else if (rng_chance(&h->rng, 6)) {
			mod_increment(h, entry, touched);
		} else {
			mod_any(h, entry, touched);
		}
	}
	while (node == NO_PARENT && nothing.n > 0) {
		entry_remove(&nothing, 0);
	}
	free(nothing.values);
}

void history_change(struct history *h)
{
	unsigned n = 10 + rng_below(&h->rng, 70);

	for (unsigned i = 1; i <= n; i++) {
		char line[32];
		unsigned kind = rng_below(&h->rng, 100);

		(void)snprintf(line, sizeof(line), "# record %u" LINE_END, i);
		text_string(&h->out, line);
		h->is_relaxed = rng_chance(&h->rng, 15);
		if (kind < 1) {
			change_add_again(h);
		} else if (kind < 15) {
			change_add(h);
		} else if (kind < 23) {
			change_delete(h);
		} else if (kind < 42) {
			change_name(h);
		} else {
			change_values(h);
		}
		text_string(&h->out, LINE_END);
	}
}
