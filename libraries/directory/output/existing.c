/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An existing database, from the claim to the end of its one transaction.
 *
 * Under the claim no other process has the file open, so it is opened without LMDB's
 * locks: closing a second descriptor of lock.mdb would lose the claim, and there are no
 * readers to respect.
 *
 * The commit writes and syncs all changed pages, then one of the two meta pages
 * (MDB_NOMETASYNC: that one is synced at the end). It leaves alone every page of the
 * state before, so putting the old meta pages back rolls it back.
 *
 * A disk that is full fails the commit nearly always before the meta page. Then there is
 * nothing to put back, and nothing is written: a copy-on-write file system has no space
 * for it. The file is cut, and the space is free again (btrfs: spare.h). Once a meta page
 * may have been written, the old ones are put back and synced before the file is cut. So
 * at no moment can a loss of power leave a valid meta page that refers to pages that were
 * cut.
 *
 * A map that may grow is made large at once: it cannot be changed during a transaction.
 * That is address space, not memory; the configured size is put into the meta pages again
 * at the end.
 */
#include "output/existing_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "output/staging.h"
#include "page/meta_pages.h"
#include "place/format_check.h"
#include "place/lmdb_error.h"
#include "place/lock_file.h"
#include "place/map_size.h"
#include "place/spare.h"
#include "reader/stored_flags.h"

#define GROW_BYTES   (1u << 30)
#define BEHIND_BYTES (96u << 10) /* too much for a gap, too little for a map of its own */
#define GROW_FACTOR  4 /* changed pages are written to new places: of what is expected */

/* ---- errors ---- */

static int short_write_error(const struct dit_existing *existing)
{
	struct stat st;

	return fstat(existing->data_fd, &st) != 0
	               ? -EIO
	               : dit_lmdb_short_write(existing->data_fd, (uint64_t)st.st_size,
	                                      1 << 20);
}

int dit_existing_result(struct dit_existing *existing, int rc)
{
	int r = dit_lmdb_error(rc);

	if (r == MDB_MAP_FULL) {
		return DIT_E_FULL;
	}
	return r == -EIO ? short_write_error(existing) : r;
}

/* ---- meta pages ---- */

/* With the environment closed; synced. */
static int write_metas(const struct dit_existing *existing,
                       const struct dit_meta metas[2])
{
	int r = dit_metas_write(existing->data_fd, &dit_lmdb_09, existing->page_bytes,
	                        metas);

	if (r == 0 && fsync(existing->data_fd) != 0) {
		r = -errno;
	}
	return r;
}

/* ---- open ---- */

static uint64_t choose_map_bytes(const struct dit_existing_opts *opts,
                                 uint64_t file_bytes)
{
	uint64_t size = dit_map_configured(opts->maxsize_bytes);
	uint64_t grown = 0;

	if (!opts->may_grow) {
		return size;
	}
	grown = file_bytes * 2 + GROW_BYTES;
	if (opts->expected_bytes < (UINT64_MAX >> 17) / GROW_FACTOR) {
		grown += opts->expected_bytes * GROW_FACTOR;
	}
	return grown > size ? grown : size;
}

static int open_env(struct dit_existing *existing, const struct dit_existing_opts *opts)
{
	MDB_stat stat;
	struct stat st;
	int r = 0;

	existing->data_fd = dit_data_open(existing->claim.dir_fd, O_RDWR, opts->fault);
	if (existing->data_fd < 0) {
		return existing->data_fd;
	}
	if (fstat(existing->data_fd, &st) != 0) {
		return -errno;
	}
	existing->file_bytes = (uint64_t)st.st_size;
	r = dit_guard_open(&existing->guard, existing->data_fd, opts->stop, opts->fault);
	if (r < 0) {
		return r;
	}
	existing->spare_fd = dit_spare_keep(existing->claim.dir_fd);
	r = dit_lmdb_error(mdb_env_create(&existing->env));
	if (r < 0) {
		existing->env = NULL;
		return r;
	}
	r = dit_lmdb_error(mdb_env_set_mapsize(
		existing->env, choose_map_bytes(opts, existing->file_bytes)));
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_set_maxdbs(existing->env, opts->ndbs));
	}
	if (r == 0) {
		r = dit_env_open_file(existing->env, existing->data_fd, MDB_NOMETASYNC,
		                      opts->fault);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_stat(existing->env, &stat));
	}
	if (r != 0) {
		return r;
	}
	existing->page_bytes = stat.ms_psize;
	return dit_metas_read(existing->data_fd, &dit_lmdb_09, existing->page_bytes,
	                      existing->metas);
}

/*
 * Small ones are checked as a whole; of the others their ends, which are looked at now.
 */
