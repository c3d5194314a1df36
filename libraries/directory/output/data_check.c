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

int dit_data_check_whole(int data_fd, const struct dit_page_format *sealed,
                         const struct dit_stop *stop, struct dit_fault *fault)
{
	struct dit_fault first = {""};
	struct dit_walk_opts opts = {
		.fd = data_fd,
		.shared = {.nthreads = 1, .stop = stop, .sealed = sealed},
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

/* A file that is none of LMDB is not called damaged. */
static int say_foreign(const struct dit_output_opts *opts)
{
	return dit_fault_say(opts->fault, DIT_LMDB_INVALID,
	                     DIT_DATA_NAME " is not an LMDB file: move it away, or give "
	                                   "--replace");
}

/*
 * DIT_E_NOTEMPTY if there are records: whoever holds attribute numbers only is not
 * empty. Empty files are replaced; a damaged meta page may make one look empty.
 */
static int look_at_records(int fd, const struct dit_page_format *format,
                           const struct dit_output_opts *opts)
{
	uint64_t nrecords = 0;
	int r = count_records(fd, format, &nrecords);

	if (r == DIT_LMDB_INVALID || dit_meta_version(fd) != format->version) {
		return say_foreign(opts);
	}
	if (r == 0 && nrecords > 0) {
		return DIT_E_NOTEMPTY;
	}
	if (r == 0 || r == DIT_E_CORRUPT) {
		int whole = dit_data_check_whole(fd, opts->shared.sealed,
		                                 opts->shared.stop, opts->fault);

		r = whole < 0 ? whole : r;
	}
	return r;
}

/* ---- the file, or none ---- */

/* A slapd of the other generation would see nothing of our claim, and lock.mdb differs
 * between them. 1: it has to be read; 0: it may go; DIT_E_FORMAT, -errno */
static int look_at_file(int fd, const struct dit_output_opts *opts)
{
	uint32_t version = dit_meta_version(fd);
	struct stat st;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	if (version != 0 && (version == dit_lmdb_10.version) != opts->is_lmdb_10) {
		return dit_fault_say(opts->fault, DIT_E_FORMAT,
		                     DIT_DATA_NAME
		                     " is of LMDB %s, the load is for OpenLDAP %s: "
		                     "see --openldap",
		                     opts->is_lmdb_10 ? "0.9 (OpenLDAP 2.5 or 2.6)"
		                                      : "1.0 (OpenLDAP 2.7)",
		                     opts->is_lmdb_10 ? "2.7" : "2.5 or 2.6");
	}
	return st.st_size > 0 && !opts->replaces;
}

int dit_data_check(int dir_fd, const struct dit_output_opts *opts, bool is_claimed)
{
	const struct dit_page_format *format =
		opts->is_lmdb_10 ? dit_data_format_10(opts->shared.sealed) : &dit_lmdb_09;
	int fd = dit_file_open(dir_fd, DIT_DATA_NAME, O_RDONLY, opts->fault);
	int r = fd < 0 ? fd : look_at_file(fd, opts);

	dit_close(fd);
	if (r <= 0) {
		return r == -ENOENT ? 0 : r;
	}
	fd = dit_data_open(dir_fd, O_RDONLY, format, opts->fault);
	if (fd == DIT_E_FORMAT) {
		return say_foreign(opts);
	}
	r = fd < 0 ? fd : is_claimed ? look_at_records(fd, format, opts) : 0;
	dit_close(fd);
	return r;
}
