/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The map: which shards a DN belongs to (ditsplit(8), "MAP").
 *
 *   dit_split_map_read();  dit_split_map_find() ...;  dit_split_map_free()
 *
 * Most records lie below a parent that was seen before. So what a parent says about its
 * children is kept by its text: one set of shards for all of them, or the hash of their
 * RDN, or that each DN is to be looked up, since rules name children of this parent.
 *
 * Threads: a map belongs to one thread.
 */
#ifndef DITKIT_SPLIT_MAP_H
#define DITKIT_SPLIT_MAP_H

#include "files/fault.h"
#include "schema/schema.h"

struct dit_split_map;

/** Numbers of shards; points into the map. */
struct dit_split_shards {
	const uint32_t *list;
	size_t n; /* 0: no rule matches */
};

/**
 * Read a map.
 *
 * @param schema    compares DNs; borrowed
 * @param ret_line  on DIT_E_CONFIG the line with the fault
 *
 * @return 0; DIT_E_CONFIG with a fault; -ENOTSUP: no regular file; -errno: it cannot be
 *         read
 */
int dit_split_map_read(struct dit_split_map **ret, const char *path,
                       const struct dit_schema *schema, uint64_t *ret_line,
                       struct dit_fault *fault);
/** NULL is fine. */
void dit_split_map_free(struct dit_split_map *map);

/** The bytes of the file; points into the map. */
struct dit_span dit_split_map_text(const struct dit_split_map *map);
size_t dit_split_map_nshards(const struct dit_split_map *map);
const char *dit_split_map_name(const struct dit_split_map *map, size_t number);

/**
 * The shards of a DN. They depend on its text and the map alone, not on other DNs.
 *
 * @param dn  as written
 *
 * @return 0; DIT_E_INVALID, DIT_E_UNSUPPORTED: it is no DN, and that decides (the first
 *         RDN does not, where all children of its parent go together); -ENOMEM
 */
int dit_split_map_find(struct dit_split_map *map, struct dit_span dn,
                       struct dit_split_shards *ret);

#endif
