/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a map, and the way from a text to them. For the files of this room only.
 *
 * Threads: as the map.
 */
#ifndef DITKIT_SPLIT_RULES_H
#define DITKIT_SPLIT_RULES_H

#include "base/arena.h"
#include "schema/schema.h"
#include "split/split_map.h"

/** What the map says about one DN. A DN has no more than one line of each word. */
struct split_rule {
	struct dit_span norm;          /* normal form; data NULL: an empty place */
	struct dit_split_shards own;   /* "entry"; n 0: there is no such line */
	struct dit_split_shards below; /* "below"; likewise */
	bool is_hashed;
	uint64_t seed;
	bool has_children; /* it is the parent of a DN with a line */
};

/** Of which file is read, and what is known so far. */
struct split_rules {
	const struct dit_schema *schema;
	struct dit_arena arena; /* of all that is kept */
	const char **names;     /* of the shards */
	size_t nnames;
	size_t names_size;
	struct split_rule *rules; /* a hash table; its size is a power of two */
	size_t nrules;
	size_t size;
};

/** The rule of a DN; NULL: there is none. */
struct split_rule *dit_split_rules_find(const struct split_rules *rules,
                                        struct dit_span norm);

/** As dit_split_map_read(); to be deinitialised in every case. */
int dit_split_rules_read(struct split_rules *rules, const char *path, char *why,
                         size_t why_size);
void dit_split_rules_deinit(struct split_rules *rules);

#endif
