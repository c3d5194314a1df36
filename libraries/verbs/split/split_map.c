/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a DN to its shards.
 *
 *   the DN itself    "entry"?
 *   it and all above it, the nearest first: "below"? The first one decides: to some
 *   shards, or by the hash of the RDN directly below that base
 *
 * Most records lie below a parent that was seen before. So what a parent says about its
 * children is kept by its text, and made of the parent alone:
 *
 *   a rule names a child of the parent      each DN is parsed and looked up
 *   its nearest base hashes, and is itself  the first RDN is parsed and hashed
 *   else                                    nothing of the child is looked at
 *
 * Answers are kept in a table of fixed size, by the hash of the parent's text; a newer
 * one takes the place of an older one.
 */
#include "split/split_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "values/dn.h"
#include "values/dn_parse.h"

#define NANSWERS    4096 /* a power of two */
#define BLOCK_BYTES 65536

struct answer {
	char *text; /* of the parent; owned */
	size_t len; /* 0: there is no answer */
	size_t size;
	int error;                     /* the parent is no DN */
	bool is_looked_up;             /* each child is */
	const struct split_rule *rule; /* hashes the first RDN; NULL: see the shards */
	struct dit_split_shards shards;
};

struct dit_split_map {
	struct split_rules rules;
	struct dit_arena arena;    /* of one DN */
	struct dit_dn_cache cache; /* parents */
	struct answer answers[NANSWERS];
};

int dit_split_map_read(struct dit_split_map **ret, const char *path,
                       const struct dit_schema *schema, uint64_t *ret_line,
                       struct dit_fault *fault)
{
	struct dit_split_map *map = calloc(1, sizeof(*map));
	int r = 0;

	if (map == NULL) {
		return -ENOMEM;
	}
	map->rules.schema = schema;
	dit_arena_init(&map->arena, BLOCK_BYTES);
	r = dit_split_rules_read(&map->rules, path, ret_line, fault);
	return DIT_HAND_OVER(r, ret, map, dit_split_map_free);
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
	dit_arena_deinit(&map->rules.arena);
	free(map->rules.names);
	free(map->rules.list);
	free(map);
}

const struct split_rules *dit_split_map_rules(const struct dit_split_map *map)
{
	return &map->rules;
}

/* ---- a DN ---- */

/* The normal form of RDN @p number and all above it. */
static struct dit_span from(const struct dit_dn *dn, unsigned number)
{
	size_t at = number < dn->nrdns ? dn->norm_at[number] : dn->norm.len;

	return number < dn->nrdns
	               ? (struct dit_span){dn->norm.data + at, dn->norm.len - at}
	               : DIT_SPAN("");
}

/* The shards by the rule of a base. @param nbelow  so many RDNs of the DN lie below it */
static struct dit_split_shards below(const struct split_rule *rule,
                                     const struct dit_dn *dn, unsigned nbelow)
{
	struct dit_span rdn = {NULL, 0};
	uint64_t shard = 0;

	if (!rule->is_hashed || nbelow == 0) {
		return rule->shards;
	}
	rdn = from(dn, nbelow - 1);
	rdn.len -= from(dn, nbelow).len + (nbelow < dn->nrdns ? 1 : 0);
	shard = XXH64(rdn.data, rdn.len, rule->seed) % rule->shards.n;
	return (struct dit_split_shards){rule->shards.list + shard, 1};
}

/* The rule of the nearest base; NULL: none. @param ret_nbelow  see below() */
static const struct split_rule *nearest(const struct dit_split_map *map,
                                        const struct dit_dn *dn, unsigned *ret_nbelow)
{
	const struct split_rule *rule = NULL;

	for (unsigned i = 0; i <= dn->nrdns && rule == NULL; i++) {
		rule = dit_split_rules_find(&map->rules, from(dn, i), SPLIT_BELOW);
		*ret_nbelow = i;
	}
	return rule;
}

static struct dit_split_shards look_up(const struct dit_split_map *map,
                                       const struct dit_dn *dn)
{
	const struct split_rule *rule =
		dit_split_rules_find(&map->rules, from(dn, 0), SPLIT_ENTRY);
	unsigned nbelow = 0;

	if (rule != NULL) {
		return rule->shards;
	}
	rule = nearest(map, dn, &nbelow);
	return rule == NULL ? (struct dit_split_shards){NULL, 0}
	                    : below(rule, dn, nbelow);
}

/* ---- what a parent says ---- */

/* @return 0; negative: the parent is no DN, or -ENOMEM */
static int make_answer(struct dit_split_map *map, struct dit_span text,
                       struct answer *answer)
{
	struct dit_dn dn = {.nrdns = 0};
	const struct split_rule *rule = NULL;
	unsigned nbelow = 0;
	int r = 0;

	dit_arena_reset(&map->arena);
	r = dit_dn_parse(map->rules.schema, text, &map->arena, NULL, &dn);
	if (r < 0) {
		return r;
	}
	answer->is_looked_up =
		dit_split_rules_find(&map->rules, from(&dn, 0), SPLIT_PARENT) != NULL;
	rule = nearest(map, &dn, &nbelow);
	if (rule != NULL) {
		answer->rule = rule->is_hashed && nbelow == 0 ? rule : NULL;
		answer->shards = below(rule, &dn, nbelow);
	}
	return 0;
}

/* @return 0 or -ENOMEM */
static int get_answer(struct dit_split_map *map, struct dit_span parent,
                      const struct answer **ret)
{
	uint64_t hash = XXH3_64bits(parent.data, parent.len);
	struct answer *answer = &map->answers[hash & (NANSWERS - 1)];

	*ret = answer;
	if (answer->len == parent.len &&
	    memcmp(answer->text, parent.data, parent.len) == 0) {
		return 0;
	}
	*answer = (struct answer){.text = answer->text, .size = answer->size};
	if (parent.len > DIT_DN_MAX) {
		answer->error = DIT_E_INVALID;
		return 0;
	}
	if (DIT_GROW(answer->text, answer->size, parent.len) < 0) {
		return -ENOMEM;
	}
	answer->error = make_answer(map, parent, answer);
	if (answer->error == -ENOMEM) {
		return -ENOMEM;
	}
	memcpy(answer->text, parent.data, parent.len);
	answer->len = parent.len;
	return 0;
}

int dit_split_map_find(struct dit_split_map *map, struct dit_span text,
                       struct dit_split_shards *ret)
{
	static const struct answer none = {.is_looked_up = true};
	size_t stop = dit_dn_first_stop(text);
	const struct answer *answer = &none;
	struct dit_dn dn = {.nrdns = 0};
	int r = 0;

	if (stop > 0 && stop + 1 < text.len) {
		r = get_answer(
			map, (struct dit_span){text.data + stop + 1, text.len - stop - 1},
			&answer);
	}
	if (r < 0 || answer->error < 0) {
		return r < 0 ? r : answer->error;
	}
	if (!answer->is_looked_up && answer->rule == NULL) {
		*ret = answer->shards;
		return 0;
	}
	dit_arena_reset(&map->arena);
	r = dit_dn_parse(map->rules.schema, text, &map->arena, &map->cache, &dn);
	if (r == 0) {
		*ret = answer->is_looked_up ? look_up(map, &dn)
		                            : below(answer->rule, &dn, 1);
	}
	return r;
}
