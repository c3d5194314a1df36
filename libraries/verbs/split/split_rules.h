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

enum split_rule_kind {
	SPLIT_BELOW,
	SPLIT_ENTRY,
	SPLIT_PARENT, /* no line: it is the parent of a DN that has one */
};

/** A line. A DN has no more than one of each word. */
struct split_rule {
	struct dit_span norm; /* normal form of the DN */
	enum split_rule_kind kind;
	struct dit_split_shards shards;
	bool is_hashed;
	uint64_t seed;
	uint64_t line;
};

struct split_rules {
	const struct dit_schema *schema;
	struct dit_arena arena; /* of all that is kept */
	struct dit_span text;   /* of the map */
	const char **names;     /* of the shards */
	size_t nnames;
	size_t names_size;
	struct split_rule *list; /* by DN and kind */
	size_t n;
	size_t size;
};

/** The rule of a DN; NULL: there is none. */
const struct split_rule *dit_split_rules_find(const struct split_rules *rules,
                                              struct dit_span norm,
                                              enum split_rule_kind kind);

/** As dit_split_map_read(); to be deinitialised in every case. */
int dit_split_rules_read(struct split_rules *rules, const char *path, uint64_t *ret_line,
                         struct dit_fault *fault);
void dit_split_rules_deinit(struct split_rules *rules);

#endif
