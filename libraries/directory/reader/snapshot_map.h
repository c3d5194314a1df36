/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all snapshots do with the mapped file: its named databases, scans of them, its
 * free pages. The file may be damaged: functions return DIT_E_CORRUPT then.
 *
 * Threads: a map is constant; a scan belongs to one thread.
 */
#ifndef DITKIT_SNAPSHOT_MAP_H
#define DITKIT_SNAPSHOT_MAP_H

#include "page/page_map.h"
#include "reader/snapshot_impl.h"

/** The databases, the number and the size of the pages. 0; DIT_E_CORRUPT; -ENOMEM;
 * MDB_DBS_FULL: more databases than slapd can have */
int dit_map_read_dbs(struct dit_snapshot *base, const struct dit_page_map *map);

/** The record of a named database. 1; 0: there is none; DIT_E_CORRUPT; -ENOMEM */
int dit_map_find_tree(const struct dit_page_map *map, const char *name,
                      struct dit_tree_record *ret);

/**
 * @param map   borrowed; outlives the scan and what the scan returns
 * @param name  of the database, which says how its keys are ordered
 * @param tree  copied
 *
 * @return 0; DIT_E_CORRUPT; -ENOMEM
 */
int dit_map_scan_open(struct dit_scan **ret, const struct dit_page_map *map,
                      const char *name, const struct dit_tree_record *tree);

/** Pages in the free list, of LMDB 0.9. 0; DIT_E_CORRUPT; -ENOMEM */
int dit_map_count_free(const struct dit_page_map *map, uint64_t *ret);

#endif
