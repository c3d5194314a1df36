/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a data.mdb before it is changed or replaced. */
#include "output/new_output_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/format_check.h"
#include "page/meta_pages.h"
#include "page/page_source.h"
#include "page/tree_visit.h"
#include "reader/stored_order.h"
#include "system/file_io.h"
#include "walk/walk.h"

/* ---- all of it ---- */

/* The first finding; others often follow from it. */
static void note(void *ctx, const struct dit_walk_finding *finding)
{
	struct dit_fault *fault = ctx;

	if (fault->text[0] != '\0') {
		return;
	}
	(void)dit_fault_say(fault, 0,
	                    DIT_DATA_NAME " is damaged (%s%s%s, page %lld: %s): see what "
	                                  "\"ditcheck --quick\" says",
	                    dit_walk_kind_name(finding->kind),
	                    finding->database == NULL ? "" : ", ",
	                    finding->database == NULL ? "" : finding->database,
	                    (long long)finding->page, finding->text);
}

int dit_data_check_whole(int data_fd, const struct dit_stop *stop,
                         struct dit_fault *fault)
{
	struct dit_fault first = {""};
	struct dit_walk_opts opts = {
		.fd = data_fd,
		.shared = {.nthreads = 1, .stop = stop},
		.order = dit_stored_order,
		.found = note,
		.ctx = &first,
	};
	struct dit_walk_stats stats;
	int r = dit_walk(&opts, &stats);

	if (r == 0 && first.text[0] != '\0') {
		r = dit_fault_say(fault, DIT_E_CORRUPT, "%s", first.text);
	}
	return r;
}

/* ---- of the other generation ---- */

static int say_other(const struct dit_output_opts *opts)
{
	return dit_fault_say(opts->fault, DIT_E_FORMAT,
	                     DIT_DATA_NAME " is of LMDB %s, the load is for OpenLDAP %s: "
	                                   "see --openldap",
	                     opts->is_lmdb_10 ? "0.9 (OpenLDAP 2.5 or 2.6)"
	                                      : "1.0 (OpenLDAP 2.7)",
	                     opts->is_lmdb_10 ? "2.7" : "2.5 or 2.6");
}

/* ---- records ---- */

static int add_records(void *ctx, const struct dit_node_view *node)
{
	uint64_t *nrecords = ctx;
	struct dit_tree_record tree;

	if (node->flags == DIT_NODE_TREE && node->value.len == sizeof(tree)) {
		memcpy(&tree, node->value.data, sizeof(tree));
		*nrecords += tree.nitems;
	}
	return 0;
}

static int count_records(int fd, const struct dit_page_format *format, uint64_t *ret)
{
	const struct dit_tree_visitor visitor = {.node = add_records, .ctx = ret};
	struct dit_page_source pages;
	struct dit_metas metas;
	const struct dit_meta *live = NULL;
	int r = dit_metas_read(fd, format, &metas);

	if (r != 0) {
		return r;
	}
	live = dit_metas_newest(&metas);
	dit_page_source_init(&pages, fd, format, metas.page_bytes, live->last_page + 1);
	return dit_tree_visit(&pages, &live->main_tree, &visitor);
}

/* ---- of LMDB 0.9 ---- */

/*
 * DIT_E_NOTEMPTY if there are records: whoever holds attribute numbers only is not
 * empty. Empty files are replaced; a damaged meta page may make one look empty.
 */
static int look_at_records(int data_fd, const struct dit_output_opts *opts)
{
	char path[DIT_FD_PATH_BYTES];
	uint64_t nrecords = 0;
	int r = dit_fd_path(data_fd, path, opts->fault); /* liblmdb will need it */

	/* A file that is none of LMDB, or of another version, is not called damaged. */
	if (r == 0 && dit_meta_version(data_fd) != dit_lmdb_09.version) {
		return dit_fault_say(opts->fault, DIT_LMDB_INVALID,
		                     DIT_DATA_NAME
		                     " is not an LMDB file: move it away, or "
		                     "give --replace");
	}
	r = r ?: count_records(data_fd, &dit_lmdb_09, &nrecords);
	if (r == 0 && nrecords > 0) {
		return DIT_E_NOTEMPTY;
	}
	if (r == 0 || r == DIT_E_CORRUPT) {
		int whole = dit_data_check_whole(data_fd, opts->shared.stop, opts->fault);

		r = whole < 0 ? whole : r;
	}
	return r;
}

/* ---- of LMDB 1.0 ---- */

static int look_at_records_10(int fd, const struct dit_output_opts *opts)
{
	struct dit_fault *fault = opts->fault;
	uint64_t nrecords = 0;
	int r = 0;

	if (dit_meta_version(fd) != dit_lmdb_10.version) {
		return say_other(opts);
	}
	r = dit_data_seal_check(fd, opts->shared.sealed, fault);
	r = r ?: dit_format_check_state(fd, fault);
	if (r < 0) {
		return r;
	}
	r = count_records(fd, dit_data_format_10(opts->shared.sealed), &nrecords);
	if (r < 0) {
		return dit_fault_say(fault, r, DIT_DATA_NAME " cannot be read");
	}
	return nrecords == 0 ? 0 : DIT_E_NOTEMPTY;
}

/* ---- of either ---- */

/* May the file go? A slapd of the other generation would see nothing of our claim. A
 * damaged file may go, too. */
static int look_at_replaced(int fd, const struct dit_output_opts *opts)
{
	uint32_t version = dit_meta_version(fd);

	return version == 0 || (version == dit_lmdb_10.version) == opts->is_lmdb_10
	               ? 0
	               : say_other(opts);
}

static int look_at_file(int fd, const struct dit_output_opts *opts)
{
	struct stat st;
	char byte = 0;
	ssize_t n = 0;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	if (st.st_size == 0) {
		return 0;
	}
	if (opts->replaces) {
		return look_at_replaced(fd, opts);
	}
	n = dit_read_at(fd, &byte, 1, 0);
	if (n < 0) {
		return (int)n;
	}
	return opts->is_lmdb_10 ? look_at_records_10(fd, opts)
	                        : look_at_records(fd, opts);
}

int dit_data_check(int dir_fd, const struct dit_output_opts *opts, bool is_claimed)
{
	bool is_09 = !opts->is_lmdb_10 && !opts->replaces;
	int fd = is_09 ? dit_data_open(dir_fd, O_RDONLY, &dit_lmdb_09, opts->fault)
	               : dit_file_open(dir_fd, DIT_DATA_NAME, O_RDONLY, opts->fault);
	int r = 0;

	if (fd == DIT_E_FORMAT) {
		return say_other(opts);
	}
	if (fd < 0) {
		return fd == -ENOENT ? 0 : fd;
	}
	/* Before lock.mdb is touched, which differs between the generations, too. */
	r = is_claimed || !is_09 ? look_at_file(fd, opts) : 0;
	(void)close(fd);
	return r;
}
