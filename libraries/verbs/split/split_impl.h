/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a split, for the files of this room: from a DN to its shards, the files of
 * the shards.
 *
 *   dit_split_map_read();     dit_split_map_find() ...;    dit_split_map_free()
 *   dit_split_output_open();  dit_split_output_put() ...;  dit_split_output_finish()
 *   and in every case         dit_split_output_close()
 *
 * Threads: a map and an output belong to one thread.
 */
#ifndef DITKIT_SPLIT_IMPL_H
#define DITKIT_SPLIT_IMPL_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/stop.h"
#include "files/fault.h"
#include "ldif/ldif_write.h"
#include "result/export_file.h"
#include "result/export_pack.h"
#include "schema/schema.h"
#include "split/split.h"
#include "values/dn.h"

/* ---- split_map.c ---- */

/** Numbers of shards; points into the map. */
struct dit_split_shards {
	const uint32_t *list;
	size_t n; /* 0: no rule matches */
};

enum split_rule_kind {
	SPLIT_BELOW,
	SPLIT_ENTRY,
	SPLIT_PARENT, /* no line: it is the parent of a DN that has one */
};

/** A line of a map. A DN has no more than one of each word. */
struct split_rule {
	struct dit_span norm; /* normal form of the DN */
	enum split_rule_kind kind;
	struct dit_split_shards shards;
	bool is_hashed;
	uint64_t seed;
	uint64_t line;
};

/** A map: which shards a DN belongs to (ditsplit(8), "MAP"). */
struct dit_split_map {
	const struct dit_schema *schema; /* compares DNs; borrowed */
	struct dit_arena kept;           /* all that the lists point to */
	struct dit_span text;            /* of the file */
	const char **names;              /* of the shards */
	size_t nnames;
	size_t names_size;
	struct split_rule *rules; /* by DN and kind */
	size_t nrules;
	size_t rules_size;
	struct dit_arena arena;       /* of one DN */
	struct dit_dn_cache cache;    /* parents */
	struct split_answer *answers; /* by the hash of a parent */
};

/**
 * Read a map.
 *
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

/**
 * The shards of a DN. They depend on its text and the map alone, not on other DNs.
 *
 * @param dn  as written
 *
 * @return 0; DIT_E_INVALID, DIT_E_UNSUPPORTED: the text is no DN. The first RDN is not
 *         looked at where all children of its parent go together. -ENOMEM
 */
int dit_split_map_find(struct dit_split_map *map, struct dit_span dn,
                       struct dit_split_shards *ret);

/* ---- split_output.c ---- */

/** Begins the line in front of a copy of the map: which parts belong together. */
#define SPLIT_LABEL "# ditsplit: "

struct dit_split_file {
	char *path; /* owned */
	struct dit_export_file file;
	struct dit_digest *digest; /* of what was written */
	struct dit_sum128 map;     /* the digest of the copy of the map */
	struct dit_ldif_text text;
};

/** Zero is closed. */
struct dit_split_output {
	struct dit_split_file *files; /* one for each shard */
	size_t nfiles;
	const struct dit_split_map *map;
	uint64_t input_bytes;      /* of all parts together; the caller counts them */
	struct dit_packer *packer; /* NULL: not packed */
	struct dit_split_stats *stats;
	const struct dit_stop *stop;
	char *failed;                 /* owned; the path of the last failure */
	char why[DIT_PATH_WHY_BYTES]; /* where the code says too little; else "" */
};

/**
 * Make the folders, and open a file in each.
 *
 * @param stats  gets the shards; borrowed, as the map and the stop
 *
 * @return 0; -errno
 */
int dit_split_output_open(struct dit_split_output *output,
                          const struct dit_split_opts *opts,
                          const struct dit_split_map *map, const struct dit_stop *stop,
                          struct dit_split_stats *stats);

/** A record and a blank line, to all these shards. 0; -errno; DIT_E_STOPPED */
int dit_split_output_put(struct dit_split_output *output, struct dit_span record,
                         const struct dit_split_shards *shards);

/** All files appear, then the maps, then the digests. 0; -errno; DIT_E_STOPPED */
int dit_split_output_finish(struct dit_split_output *output);

/** Files that have not appeared are removed. */
void dit_split_output_close(struct dit_split_output *output);

#endif
