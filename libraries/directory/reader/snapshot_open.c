/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a snapshot's state is kept while it is read.
 *
 * Next to other processes: a read transaction is registered, so that writers leave the
 * pages of its state alone (locks/lmdb_reader.h). LMDB 0.9: liblmdb registers it, and
 * makes lock.mdb if no other process has the database open. It reads nothing but the meta
 * pages.
 *
 * LMDB 1.0 that no process has open: a claim (claim.h) keeps all others away. A file that
 * the caller has claimed needs neither, of either format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "files/format_check.h"
#include "locks/lock_file.h"
#include "reader/snapshot_impl.h"

#define ATTEMPTS 1000 /* to see a state while others commit */
/* to read what others open and close: LMDB keeps all others away while it sets up
 * lock.mdb, a loader does as long as it runs */
#define ATTEMPTS_10 50
#define PAUSE_MS    20

static struct dit_snapshot *snapshot_new(const struct dit_page_format *format,
                                         const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (snapshot != NULL) {
		snapshot->format = format;
		snapshot->nreaders = opts->nreaders;
		snapshot->nspare = opts->nspare;
		snapshot->claim.dir_fd = -1;
	}
	return snapshot;
}

/* ---- next to other processes ---- */

/*
 * Called before the readers begin. Two commits later no meta page has this state; then
 * the readers begin in a later one, and this function is called again. Without a map it
 * was not: lock.mdb alone says that there is such a state.
 */
static int open_dbs(void *ctx, int data_fd, uint64_t txn_id)
{
	struct dit_snapshot *snapshot = ctx;
	int r = 0;

	dit_page_map_close(&snapshot->map);
	r = dit_page_map_open(&snapshot->map, data_fd, snapshot->format, txn_id);
	if (r == -ESTALE) {
		return 0;
	}
	return r < 0 ? r : dit_snapshot_read_dbs(snapshot);
}

int dit_snapshot_is_of_another(struct dit_fault *fault)
{
	return dit_fault_say(fault, DIT_E_CORRUPT,
	                     DIT_LOCK_NAME
	                     " in it names a state that " DIT_DATA_NAME
	                     " does not have: they are of different databases");
}

static int open_readers(struct dit_snapshot *snapshot, const char *directory,
                        const struct dit_snapshot_opts *opts, bool may_be_first)
{
	const struct dit_lmdb_reader_opts reader_opts = {
		.n = opts->nreaders + opts->nspare,
		.nspare = opts->nspare,
		.no_lock = opts->no_lock,
		.no_lock_file = opts->no_lock_file,
		.is_lmdb_10 = dit_snapshot_is_lmdb_10(snapshot),
		.may_be_first = may_be_first,
		.sealed = opts->sealed,
		.wait_ms = opts->wait_ms,
		.fault = opts->fault};
	int r = 0;

	if (snapshot->spare_maps == NULL) {
		snapshot->spare_maps =
			calloc(opts->nspare + 1, sizeof(*snapshot->spare_maps));
	}
	if (snapshot->spare_maps == NULL) {
		return -ENOMEM;
	}
	r = dit_lmdb_reader_open(&snapshot->reader, directory, &reader_opts, open_dbs,
	                         snapshot);
	if (r < 0) {
		return r;
	}
	if (!dit_page_map_is_open(&snapshot->map)) {
		return dit_snapshot_is_of_another(opts->fault);
	}
	snapshot->data_fd = snapshot->reader->data_fd;
	snapshot->is_held = snapshot->reader->lock_fd >= 0;
	return 0;
}

static int open_registered(struct dit_snapshot **ret, const char *directory,
                           const struct dit_page_format *format,
                           const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *snapshot = snapshot_new(format, opts);
	int r = snapshot == NULL ? -ENOMEM
	                         : open_readers(snapshot, directory, opts, true);

	if (r < 0) {
		dit_snapshot_close(snapshot);
		return r;
	}
	*ret = snapshot;
	return 0;
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
	uint64_t txn_id = 0;
	int r = -ESTALE;

	if (reader < snapshot->nreaders ||
	    reader - snapshot->nreaders >= snapshot->nspare) {
		return -EINVAL;
	}
	if (snapshot->reader == NULL) {
		return -ENOTSUP;
	}
	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		struct dit_page_map *map = dit_snapshot_spare_map(snapshot, reader);

		r = dit_lmdb_reader_renew(snapshot->reader, reader, &txn_id);
		if (r == 0) {
			dit_page_map_close(map);
			r = dit_page_map_open(map, snapshot->data_fd, snapshot->format,
			                      txn_id);
		}
	}
	return r;
}

/* ---- LMDB 1.0, and claimed files ---- */

/* Before a claim, which may make a lock.mdb: is this a file that can be read here? */
static int look(int dir_fd, const struct dit_page_format *sealed, struct dit_fault *fault)
{
	int fd = dit_data_open_10(dir_fd, O_RDONLY, sealed, fault);

	if (fd >= 0) {
		(void)close(fd);
	}
	return fd < 0 ? fd : 0;
}