static int guard_fixed(struct dit_existing *existing)
{
	struct dit_probe *probe = existing->guard.probe;
	const struct dit_span first = DIT_PROBE_FIRST;
	const struct dit_span last = DIT_PROBE_LAST;
	int r = 0;

	existing->probes.ad2i = dit_probe_find(probe, "ad2i");
	existing->probes.dn2i = dit_probe_find(probe, "dn2i");
	existing->probes.id2e = dit_probe_find(probe, "id2e");
	existing->probes.id2v = dit_probe_find(probe, "id2v");
	existing->probes.index = DIT_PROBE_NONE;
	r = dit_probe_all(probe, existing->probes.ad2i);
	if (r == 0) {
		r = dit_probe_key(probe, existing->probes.dn2i, first, first);
	}
	if (r == 0) {
		r = dit_probe_key(probe, existing->probes.id2e, last, first);
	}
	if (r < 0) {
		(void)dit_fault_say(existing->fault, r, "%s", existing->guard.fault.text);
	}
	return r;
}

/* The four that slapd opens, and makes if need be; stored flags win (storage.md 1.4). */
static int open_fixed(struct dit_existing *existing)
{
	const struct {
		const char *name;
		unsigned flags;
		MDB_dbi *dbi;
	} fixed[] = {
		{"ad2i", MDB_INTEGERKEY, &existing->ad2i},
		{"dn2i", MDB_INTEGERKEY | MDB_DUPSORT, &existing->dn2i},
		{"id2e", MDB_INTEGERKEY, &existing->id2e},
		{"id2v", MDB_DUPSORT, &existing->id2v},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		r = dit_lmdb_error(
			mdb_dbi_open(existing->txn, fixed[i].name, 0, fixed[i].dbi));
		if (r == MDB_NOTFOUND) {
			existing->is_changed = true;
			r = dit_lmdb_error(mdb_dbi_open(existing->txn, fixed[i].name,
			                                MDB_CREATE | fixed[i].flags,
			                                fixed[i].dbi));
		}
		if (r == 0) {
			r = dit_stored_flags_check(existing->txn, *fixed[i].dbi,
			                           fixed[i].name, fixed[i].flags,
			                           existing->fault);
		}
	}
	return r < 0 ? r : dit_staging_order_split(existing->txn, existing->id2v);
}

static int open_cursors(struct dit_existing *existing)
{
	MDB_val key = {0, NULL};
	int r = dit_lmdb_error(
		mdb_cursor_open(existing->txn, existing->dn2i, &existing->names));

	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_open(existing->txn, existing->id2e,
		                                   &existing->entries));
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_open(existing->txn, existing->id2v,
		                                   &existing->splits));
	}
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_cursor_get(existing->entries, &key, NULL, MDB_LAST));
	if (r == 0 && key.mv_size == sizeof(existing->last_id)) {
		memcpy(&existing->last_id, key.mv_data, sizeof(existing->last_id));
	}
	return r == MDB_NOTFOUND ? 0 : r;
}

int dit_existing_open(struct dit_existing **ret, const struct dit_existing_opts *opts)
{
	struct dit_existing *existing = calloc(1, sizeof(*existing));
	int r = 0;

	if (existing == NULL) {
		return -ENOMEM;
	}
	existing->data_fd = -1;
	existing->spare_fd = -1;
	existing->maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	existing->expected_bytes = opts->expected_bytes;
	existing->may_grow = opts->may_grow;
	existing->fault = opts->fault;
	r = dit_directory_open(opts->directory, opts->fault);
	if (r >= 0) {
		r = dit_claim_take(&existing->claim, r, opts->mode, opts->fault);
	}
	if (r < 0) {
		free(existing);
		return r;
	}
	r = open_env(existing, opts);
	if (r == 0) {
		r = guard_fixed(existing);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_txn_begin(existing->env, NULL, 0, &existing->txn));
	}
	if (r == 0) {
		r = open_fixed(existing);
	}
	if (r == 0) {
		r = open_cursors(existing);
	}
	if (r < 0) {
		dit_existing_abandon(existing);
		return r;
	}
	*ret = existing;
	return 0;
}

/* ---- the end ---- */

void dit_existing_close_cursors(struct dit_existing *existing)
{
	MDB_cursor **cursors[] = {&existing->names, &existing->entries, &existing->splits,
	                          &existing->postings};

	for (size_t i = 0; i < sizeof(cursors) / sizeof(cursors[0]); i++) {
		if (*cursors[i] != NULL) {
			mdb_cursor_close(*cursors[i]);
			*cursors[i] = NULL;
		}
	}
}

/*
 * liblmdb frees the pages that it has changed one by one, the last one first. Where they
 * are the end of the heap, the C library gives each of them back to the system. A block
 * after them defers that to its own end.
 */
static void close_liblmdb(MDB_env *env)
{
	void *volatile behind = malloc(BEHIND_BYTES);

	mdb_env_close(env);
	free(behind);
}

static void close_env(struct dit_existing *existing)
{
	dit_guard_close(&existing->guard);
	dit_existing_close_cursors(existing);
	if (existing->txn != NULL) {
		mdb_txn_abort(existing->txn);
		existing->txn = NULL;
	}
	if (existing->env != NULL) {
		close_liblmdb(existing->env);
		existing->env = NULL;
	}
}

