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
#include "output/new_output_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static int digest_data(struct dit_new_output *output, const struct dit_stop *stop,
                       char ret[DIT_DIGEST_TEXT_BYTES])
{
	uint64_t *at = &output->tables.base.base.digested_bytes;
	struct dit_digest *digest = NULL;
	char piece[PIECE_BYTES];
	int r = dit_digest_new(&digest);
	ssize_t n = r == 0 ? 1 : r;

	for (*at = 0; n > 0; *at += n > 0 ? (uint64_t)n : 0) {
		n = dit_stop_is_set(stop)
		            ? DIT_E_STOPPED
		            : dit_read_at(output->data_fd, piece, sizeof(piece), *at);
		if (n > 0) {
			dit_digest_add(digest, piece, (size_t)n);
		}
		dit_tick(output->opts.shared.ticker);
	}
	if (n == 0) {
		dit_digest_text(digest, ret);
	}
	dit_digest_free(digest);
	return (int)n;
}

/* ---- prepared ---- */

int dit_output_put_manifest(struct dit_output *base, json_t *manifest,
                            const struct dit_stop *stop)
{
	struct dit_new_output *output = dit_new_output_of(base);
	char digest[DIT_DIGEST_TEXT_BYTES];
	int r = digest_data(output, stop, digest);

	if (r < 0) {
		return r;
	}
	if (json_object_set_new(manifest, "lmdb", json_string(output->format->name)) +
	            json_object_set_new(manifest, "page_bytes",
	                                json_integer((json_int_t)output->page_bytes)) +
	            json_object_set_new(manifest, "bytes",
	                                json_integer((json_int_t)base->bytes)) +
	            json_object_set_new(manifest, "xxh128", json_string(digest)) !=
	    0) {
		return -ENOMEM;
	}
	return dit_manifest_write(output->staging_fd, manifest);
}

/* The one that is there already has to go. */
static int replace_prepared(struct dit_new_output *output)
{
	int dir_fd = output->claim.dir_fd;
	int prepared_fd = -1;
	int r = 0;

	if (renameat2(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME,
	              RENAME_EXCHANGE) == 0) {
		output->old_file = DIT_OLD_KEPT;
		return 0;
	}
	if (errno != EINVAL && errno != ENOSYS) {
		return -errno;
	}
	output->old_file = DIT_OLD_LOST;
	prepared_fd = dit_folder_open(dir_fd, DIT_PREPARED_NAME, NULL);
	if (prepared_fd < 0) {
		return prepared_fd;
	}
	/* Without it the rest counts as unfinished. */
	(void)unlinkat(prepared_fd, DIT_MANIFEST_NAME, 0);
	r = fsync(prepared_fd) == 0 ? 0 : -errno;
	(void)close(prepared_fd);
	r = r ?: dit_folder_clear(dir_fd, DIT_PREPARED_NAME, NULL);
	return r == 0 && renameat(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME) !=
	                               0
	               ? -errno
	               : r;
}

static int keep(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	int dir_fd = output->claim.dir_fd;
	int r = 0;

	if (renameat(dir_fd, DIT_STAGING_NAME, dir_fd, DIT_PREPARED_NAME) != 0) {
		r = errno == ENOTEMPTY || errno == EEXIST ? replace_prepared(output)
		                                          : -errno;
	}
	if (r == 0) {
		dit_new_output_renamed(output);
	}
	return r;
}

static int keep_take_back(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	int dir_fd = output->claim.dir_fd;
	unsigned how = output->old_file == DIT_OLD_KEPT ? RENAME_EXCHANGE : 0;

	if (!output->is_renamed) {
		return 0;
	}
	if (renameat2(dir_fd, DIT_PREPARED_NAME, dir_fd, DIT_STAGING_NAME, how) != 0) {
		return -errno;
	}
	output->is_renamed = false;
	return fsync(dir_fd) == 0 ? 0 : 1;
}

/* The descriptor leads to what is kept now. */
static void let_go(struct dit_new_output *output)
{
	(void)close(output->staging_fd);
	output->staging_fd = -1;
}

