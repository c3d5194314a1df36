/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of all shards.
 *
 *   dit_split_output_open();  dit_split_output_put() ...;  dit_split_output_finish()
 *   and in every case  dit_split_output_close()
 *
 * A shard's text is written when there are DIT_SPLIT_TEXT_BYTES of it, packed as a member
 * or frame of its own. So the bytes of a file depend on its records alone.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_SPLIT_OUTPUT_H
#define DITKIT_SPLIT_OUTPUT_H

#include "base/digest.h"
#include "base/stop.h"
#include "ldif/ldif_write.h"
#include "result/export_file.h"
#include "result/export_pack.h"
#include "split/split.h"
#include "split/split_map.h"

#define DIT_SPLIT_TEXT_BYTES ((size_t)512 << 10)

struct dit_split_file {
	char *path; /* owned */
	struct dit_export_file file;
	struct dit_digest *digest; /* of what was written */
	struct dit_ldif_text text;
};

/** Zero is closed. */
struct dit_split_output {
	struct dit_split_file *files; /* one for each shard */
	size_t nfiles;
	const struct dit_split_map *map;
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
