/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The per-thread cache of attribute descriptions.
 *
 * Loading looks up one description per line of LDIF, nearly always in a spelling that it
 * has met before. The cache maps spellings, byte for byte, to results: one hash, one
 * comparison, no lock. Failures are not kept; they end an entry or the load. The hash has
 * a random seed, so no author can write an LDIF whose names all want one slot.
 */
#include "schema/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include <xxhash.h>

#include "base/arena.h"
#include "schema/schema_private.h"

#define CACHE_SLOTS_MIN 256
/* Input that makes up options without end must not fill the memory. */
#define CACHE_SLOTS_MAX 16384
#define CACHE_BLOCK     4096

struct cache_slot {
	struct dit_span name; /* NULL data: free */
	uint64_t hash;
	const struct dit_ad *ad;
};

struct dit_ad_cache {
	struct dit_arena arena; /* the spellings */
	struct cache_slot *slots;
	size_t nslots; /* power of two */
	size_t nused;
	uint64_t seed;
};

int dit_ad_cache_new(struct dit_ad_cache **ret)
{
	struct dit_ad_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL) {
		return -ENOMEM;
	}
	dit_arena_init(&cache->arena, CACHE_BLOCK);
	if (getrandom(&cache->seed, sizeof(cache->seed), 0) < 0) {
		free(cache);
		return -errno;
	}
	cache->nslots = CACHE_SLOTS_MIN;
	cache->slots = calloc(cache->nslots, sizeof(*cache->slots));
	if (cache->slots == NULL) {
		free(cache);
		return -ENOMEM;
	}
	*ret = cache;
	return 0;
}

void dit_ad_cache_free(struct dit_ad_cache *cache)
{
	if (cache == NULL) {
		return;
	}
	dit_arena_deinit(&cache->arena);
	free(cache->slots);
	free(cache);
}

/* The slot of the name, or the free one where it belongs. */
static struct cache_slot *cache_slot(struct dit_ad_cache *cache, struct dit_span name,
                                     uint64_t hash)
{
	size_t i = (size_t)hash & (cache->nslots - 1);

	while (cache->slots[i].name.data != NULL &&
	       !(cache->slots[i].hash == hash &&
	         dit_span_eq(cache->slots[i].name, name))) {
		i = (i + 1) & (cache->nslots - 1);
	}
	return &cache->slots[i];
}

/* Double the table; at its limit forget everything instead. Without memory: the same. */
static void cache_grow(struct dit_ad_cache *cache)
{
	struct cache_slot *old = cache->slots;
	size_t nold = cache->nslots;
	struct cache_slot *slots = NULL;

	if (nold < CACHE_SLOTS_MAX) {
		slots = calloc(nold * 2, sizeof(*slots));
	}
	if (slots == NULL) {
		memset(old, 0, nold * sizeof(*old));
		cache->nused = 0;
		dit_arena_reset(&cache->arena);
		return;
	}
	cache->slots = slots;
	cache->nslots = nold * 2;
	for (size_t i = 0; i < nold; i++) {
		if (old[i].name.data != NULL) {
			*cache_slot(cache, old[i].name, old[i].hash) = old[i];
		}
	}
	free(old);
}

/* Remember; without memory the next look-up is slow again, that is all. */
static void cache_add(struct dit_ad_cache *cache, struct dit_span name, uint64_t hash,
                      const struct dit_ad *ad)
{
	struct dit_span copy = {0};

	if (cache->nused >= cache->nslots / 2) {
		cache_grow(cache);
	}
	copy = dit_arena_copy(&cache->arena, name);
	if (copy.data != NULL) {
		*cache_slot(cache, name, hash) = (struct cache_slot){copy, hash, ad};
		cache->nused++;
	}
}

int dit_ad_find(struct dit_schema *schema, struct dit_ad_cache *cache,
                struct dit_span name, const struct dit_ad **ret, const char **ret_reason)
{
	const struct dit_ad *ad = NULL;
	uint64_t hash = 0;
	int r = 0;

	if (cache == NULL) {
		return dit_ad_resolve(schema, name, ret, ret_reason);
	}
	hash = XXH3_64bits_withSeed(name.data, name.len, cache->seed);
	ad = cache_slot(cache, name, hash)->ad;
	if (ad != NULL) {
		*ret = ad;
		return 0;
	}
	r = dit_ad_resolve(schema, name, ret, ret_reason);
	if (r == 0) {
		cache_add(cache, name, hash, *ret);
	}
	return r;
}
