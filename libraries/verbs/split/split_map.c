/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a DN to its shards.
 *
 *   the DN itself    "entry"?
 *   it and all above it, the nearest first: "below"? The first one decides: to some
 *   shards, or by the hash of the RDN directly below that base
 *
 * A parent's answer is made of the parent alone:
 *
 *   a rule names a child of the parent      LOOK    each DN is parsed and looked up
 *   its nearest base hashes, and is itself  CHILD   the first RDN is parsed and hashed
 *   else                                    SAME    nothing of the child is looked at
 *
 * Answers are kept in a table of fixed size, by the hash of the parent's text; a newer
 * one takes the place of an older one.
 */
#include "split/split_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/grow.h"
#include "split/split_rules.h"
#include "values/dn.h"
#include "values/dn_parse.h"

#define NANSWERS    4096 /* a power of two */
#define BLOCK_BYTES 65536

enum answer_kind {
	NONE,
	SAME,
	CHILD,
	LOOK,
	NO_DN
};

struct answer {
	uint64_t hash;
	enum answer_kind kind;
	int error;                      /* of NO_DN */
	struct dit_split_shards shards; /* of SAME */
	const struct split_rule *rule;  /* of CHILD */
	char *text;                     /* of the parent; owned */
	size_t len;
	size_t size;
};

struct dit_split_map {
	struct split_rules rules;
	struct dit_arena arena;    /* of one DN */
	struct dit_dn_cache cache; /* the last parent */
	struct answer answers[NANSWERS];
};

int dit_split_map_read(struct dit_split_map **ret, const char *path,
                       const struct dit_schema *schema, char *why, size_t why_size)
{
	struct dit_split_map *map = calloc(1, sizeof(*map));
	int r = 0;

	if (map == NULL) {
		return -ENOMEM;
	}
	map->rules.schema = schema;
	dit_arena_init(&map->arena, BLOCK_BYTES);
	r = dit_split_rules_read(&map->rules, path, why, why_size);
	if (r < 0) {
		dit_split_map_free(map);
		return r;
	}
	*ret = map;
	return 0;
}

void dit_split_map_free(struct dit_split_map *map)
{
	if (map == NULL) {
		return;
	}
	for (size_t i = 0; i < NANSWERS; i++) {
		free(map->answers[i].text);
	}
	dit_dn_cache_deinit(&map->cache);
	dit_arena_deinit(&map->arena);
	dit_split_rules_deinit(&map->rules);
	free(map);
}

size_t dit_split_map_nshards(const struct dit_split_map *map)
{
	return map->rules.nnames;
}

const char *dit_split_map_name(const struct dit_split_map *map, size_t number)
{
	return map->rules.names[number];
}

/* ---- a DN ---- */

static int parse(struct dit_split_map *map, struct dit_span text, struct dit_dn *ret)
{
	dit_arena_reset(&map->arena);
	return dit_dn_parse(map->rules.schema, text, &map->arena, &map->cache, ret);
}

/* The normal form of RDN @p number and all above it. */
static struct dit_span from(const struct dit_dn *dn, unsigned number)
{
	size_t at = number < dn->nrdns ? dn->norm_at[number] : dn->norm.len;

	return number < dn->nrdns
	               ? (struct dit_span){dn->norm.data + at, dn->norm.len - at}
	               : DIT_SPAN("");
}

/* The shard of a normal RDN. */
static struct dit_split_shards hashed(const struct split_rule *rule,
                                      const struct dit_dn *dn, unsigned number)
{
	struct dit_span all = from(dn, number);
	struct dit_span above = from(dn, number + 1);
	size_t len = all.len - above.len - (above.len > 0 ? 1 : 0);
	uint64_t shard = XXH64(all.data, len, rule->seed) % rule->below.n;

	return (struct dit_split_shards){rule->below.list + shard, 1};
}

/* The rule of the nearest base. @param ret_number  of the base's first RDN in the DN */
static const struct split_rule *nearest(const struct dit_split_map *map,
                                        const struct dit_dn *dn, unsigned *ret_number)
{
	for (unsigned i = 0; i <= dn->nrdns; i++) {
		const struct split_rule *rule =
			dit_split_rules_find(&map->rules, from(dn, i));

		if (rule != NULL && rule->below.n > 0) {
			*ret_number = i;
			return rule;
		}
	}
	return NULL;
}

