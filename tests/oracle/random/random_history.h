/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A history (randchanges.c): a model of a directory that changes, and the LDIF that is
 * written on the way. The model does not know the schema: it takes each change for done.
 */
#ifndef TESTS_ORACLE_RANDOM_HISTORY_H
#define TESTS_ORACLE_RANDOM_HISTORY_H

#include "random.h"

#define LINE_END   "\n"
#define RELAX_ONLY 4 /* the last attributes that a history uses are operational */

struct value {
	const struct attribute *attribute;
	struct text text;
};

/* An entry; its number is that of its node in the tree. */
struct entry {
	bool is_alive;
	bool is_extensible;
	struct value *values;
	unsigned n;
	unsigned size;
};

struct history {
	struct rng rng;
	struct attributes attributes;
	const struct attribute *used[16]; /* few, so that changes meet each other */
	unsigned nused;
	char suffix[16];
	bool is_first;     /* the directory that is loaded first */
	bool knows_all;    /* no attribute is new to the database */
	bool has_multival; /* values are different, then: slapd spoils equal ones */
	struct tree tree;
	struct entry *entries;
	unsigned size;
	unsigned recent[3]; /* entries that were changed last */
	unsigned nvalues;   /* made, with a multival */
	bool is_relaxed;    /* the record: its attributes may be operational */
	struct text out;
};

/* X-ORDERED 'VALUES': "{1}value" goes to place 1. */
extern const struct attribute in_order;

#define NOPTIONS 4

extern const char *const history_options[NOPTIONS];

/* Kinds whose values can be made different by a number at the end. */
bool can_be_split(enum kind kind);
void entry_push(struct entry *entry, const struct attribute *attribute,
                const struct text *text);
void entry_remove(struct entry *entry, unsigned i);
/* NULL: all values of the attribute. */
void entry_remove_values(struct entry *entry, const struct attribute *attribute,
                         const struct text *text);
unsigned entry_count(const struct entry *entry, const struct attribute *attribute);
/* Its entry, which may have to be made. */
struct entry *entry_of(struct history *h, unsigned node);
bool entry_has_children(const struct history *h, unsigned node);
bool entry_is_below(const struct history *h, unsigned node, unsigned top);
/* Has another entry the name that this node has? */
bool entry_is_taken(struct history *h, unsigned node);
/* A living entry, mostly one changed not long ago; NO_PARENT: the suffix. */
unsigned history_pick(struct history *h);
unsigned history_pick_parent(struct history *h);
/* Lines of the output. */
void history_pair(struct history *h, const struct text *name, const struct text *value);
void history_line(struct history *h, const char *name, const char *value);
void history_dn(struct history *h, const char *name, unsigned node);
/* One in a hundred is not valid, perhaps. */
void history_value(struct history *h, const struct attribute *attribute,
                   struct text *ret);
/* "description", or with an option. */
void history_name(struct history *h, const struct attribute *attribute, struct text *ret);
/* Some values of an attribute, which go into the entry (NULL: not). */
void history_values(struct history *h, const struct attribute *attribute,
                    const struct text *name, struct entry *entry);
/* Everything of a new entry but its first lines. */
void history_entry(struct history *h, unsigned node);
/* The values of its name are in the entry. */
void entry_push_names(struct history *h, unsigned node);
/* "changetype", after the control. */
void history_type(struct history *h, const char *type);
/* All changes. */
void history_change(struct history *h);

#endif
