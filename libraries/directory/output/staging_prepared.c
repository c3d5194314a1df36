/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database that is prepared (manifest.h): built in DIR/ditkit-staging as any other,
 * which then gets the name DIR/ditkit-prepared. And a prepared one, which is put in place
 * as a new one.
 *
 *   prepare    data.mdb synced; manifest synced; rename of the directory
 *   publish    manifest says "published", synced; rename of data.mdb
 *
 * Where another one is prepared already, the two directories exchange their names in one
 * step. A file system that cannot do that loses the old one first.
 */
#include "output/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/digest.h"
#include "base/error.h"
#include "files/data_seal.h"
#include "files/format_check.h"
#include "output/manifest.h"
#include "system/file_io.h"

#define PIECE_BYTES 65536

/* ---- the digest of data.mdb ---- */

static int digest_data(struct dit_staging *staging, const struct dit_stop *stop,
                       char ret[DIT_DIGEST_TEXT_BYTES])
{
	uint64_t *at = &staging->tables.base.base.digested_bytes;
	struct dit_digest *digest = NULL;
	char piece[PIECE_BYTES];
	int r = dit_digest_new(&digest);
	ssize_t n = r == 0 ? 1 : r;

	for (*at = 0; n > 0; *at += n > 0 ? (uint64_t)n : 0) {
		n = dit_stop_is_set(stop)
		            ? DIT_E_STOPPED
		            : dit_read_at(staging->data_fd, piece, sizeof(piece), *at);
		if (n > 0) {
			dit_digest_add(digest, piece, (size_t)n);
		}
		dit_tick(staging->ticker);
	}
	if (n == 0) {
		dit_digest_text(digest, ret);
	}
	dit_digest_free(digest);
	return (int)n;
}

/* ---- prepared ---- */

int dit_output_put_manifest(struct dit_output *output, json_t *manifest,
                            const struct dit_stop *stop)
{
	struct dit_staging *staging = dit_staging_of(output);
	char digest[DIT_DIGEST_TEXT_BYTES];
	int r = digest_data(staging, stop, digest);

	if (r < 0) {
		return r;
	}
	if (json_object_set_new(manifest, "lmdb", json_string(staging->format->name)) +
	            json_object_set_new(manifest, "page_bytes",
	                                json_integer((json_int_t)staging->page_bytes)) +
	            json_object_set_new(manifest, "bytes",
	                                json_integer((json_int_t)output->bytes)) +
	            json_object_set_new(manifest, "xxh128", json_string(digest)) !=
	    0) {
		return -ENOMEM;
	}
	return dit_manifest_write(staging->staging_fd, manifest);
}

/* The one that is there already has to go. */
static int replace_prepared(struct dit_staging *staging)
{
	int dir_fd = staging->claim.dir_fd;
	int prepared_fd = -1;
	int r = 0;

	if (renameat2(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME,
	              RENAME_EXCHANGE) == 0) {
		staging->old_file = DIT_OLD_KEPT;
		return 0;
	}
	if (errno != EINVAL && errno != ENOSYS) {
		return -errno;
	}
	staging->old_file = DIT_OLD_LOST;
	prepared_fd = dit_folder_open(dir_fd, DIT_PREPARED_NAME, NULL);
	if (prepared_fd < 0) {
		return prepared_fd;
	}
	/* Without it the rest counts as unfinished. */
	(void)unlinkat(prepared_fd, DIT_MANIFEST_NAME, 0);
	r = fsync(prepared_fd) == 0 ? 0 : -errno;
	(void)close(prepared_fd);
	if (r == 0) {
		r = dit_folder_clear(dir_fd, DIT_PREPARED_NAME, NULL);
	}
	return r == 0 && renameat(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME) !=
	                               0
	               ? -errno
	               : r;
}

static int keep(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int dir_fd = staging->claim.dir_fd;
	int r = 0;

	if (renameat(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME) != 0) {
		r = errno == ENOTEMPTY || errno == EEXIST ? replace_prepared(staging)
		                                          : -errno;
	}
	staging->is_placed = r == 0;
	return r;
}

static int keep_take_back(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int dir_fd = staging->claim.dir_fd;
	unsigned how = staging->old_file == DIT_OLD_KEPT ? RENAME_EXCHANGE : 0;

	if (!staging->is_placed) {
		return 0;
	}
	if (renameat2(dir_fd, DIT_PREPARED_NAME, dir_fd, DIT_STAGING_NAME, how) != 0) {
		return -errno;
	}
	staging->is_placed = false;
	return fsync(dir_fd) == 0 ? 0 : 1;
}

/* The descriptor leads to what is kept now. */
static void let_go(struct dit_staging *staging)
{
	(void)close(staging->staging_fd);
	staging->staging_fd = -1;
}

/* What was prepared before goes when the new names are on the disk. */
static int keep_end(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	enum dit_claim_end end = dit_staging_end_abandoned(staging);
	int r = fsync(staging->claim.dir_fd) == 0 ? staging->settle_error : -errno;

	let_go(staging);
	if (r == 0 && staging->replaced_fd >= 0) {
		(void)dit_folder_remove(staging->claim.dir_fd, DIT_STAGING_NAME,
		                        staging->replaced_fd);
		staging->replaced_fd = -1;
	}
	dit_staging_free(staging, end);
	return r;
}

