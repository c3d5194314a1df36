/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot that is read without liblmdb: the mapped file, one cursor of the room page
 * for each scan. So is a file of LMDB 1.0, and one of 0.9 that the caller has claimed:
 * damage is an error there, and would end liblmdb.
 *
 * lock.mdb of 1.0 has a table of readers that is private to its release, so no reader is
 * registered beside slapd. A claim (claim.h) keeps writers away instead; a process that
 * has the database open is an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "place/claim.h"
#include "place/files.h"
#include "place/format_check.h"
#include "place/lock_file.h"
#include "reader/snapshot_map.h"

struct pages_snapshot {
	struct dit_snapshot base;
	struct dit_claim claim; /* dir_fd -1: somebody else's */
	bool owns_fd;
	struct dit_page_map map;
};

static struct pages_snapshot *of(struct dit_snapshot *snapshot)
{
	return (struct pages_snapshot *)snapshot;
}

static int open_scan(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, size_t db)
{
	(void)reader;
	return dit_map_scan_open(ret, &of(snapshot)->map, snapshot->dbs[db].name,
	                         &snapshot->trees[db]);
}

/* ---- opening and closing ---- */

static int renew(struct dit_snapshot *snapshot, unsigned reader)
{
	(void)snapshot, (void)reader;
	return -ENOTSUP;
}

/* Nothing was changed. Who waits goes on with lock.mdb, and needs one with content. */
static enum dit_claim_end end_of(const struct pages_snapshot *pages)
{
	return pages->claim.lock_fd >= 0 && pages->owns_fd &&
	                       dit_lock_file_fill(&pages->claim, pages->base.data_fd)
	               ? DIT_CLAIM_PUBLISHED
	               : DIT_CLAIM_UNUSED;
}

static void close_pages(struct dit_snapshot *snapshot)
{
	struct pages_snapshot *pages = of(snapshot);

	dit_page_map_close(&pages->map);
	if (pages->claim.dir_fd >= 0) {
		dit_claim_drop(&pages->claim, end_of(pages));
	}
	if (pages->owns_fd) {
		(void)close(snapshot->data_fd);
	}
}

static const struct dit_snapshot_ops ops = {
	.open_scan = open_scan,
	.renew = renew,
	.close = close_pages,
};

/* The claim's fault is the name of a process. */
static int say_busy(struct dit_fault *fault)
{
	struct dit_fault who = {""};

	if (fault == NULL) {
		return DIT_E_BUSY;
	}
	who = *fault;
	return dit_fault_say(fault, DIT_E_BUSY,
	                     "a database of OpenLDAP 2.7 can be read only while nobody "
	                     "else has it open; it is in use by %s",
	                     dit_claim_holder(&who));
}

/* Before a claim, which may make a lock.mdb: is this a file that can be read here? */
static int look(int dir_fd, struct dit_fault *fault)
{
	int fd = dit_data_open_10(dir_fd, O_RDONLY, fault);

	if (fd >= 0) {
		(void)close(fd);
	}
	return fd < 0 ? fd : 0;
}

static int claim(struct pages_snapshot *pages, const char *directory,
                 const struct dit_snapshot_opts *opts)
{
	int dir_fd = dit_directory_open(directory, opts->fault);
	int r = dir_fd < 0 ? dir_fd : look(dir_fd, opts->fault);

	if (r < 0) {
		if (dir_fd >= 0) {
			(void)close(dir_fd);
		}
		return r;
	}
	r = dit_claim_take_reading(&pages->claim, dir_fd, !opts->no_lock_file,
	                           opts->fault);
	if (r < 0) {
		pages->claim.dir_fd = -1;
		return r == DIT_E_BUSY ? say_busy(opts->fault) : r;
	}
	pages->base.is_held = pages->claim.lock_fd >= 0;
	r = dit_data_open_10(pages->claim.dir_fd, O_RDONLY, opts->fault);
	if (r < 0) {
		return r;
	}
	pages->base.data_fd = r;
	pages->owns_fd = true;
	return 0;
}

static int open_file(struct pages_snapshot *pages, const char *directory,
                     const struct dit_snapshot_opts *opts)
{
	struct dit_snapshot *base = &pages->base;
	int r = 0;

	if (opts->is_claimed) {
		base->data_fd = opts->claimed_fd;
	} else {
		r = claim(pages, directory, opts);
	}
	if (r == 0) {
		r = dit_page_map_open(&pages->map, base->data_fd, base->format);
	}
	if (r < 0) {
		return r;
	}
	base->txn_id = pages->map.meta.transaction;
	return dit_map_read_dbs(base, &pages->map);
}

int dit_snapshot_pages_open(struct dit_snapshot **ret, const char *directory,
                            const struct dit_snapshot_opts *opts)
{
	struct pages_snapshot *pages = calloc(1, sizeof(*pages));
	int r = 0;

	if (pages == NULL) {
		return -ENOMEM;
	}
	pages->base.ops = &ops;
	pages->base.format = opts->is_claimed && dit_format_check(opts->claimed_fd) == 0
	                             ? &dit_lmdb_09
	                             : &dit_lmdb_10;
	pages->base.nreaders = opts->nreaders;
	pages->base.nspare = opts->nspare;
	pages->claim.dir_fd = -1;
	r = open_file(pages, directory, opts);
	if (r < 0) {
		dit_snapshot_close(&pages->base);
		return r;
	}
	*ret = &pages->base;
	return 0;
}
