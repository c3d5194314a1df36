/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot's state is registered next to other processes, so that writers leave its
 * pages alone (locks/lmdb_reader.h). A file that the caller has claimed needs nothing.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/object.h"
#include "files/data_seal.h"
#include "files/fault.h"
#include "files/format_check.h"
#include "locks/claim.h"
#include "reader/snapshot_impl.h"

static struct dit_snapshot *snapshot_new(const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (snapshot != NULL) {
		snapshot->nreaders = opts->nreaders;
		snapshot->nspare = opts->nspare;
	}
	return snapshot;
}

/* ---- next to other processes ---- */

static int open_readers(struct dit_snapshot *snapshot, const char *directory,
                        const struct dit_page_format *format,
                        const struct dit_snapshot_opts *opts)
{
	const struct dit_lmdb_reader_opts reader_opts = {.format = format,
	                                                 .nspare = opts->nspare,
	                                                 .is_writer = opts->is_writer,
	                                                 .no_lock_file =
	                                                         opts->no_lock_file,
	                                                 .wait_ms = opts->wait_ms,
	                                                 .fault = opts->fault};
	int r = -ENOMEM;

	snapshot->spare_maps = calloc(opts->nspare + 1, sizeof(*snapshot->spare_maps));
	if (snapshot->spare_maps == NULL) {
		return r;
	}
	r = dit_lmdb_reader_open(&snapshot->reader, directory, &reader_opts);
	if (r < 0) {
		return r;
	}
	snapshot->is_held = snapshot->reader->lock_fd >= 0;
	r = dit_page_source_open(&snapshot->map, snapshot->reader->data_fd, format,
	                         &snapshot->reader->metas);
	return r ?: dit_snapshot_read_dbs(snapshot);
}

static int open_registered(struct dit_snapshot **ret, const char *directory,
                           const struct dit_page_format *format,
                           const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *snapshot = snapshot_new(opts);
	int r = snapshot == NULL ? -ENOMEM
	                         : open_readers(snapshot, directory, format, opts);

	return DIT_HAND_OVER(r, ret, snapshot, dit_snapshot_close);
}

int dit_snapshot_register(struct dit_snapshot **ret, const char *directory,
                          const struct dit_snapshot_opts *opts)
{
	int r = open_registered(ret, directory, &dit_lmdb_09, opts);

	return r == DIT_E_FORMAT ? open_registered(ret, directory,
	                                           dit_data_format_10(opts->sealed), opts)
	                         : r;
}

int dit_snapshot_renew(struct dit_snapshot *snapshot, unsigned reader)
{
	struct dit_page_source *map = NULL;
	struct dit_metas metas;
	int r = 0;

	if (reader < snapshot->nreaders ||
	    reader - snapshot->nreaders >= snapshot->nspare) {
		return -EINVAL;
	}
	if (snapshot->reader == NULL) {
		return -ENOTSUP;
	}
	map = dit_snapshot_spare_map(snapshot, reader);
	dit_page_source_close(map);
	r = dit_lmdb_reader_renew(snapshot->reader, reader - snapshot->nreaders, &metas);
	return r < 0 ? r
	             : dit_page_source_open(map, snapshot->map.fd, snapshot->map.format,
	                                    &metas);
}

/* ---- under a claim, or not ---- */

static int open_claimed(struct dit_snapshot **ret, const struct dit_snapshot_opts *opts)
{
	bool is_09 = dit_format_check(opts->claimed_fd) == 0;
	struct dit_snapshot *snapshot = snapshot_new(opts);
	int r = -ENOMEM;

	if (snapshot != NULL) {
		r = dit_page_source_open(
			&snapshot->map, opts->claimed_fd,
			is_09 ? &dit_lmdb_09 : dit_data_format_10(opts->sealed), NULL);
		r = r ?: dit_snapshot_read_dbs(snapshot);
	}
	return DIT_HAND_OVER(r, ret, snapshot, dit_snapshot_close);
}

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	struct dit_fault holder = {""};
	int r = 0;

	if (opts->nreaders == 0) {
		return -EINVAL;
	}
	if (opts->is_claimed) {
		return open_claimed(ret, opts);
	}
	r = dit_snapshot_register(ret, directory, opts);
	if (r != DIT_E_BUSY || opts->fault == NULL) {
		return r;
	}
	holder = *opts->fault;
	return dit_fault_say(opts->fault, r,
	                     "%s has the database, and keeps all others away",
	                     dit_claim_holder(&holder));
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	dit_page_source_close(&snapshot->map);
	for (unsigned i = 0; snapshot->spare_maps != NULL && i < snapshot->nspare; i++) {
		dit_page_source_close(&snapshot->spare_maps[i]);
	}
	free(snapshot->spare_maps);
	dit_lmdb_reader_close(snapshot->reader);
	dit_snapshot_forget_dbs(snapshot);
	free(snapshot);
}