static void keep_abandon(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);

	if (staging->is_placed) {
		let_go(staging);
	}
	dit_staging_abandon(output);
}

int dit_staging_keep_apart(struct dit_staging *staging, struct dit_fault *fault)
{
	struct dit_output *output = &staging->tables.base.base;
	int fd = dit_folder_open(staging->claim.dir_fd, DIT_PREPARED_NAME, fault);
	int r = fd < 0 ? fd : dit_folder_check_files(fd, DIT_PREPARED_NAME, fault);

	staging->replaced_fd = fd < 0 ? -1 : fd;
	if (r < 0 && r != -ENOENT) {
		return r;
	}
	staging->prepared_ops = *output->ops;
	staging->prepared_ops.place = keep;
	staging->prepared_ops.take_back = keep_take_back;
	staging->prepared_ops.end = keep_end;
	staging->prepared_ops.abandon = keep_abandon;
	output->ops = &staging->prepared_ops;
	output->place.data_name = DIT_PREPARED_NAME "/" DIT_DATA_NAME;
	return 0;
}

/* ---- from there in place ---- */

/* A copy of a prepared database may not be on the disk yet. */
static int prepare(struct dit_output *output)
{
	return dit_staging_finish_file(dit_staging_of(output), 0);
}

static int say_published(struct dit_output *output)
{
	const struct dit_staging *staging = dit_staging_of(output);
	char now[DIT_MANIFEST_TIME_BYTES];

	dit_manifest_time(now);
	return json_object_set_new(staging->manifest, "published", json_string(now)) != 0
	               ? -ENOMEM
	               : dit_manifest_write(staging->prepared_fd, staging->manifest);
}

static const struct dit_output_ops publish_ops = {
	.prepare = prepare,
	.commit = say_published,
	.place = dit_staging_place,
	.settle = dit_staging_settle,
	.take_back = dit_staging_take_back,
	.end = dit_staging_end,
	.abandon = dit_staging_abandon,
};

static int open_data(struct dit_staging *staging, const struct dit_output_opts *opts)
{
	int folder_fd = staging->prepared_fd;
	int r = dit_folder_check(folder_fd, DIT_PREPARED_NAME, NULL);

	if (r < 0) {
		return r != -EPERM ? r
		                   : dit_fault_say(opts->fault, r,
		                                   DIT_PREPARED_NAME
		                                   " in it has to belong to the user who "
		                                   "publishes it, and no other one may "
		                                   "write in it");
	}
	r = dit_data_open(folder_fd, O_RDWR,
	                  opts->is_lmdb_10 ? dit_data_format_10(opts->sealed)
	                                   : &dit_lmdb_09,
	                  opts->fault);
	staging->data_fd = r;
	staging->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return r == DIT_E_FORMAT ? dit_fault_say(opts->fault, r,
	                                         "what is prepared is for another "
	                                         "release of OpenLDAP: see --openldap")
	       : r == -ENOENT
	               ? dit_fault_say(opts->fault, r,
	                               "what is prepared has changed just now: try again")
	       : r < 0 ? dit_fault_place(opts->fault, r,
	                                 DIT_PREPARED_NAME "/" DIT_DATA_NAME)
	               : r;
}

int dit_output_open_prepared(struct dit_output **ret, const struct dit_output_opts *opts,
                             const struct dit_prepared *prepared)
{
	struct dit_staging *staging = NULL;
	struct dit_output *output = NULL;
	int r = dit_staging_open(&staging, opts);

	if (r < 0) {
		return r != DIT_E_NOTEMPTY
		               ? r
		               : dit_fault_say(opts->fault, r,
		                               "the database has entries: what is "
		                               "prepared takes the place of one without "
		                               "entries alone, or --replace is given");
	}
	output = &staging->tables.base.base;
	staging->prepared_fd = fcntl(prepared->fd, F_DUPFD_CLOEXEC, 0);
	r = staging->prepared_fd < 0 ? -errno : open_data(staging, opts);
	if (r < 0) {
		dit_staging_free(staging, DIT_CLAIM_UNUSED);
		return r;
	}
	staging->manifest = prepared->manifest.json;
	staging->used_bytes = prepared->manifest.bytes;
	output->ops = &publish_ops;
	if (opts->is_lmdb_10) {
		staging->format = dit_data_format_10(opts->sealed);
	}
	output->bytes = staging->used_bytes;
	output->place = (struct dit_output_place){.directory = opts->directory,
	                                          .dir_fd = staging->claim.dir_fd,
	                                          .data_fd = staging->data_fd,
	                                          .data_name = DIT_DATA_NAME};
	*ret = output;
	return 0;
}

int dit_output_check_prepared(struct dit_output *output, const char *digest,
                              const struct dit_stop *stop)
{
	char found[DIT_DIGEST_TEXT_BYTES];
	int r = digest_data(dit_staging_of(output), stop, found);

	return r == 0 && strcmp(found, digest) != 0 ? DIT_E_CORRUPT : r;
}