/* To undo takes space where each write does. */
static void use_spare(struct dit_existing *existing)
{
	if (existing->spare_fd >= 0) {
		(void)close(existing->spare_fd);
		existing->spare_fd = -1;
	}
}

static void drop(struct dit_existing *existing)
{
	use_spare(existing);
	dit_lock_file_renew(&existing->claim, existing->data_fd);
	dit_claim_drop(&existing->claim, DIT_CLAIM_PUBLISHED);
	if (existing->data_fd >= 0) {
		(void)close(existing->data_fd);
	}
	free(existing);
}

/* Pages that were written after the old end hold nothing any more. */
static void cut_file(const struct dit_existing *existing)
{
	struct stat st;

	if (fstat(existing->data_fd, &st) == 0 &&
	    (uint64_t)st.st_size > existing->file_bytes &&
	    ftruncate(existing->data_fd, (off_t)existing->file_bytes) != 0) {
		/* Then it stays as long as it is; LMDB does not mind. */
	}
}

void dit_existing_abandon(struct dit_existing *existing)
{
	bool is_open = false;

	if (existing == NULL) {
		return;
	}
	is_open = existing->page_bytes != 0; /* as far as the meta pages, at least */
	if (existing->is_hidden) {
		/* If that fails, the old state counts all the same. */
		(void)dit_existing_roll_back(existing);
	}
	close_env(existing);
	use_spare(existing);
	if (is_open && !existing->is_committed) {
		cut_file(existing);
	}
	drop(existing);
}

int dit_existing_roll_back(struct dit_existing *existing)
{
	close_env(existing);
	use_spare(existing);
	if (existing->is_committed) {
		int r = dit_metas_write(existing->data_fd, &dit_lmdb_09,
		                        existing->page_bytes, existing->metas);

		if (r < 0) {
			return r;
		}
		if (fsync(existing->data_fd) != 0) {
			return 1; /* the disk may have the other meta page */
		}
		existing->is_committed = false;
	}
	existing->is_hidden = false;
	cut_file(existing);
	return 0;
}

uint64_t dit_existing_file_bytes(const struct dit_existing *existing)
{
	return existing->file_bytes;
}

int dit_existing_data_fd(const struct dit_existing *existing)
{
	return existing->data_fd;
}

bool dit_existing_is_changed(const struct dit_existing *existing)
{
	return existing->is_changed;
}

/*
 * Has a commit that failed come as far as the meta page? LMDB refuses all further
 * transactions when a meta page could not be written.
 */
static bool has_tried_meta(MDB_env *env)
{
	MDB_txn *txn = NULL;

	if (mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) != 0) {
		return true;
	}
	mdb_txn_abort(txn);
	return false;
}

int dit_existing_end_txn(struct dit_existing *existing)
{
	MDB_txn *txn = existing->txn;
	sigset_t previous;
	int r = 0;

	dit_existing_close_cursors(existing);
	dit_guard_close(&existing->guard);
	existing->txn = NULL; /* gone, even if it fails */
	dit_file_size_signal_block(&previous);
	r = mdb_txn_commit(txn);
	existing->is_committed =
		existing->is_hidden || r == 0 || has_tried_meta(existing->env);
	r = dit_existing_result(existing, r);
	dit_file_size_signal_restore(&previous);
	return r;
}

int dit_existing_commit(struct dit_existing *existing, uint64_t *ret_bytes)
{
	MDB_envinfo info;
	int r = dit_existing_end_txn(existing);

	if (r == 0) {
		r = dit_lmdb_error(mdb_env_info(existing->env, &info));
	}
	if (r == 0) {
		*ret_bytes = ((uint64_t)info.me_last_pgno + 1) * existing->page_bytes;
	}
	return r;
}

void dit_existing_settle(struct dit_existing *existing)
{
	if (existing->is_committed) {
		existing->sync_error = dit_lmdb_error(mdb_env_sync(existing->env, 1));
	}
}

/* LMDB records the map size that it was given. */
static int restore_map_size(const struct dit_existing *existing)
{
	struct dit_meta metas[2];
	int r = dit_metas_read(existing->data_fd, &dit_lmdb_09, existing->page_bytes,
	                       metas);

	for (unsigned i = 0; i < 2; i++) {
		uint64_t used = (metas[i].last_page + 1) * existing->page_bytes;

		if (r == 0) {
			metas[i].map_bytes = dit_map_recorded(existing->maxsize_bytes,
			                                      existing->page_bytes, used);
		}
	}
	return r < 0 ? r : write_metas(existing, metas);
}

int dit_existing_end(struct dit_existing *existing)
{
	int r = 0;

	if (existing->is_committed) {
		r = dit_lmdb_error(mdb_env_sync(existing->env, 1));
	}
	if (r == 0) {
		/* The system tells each failure once. */
		r = existing->sync_error;
	}
	close_env(existing);
	if (r == 0 && existing->is_committed && existing->may_grow) {
		r = restore_map_size(existing);
	}
	drop(existing);
	return r;
}