/* An older prepared load goes when the new names are on the disk. */
static int keep_end(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);
	enum dit_claim_end end = dit_new_output_end_abandoned(output);
	int r = output->sync_error;

	let_go(output);
	if (r == 0 && output->replaced_fd >= 0) {
		(void)dit_folder_remove(output->claim.dir_fd, DIT_STAGING_NAME,
		                        output->replaced_fd);
		output->replaced_fd = -1;
	}
	dit_new_output_free(output, end);
	return r;
}

static void keep_abandon(struct dit_output *base)
{
	struct dit_new_output *output = dit_new_output_of(base);

	if (output->is_renamed) {
		let_go(output);
	}
	dit_new_output_abandon(base);
}

static const struct dit_output_ops keep_ops = {
	.steps = {[DIT_PUBLISH_PREPARE] = dit_new_output_prepare,
                  [DIT_PUBLISH_RENAME] = keep,
                  [DIT_PUBLISH_TAKE_BACK] = keep_take_back,
                  [DIT_PUBLISH_END] = keep_end},
	.abandon = keep_abandon,
};

int dit_new_output_keep_apart(struct dit_new_output *output)
{
	struct dit_output *base = &output->tables.base.base;
	struct dit_fault *fault = output->opts.fault;
	int fd = dit_folder_open(output->claim.dir_fd, DIT_PREPARED_NAME, fault);
	int r = fd < 0 ? fd : dit_folder_check_files(fd, DIT_PREPARED_NAME, fault);

	output->replaced_fd = fd < 0 ? -1 : fd;
	if (r < 0 && r != -ENOENT) {
		return r;
	}
	base->ops = &keep_ops;
	base->target.data_name = DIT_PREPARED_NAME "/" DIT_DATA_NAME;
	return 0;
}

/* ---- from there in place ---- */

int dit_new_output_say_published(struct dit_output *base)
{
	const struct dit_new_output *output = dit_new_output_of(base);
	char now[DIT_MANIFEST_TIME_BYTES];

	if (output->manifest == NULL) {
		return 0;
	}
	dit_manifest_time(now);
	return json_object_set_new(output->manifest, "published", json_string(now)) != 0
	               ? -ENOMEM
	               : dit_manifest_write(output->prepared_fd, output->manifest);
}

static int open_data(struct dit_new_output *output, const struct dit_output_opts *opts)
{
	int folder_fd = output->prepared_fd;
	int r = dit_folder_check(folder_fd, DIT_PREPARED_NAME, NULL);

	if (r < 0) {
		return r != -EPERM ? r
		                   : dit_fault_say(opts->fault, r,
		                                   DIT_PREPARED_NAME
		                                   " in it has to belong to the user who "
		                                   "publishes it, and no other one may "
		                                   "write in it");
	}
	if (opts->is_lmdb_10) {
		output->format = dit_data_format_10(opts->shared.sealed);
	}
	r = dit_data_open(folder_fd, O_RDWR, output->format, opts->fault);
	output->data_fd = r;
	output->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
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
	struct dit_new_output *output = NULL;
	struct dit_output *base = NULL;
	int r = dit_new_output_claim(&output, opts);

	if (r < 0) {
		return r != DIT_E_NOTEMPTY
		               ? r
		               : dit_fault_say(
					 opts->fault, r,
					 "the database has entries: give --replace to put the prepared database in its place");
	}
	base = &output->tables.base.base;
	output->prepared_fd = fcntl(prepared->fd, F_DUPFD_CLOEXEC, 0);
	r = output->prepared_fd < 0 ? -errno : open_data(output, opts);
	if (r < 0) {
		dit_new_output_free(output, DIT_CLAIM_UNUSED);
		return r;
	}
	output->manifest = prepared->manifest.json;
	base->ops = &dit_new_output_ops;
	base->bytes = prepared->manifest.bytes;
	base->target = (struct dit_output_target){.directory = opts->directory,
	                                          .dir_fd = output->claim.dir_fd,
	                                          .data_fd = output->data_fd,
	                                          .data_name = DIT_DATA_NAME};
	*ret = base;
	return 0;
}

int dit_output_check_prepared(struct dit_output *base, const char *digest,
                              const struct dit_stop *stop)
{
	char found[DIT_DIGEST_TEXT_BYTES];
	int r = digest_data(dit_new_output_of(base), stop, found);

	return r == 0 && strcmp(found, digest) != 0 ? DIT_E_CORRUPT : r;
}
