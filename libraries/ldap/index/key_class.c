/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Class keys.
 *
 * "objectClass: inetOrgPerson" has the keys of inetOrgPerson, organizationalPerson,
 * person and top. A listed class counts as often as it is listed; a superclass is added
 * if it is neither listed nor added yet. Names of no class are hashed as they are.
 *
 * A directory has thousands of entries to each combination of classes, so the keys of a
 * list are remembered: one slot for each hash value, the newest list wins.
 */
#include "index/key_class.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define NSLOTS 64 /* a power of two; directories use few combinations of classes */

struct dit_class_keys_slot {
	const struct dit_index_def *def; /* NULL: empty */
	size_t nvalues;
	char *text; /* the values one after the other, each after its length */
	size_t text_size;
	uint64_t *keys;
	size_t nkeys;
	size_t keys_size;
};

void dit_class_keys_deinit(struct dit_class_keys_cache *cache)
{
	for (size_t i = 0; cache->slots != NULL && i < NSLOTS; i++) {
		free(cache->slots[i].text);
		free(cache->slots[i].keys);
	}
	free(cache->slots);
	free(cache->classes);
	*cache = (struct dit_class_keys_cache){0};
}

static struct dit_class_keys_slot *find_slot(struct dit_class_keys_cache *cache,
                                             const struct dit_index_def *def,
                                             const struct dit_span *values,
                                             size_t nvalues)
{
	uint32_t hash = def->db;

	for (size_t i = 0; i < nvalues; i++) {
		/* Length and last bytes tell class names apart well enough. */
		size_t n = values[i].len < 8 ? values[i].len : 8;

		hash = hash * 31 + (uint32_t)values[i].len;
		hash = dit_hash32(hash, values[i].data + values[i].len - n, n);
	}
	return &cache->slots[(hash ^ hash >> 16) & (NSLOTS - 1)];
}

static bool slot_holds(const struct dit_class_keys_slot *slot,
                       const struct dit_index_def *def, const struct dit_span *values,
                       size_t nvalues)
{
	const char *at = slot->text;

	if (slot->def != def || slot->nvalues != nvalues) {
		return false;
	}
	for (size_t i = 0; i < nvalues; i++) {
		if (memcmp(at, &values[i].len, sizeof(values[i].len)) != 0) {
			return false;
		}
		at += sizeof(values[i].len);
		if (values[i].len > 0 && memcmp(at, values[i].data, values[i].len) != 0) {
			return false;
		}
		at += values[i].len;
	}
	return true;
}

/** Remember the list itself. The slot is empty until the keys are there, too. */
static int slot_set_text(struct dit_class_keys_slot *slot, const struct dit_span *values,
                         size_t nvalues)
{
	size_t size = 1;
	char *at = NULL;

	for (size_t i = 0; i < nvalues; i++) {
		size += sizeof(values[i].len) + values[i].len;
	}
	at = dit_grow(slot->text, &slot->text_size, size, 1);
	if (at == NULL) {
		return -ENOMEM;
	}
	slot->text = at;
	for (size_t i = 0; i < nvalues; i++) {
		memcpy(at, &values[i].len, sizeof(values[i].len));
		at += sizeof(values[i].len);
		if (values[i].len > 0) {
			memcpy(at, values[i].data, values[i].len);
		}
		at += values[i].len;
	}
	slot->nvalues = nvalues;
	return 0;
}

static int add_class(struct dit_class_keys_cache *cache, const struct dit_class *oc)
{
	const struct dit_class **p = dit_grow(cache->classes, &cache->classes_size,
	                                      cache->nclasses + 1, sizeof(*p));

	if (p == NULL) {
		return -ENOMEM;
	}
	cache->classes = p;
	cache->classes[cache->nclasses++] = oc;
	return 0;
}

static bool has_class(const struct dit_class_keys_cache *cache,
                      const struct dit_class *oc)
{
	for (size_t i = 0; i < cache->nclasses; i++) {
		if (cache->classes[i] == oc) {
			return true;
		}
	}
	return false;
}

/** The classes are a list that grows while it is walked, until nothing is missing. */
static int add_superclasses(struct dit_class_keys_cache *cache)
{
	for (size_t i = 0; i < cache->nclasses; i++) {
		const struct dit_class **sup = cache->classes[i]->sups;

		for (; sup != NULL && *sup != NULL; sup++) {
			int r = has_class(cache, *sup) ? 0 : add_class(cache, *sup);

			if (r < 0) {
				return r;
			}
		}
	}
	return 0;
}

static int add_key(struct dit_class_keys_slot *slot, const struct dit_index_set *set,
                   const struct dit_index_def *def, struct dit_span name)
{
	uint64_t *p = dit_grow(slot->keys, &slot->keys_size, slot->nkeys + 1, sizeof(*p));

	if (p == NULL) {
		return -ENOMEM;
	}
	slot->keys = p;
	slot->keys[slot->nkeys++] =
		dit_hash_span(set->params.hash64, def->states.whole, name);
	return 0;
}

static int slot_fill(struct dit_class_keys_cache *cache, struct dit_class_keys_slot *slot,
                     const struct dit_index_set *set, const struct dit_index_def *def,
                     const struct dit_span *values, size_t nvalues)
{
	int r = 0;

	slot->def = NULL;
	slot->nkeys = 0;
	cache->nclasses = 0;
	for (size_t i = 0; i < nvalues && r == 0; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(set->schema, values[i]);

		r = oc != NULL ? add_class(cache, oc)
		               : add_key(slot, set, def, values[i]);
	}
	if (r == 0) {
		r = add_superclasses(cache);
	}
	for (size_t i = 0; i < cache->nclasses && r == 0; i++) {
		r = add_key(slot, set, def, dit_span_of(cache->classes[i]->name));
	}
	if (r == 0) {
		r = slot_set_text(slot, values, nvalues);
	}
	if (r == 0) {
		slot->def = def;
	}
	return r;
}

int dit_class_keys(struct dit_class_keys_cache *cache, const struct dit_index_set *set,
                   const struct dit_index_def *def, const struct dit_span *values,
                   size_t nvalues, const uint64_t **ret)
{
	struct dit_class_keys_slot *slot = NULL;
	int r = 0;

	if (cache->slots == NULL) {
		cache->slots = calloc(NSLOTS, sizeof(*cache->slots));
		if (cache->slots == NULL) {
			return -ENOMEM;
		}
	}
	slot = find_slot(cache, def, values, nvalues);
	if (!slot_holds(slot, def, values, nvalues)) {
		r = slot_fill(cache, slot, set, def, values, nvalues);
		if (r < 0) {
			return r;
		}
	}
	*ret = slot->keys;
	return (int)slot->nkeys;
}