static struct dit_split_shards look_up(const struct dit_split_map *map,
                                       const struct dit_dn *dn)
{
	const struct split_rule *rule = dit_split_rules_find(&map->rules, from(dn, 0));
	unsigned number = 0;

	if (rule != NULL && rule->own.n > 0) {
		return rule->own;
	}
	rule = nearest(map, dn, &number);
	if (rule == NULL) {
		return (struct dit_split_shards){NULL, 0};
	}
	return rule->is_hashed && number > 0 ? hashed(rule, dn, number - 1) : rule->below;
}

/* ---- what a parent says ---- */

static void make_answer(struct dit_split_map *map, struct dit_span text,
                        struct answer *answer)
{
	struct dit_dn dn = {.nrdns = 0};
	const struct split_rule *rule = NULL;
	unsigned number = 0;

	dit_arena_reset(&map->arena);
	answer->error = dit_dn_parse(map->rules.schema, text, &map->arena, NULL, &dn);
	if (answer->error < 0) {
		answer->kind = NO_DN;
		return;
	}
	rule = dit_split_rules_find(&map->rules, from(&dn, 0));
	if (rule != NULL && rule->has_children) {
		answer->kind = LOOK;
		return;
	}
	rule = nearest(map, &dn, &number);
	answer->kind = SAME;
	answer->shards = (struct dit_split_shards){NULL, 0};
	if (rule != NULL && rule->is_hashed && number == 0) {
		answer->kind = CHILD;
		answer->rule = rule;
	} else if (rule != NULL) {
		answer->shards =
			rule->is_hashed ? hashed(rule, &dn, number - 1) : rule->below;
	}
}

/* @return 0 or -ENOMEM */
static int get_answer(struct dit_split_map *map, struct dit_span parent,
                      const struct answer **ret)
{
	uint64_t hash = XXH3_64bits(parent.data, parent.len);
	struct answer *answer = &map->answers[hash & (NANSWERS - 1)];

	*ret = answer;
	if (answer->kind != NONE && answer->hash == hash && answer->len == parent.len &&
	    memcmp(answer->text, parent.data, parent.len) == 0) {
		return 0;
	}
	answer->kind = NONE;
	if (parent.len > DIT_DN_MAX) {
		return DIT_E_INVALID;
	}
	if (DIT_GROW(answer->text, answer->size, parent.len + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(answer->text, parent.data, parent.len);
	answer->len = parent.len;
	answer->hash = hash;
	make_answer(map, parent, answer);
	if (answer->kind == NO_DN && answer->error == -ENOMEM) {
		answer->kind = NONE;
		return -ENOMEM;
	}
	return 0;
}

/* The DN has to be parsed. @param rule  hashes its first RDN; NULL: look it up */
static int find_by_dn(struct dit_split_map *map, struct dit_span text,
                      const struct split_rule *rule, struct dit_split_shards *ret)
{
	struct dit_dn dn = {.nrdns = 0};
	int r = parse(map, text, &dn);

	if (r == 0) {
		*ret = rule == NULL ? look_up(map, &dn) : hashed(rule, &dn, 0);
	}
	return r;
}

int dit_split_map_find(struct dit_split_map *map, struct dit_span dn,
                       struct dit_split_shards *ret)
{
	size_t stop = dit_dn_first_stop(dn);
	const struct answer *answer = NULL;
	int r = 0;

	if (stop == 0) {
		return find_by_dn(map, dn, NULL, ret);
	}
	if (stop + 1 == dn.len) {
		return DIT_E_INVALID;
	}
	r = get_answer(map, (struct dit_span){dn.data + stop + 1, dn.len - stop - 1},
	               &answer);
	if (r < 0) {
		return r;
	}
	switch (answer->kind) {
	case SAME:
		*ret = answer->shards;
		return 0;
	case NO_DN:
		return answer->error;
	case NONE:
	case CHILD:
	case LOOK:
		break;
	}
	return find_by_dn(map, dn, answer->kind == CHILD ? answer->rule : NULL, ret);
}