/* @param fault  after DIT_E_BUSY the name of a process */
static int claim(struct dit_snapshot *snapshot, const char *directory,
                 const struct dit_snapshot_opts *opts, struct dit_fault *fault)
{
	int dir_fd = dit_directory_open(directory, fault);
	int r = dir_fd < 0 ? dir_fd : look(dir_fd, opts->sealed, fault);

	if (r < 0) {
		if (dir_fd >= 0) {
			(void)close(dir_fd);
		}
		return r;
	}
	r = dit_claim_take_reading(&snapshot->claim, dir_fd, !opts->no_lock_file, fault);
	if (r < 0) {
		snapshot->claim.dir_fd = -1;
		return r;
	}
	snapshot->is_held = snapshot->claim.lock_fd >= 0;
	r = dit_data_open_10(snapshot->claim.dir_fd, O_RDONLY, opts->sealed, fault);
	if (r < 0) {
		return r;
	}
	snapshot->data_fd = r;
	snapshot->owns_fd = true;
	return 0;
}

/* Between the two steps a process may open the database, or close it. */
static int claim_or_register(struct dit_snapshot *snapshot, const char *directory,
                             const struct dit_snapshot_opts *opts)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};
	struct dit_fault fault = {""};

	for (int i = 0; i < ATTEMPTS_10; i++) {
		int r = 0;

		fault = (struct dit_fault){""};
		r = claim(snapshot, directory, opts, &fault);
		if (r != DIT_E_BUSY) {
			return fault.text[0] == '\0'
			               ? r
			               : dit_fault_say(opts->fault, r, "%s", fault.text);
		}
		r = open_readers(snapshot, directory, opts, false);
		if (r != DIT_E_BUSY && r != -ENOENT) {
			return r;
		}
		(void)nanosleep(&pause, NULL);
	}
	return dit_fault_say(opts->fault, DIT_E_BUSY,
	                     "%s has the database, and keeps all others away",
	                     dit_claim_holder(&fault));
}

static int open_file(struct dit_snapshot *snapshot, const char *directory,
                     const struct dit_snapshot_opts *opts)
{
	int r = 0;

	if (opts->is_claimed) {
		snapshot->data_fd = opts->claimed_fd;
	} else {
		r = claim_or_register(snapshot, directory, opts);
	}
	if (r < 0 || snapshot->reader != NULL) {
		return r;
	}
	r = dit_page_map_open(&snapshot->map, snapshot->data_fd, snapshot->format,
	                      DIT_PAGE_MAP_NEWEST);
	return r < 0 ? r : dit_snapshot_read_dbs(snapshot);
}

static int open_pages(struct dit_snapshot **ret, const char *directory,
                      const struct dit_snapshot_opts *opts)
{
	bool is_09 = opts->is_claimed && dit_format_check(opts->claimed_fd) == 0;
	struct dit_snapshot *snapshot = snapshot_new(
		is_09 ? &dit_lmdb_09 : dit_data_format_10(opts->sealed), opts);
	int r = snapshot == NULL ? -ENOMEM : open_file(snapshot, directory, opts);

	if (r < 0) {
		dit_snapshot_close(snapshot);
		return r;
	}
	*ret = snapshot;
	return 0;
}

/* ---- either ---- */

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	int r = 0;

	if (opts->nreaders == 0) {
		return -EINVAL;
	}
	if (opts->is_claimed) {
		return open_pages(ret, directory, opts);
	}
	r = open_registered(ret, directory, &dit_lmdb_09, opts);
	return r == DIT_E_FORMAT ? open_pages(ret, directory, opts) : r;
}

int dit_snapshot_open(struct dit_snapshot **ret, const char *directory)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1, .no_lock = true};

	return dit_snapshot_open_readers(ret, directory, &opts);
}

/* Nothing was changed. A process that waits goes on with lock.mdb, and needs one with
 * content. */
static enum dit_claim_end end_of(const struct dit_snapshot *snapshot)
{
	return snapshot->claim.lock_fd >= 0 && snapshot->owns_fd &&
	                       dit_lock_file_fill(&snapshot->claim, snapshot->data_fd)
	               ? DIT_CLAIM_PUBLISHED
	               : DIT_CLAIM_UNUSED;
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	dit_page_map_close(&snapshot->map);
	for (unsigned i = 0; snapshot->spare_maps != NULL && i < snapshot->nspare; i++) {
		dit_page_map_close(&snapshot->spare_maps[i]);
	}
	free(snapshot->spare_maps);
	dit_lmdb_reader_close(snapshot->reader);
	if (snapshot->claim.dir_fd >= 0) {
		dit_claim_drop(&snapshot->claim, end_of(snapshot));
	}
	if (snapshot->owns_fd) {
		(void)close(snapshot->data_fd);
	}
	dit_snapshot_forget_dbs(snapshot);
	free(snapshot);
}
