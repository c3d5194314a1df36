/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database without liblmdb, of LMDB 1.0: from the empty file to the last page
 * (pages/new_file.h). What does not come in key order is changed in the finished tables:
 * an entry that takes the place of a hole, contextCSN (pages/tree_edit.h). Values of id2v
 * are a table like the others, only in an order of their own (staging_split.c).
 *
 * The pages that a longer entry leaves behind are on the free list of the new database.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "pages/meta_pages.h"
#include "pages/new_file.h"
#include "pages/page_source.h"
#include "pages/tree_visit.h"
#include "store/format_check.h"
#include "store/map_size.h"
#include "store/split_codec.h"
#include "store/staging_impl.h"

/* ---- what lies in the directory ---- */

static int add_records(void *ctx, uint64_t page, const struct dit_node_view *node)
{
	uint64_t *nrecords = ctx;
	struct dit_tree_record tree;

	(void)page;
	if (node->flags == DIT_NODE_TREE && node->value.len == sizeof(tree)) {
		memcpy(&tree, node->value.data, sizeof(tree));
		*nrecords += tree.nitems;
	}
	return 0;
}

/* No database has more pages in its main tree than there are names. */
static int go_on(void *ctx, uint64_t first, uint64_t n)
{
	(void)ctx, (void)first, (void)n;
	return 0;
}

static int count_records(int fd, uint64_t *ret)
{
	const struct dit_page_format *format = &dit_lmdb_10;
	const struct dit_tree_visitor visitor = {
		.pages = go_on, .node = add_records, .ctx = ret};
	struct dit_page_source pages;
	const struct dit_tree_source source = {&pages, format};
	struct dit_meta metas[2];
	const struct dit_meta *live = NULL;
	size_t page_bytes = 0;
	int r = dit_metas_page_bytes(fd, format, &page_bytes);

	if (r == 0) {
		r = dit_metas_read(fd, format, page_bytes, metas);
	}
	if (r != 0) {
		return r;
	}
	live = &metas[metas[1].transaction > metas[0].transaction];
	r = dit_page_source_init(&pages, fd, (unsigned)page_bytes, live->last_page + 1,
	                         false);
	if (r < 0) {
		return r;
	}
	r = dit_tree_visit(&source, &live->main_tree, &visitor);
	dit_page_source_deinit(&pages);
	return r;
}

static int look_at_file(int fd, struct dit_fault *fault)
{
	struct stat st;
	uint64_t nrecords = 0;
	int r = 0;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	if (st.st_size == 0) {
		return 0;
	}
	r = dit_format_check(fd);
	if (r == 0) {
		return dit_fault_say(fault, DIT_E_FORMAT,
		                     DIT_DATA_NAME " is of LMDB 0.9 (OpenLDAP 2.5 or "
		                                   "2.6), the load is for OpenLDAP 2.7: "
		                                   "see --openldap");
	}
	r = count_records(fd, &nrecords);
	if (r < 0) {
		return dit_fault_say(fault, r, DIT_DATA_NAME " cannot be read");
	}
	return nrecords == 0
	               ? 0
	               : dit_fault_say(fault, DIT_E_FORMAT,
	                               DIT_DATA_NAME
	                               " is of OpenLDAP 2.7 and holds %llu records: "
	                               "entries can only be added to databases of 2.5 "
	                               "and 2.6",
	                               (unsigned long long)nrecords);
}

int dit_staging_own_look(int dir_fd, struct dit_fault *fault)
{
	int fd = dit_file_open(dir_fd, DIT_DATA_NAME, O_RDONLY, fault);
	int r = 0;

	if (fd < 0) {
		return fd == -ENOENT ? 0 : fd;
	}
	r = look_at_file(fd, fault);
	(void)close(fd);
	return r;
}

/* ---- the file ---- */

int dit_staging_own_make(struct dit_staging *staging, const struct dit_staging_opts *opts)
{
	long page_bytes =
		opts->page_bytes == 0 ? sysconf(_SC_PAGESIZE) : (long)opts->page_bytes;
	long max = (long)dit_lmdb_10.page_bytes_max;

	if (opts->kind == DIT_WRITER_APPEND) {
		return dit_fault_say(opts->fault, MDB_VERSION_MISMATCH,
		                     "this liblmdb (%s) does not write databases of "
		                     "OpenLDAP 2.7",
		                     mdb_version(NULL, NULL, NULL));
	}
	staging->own = calloc(1, sizeof(*staging->own));
	if (staging->own == NULL) {
		return -ENOMEM;
	}
	staging->is_known_format = true;
	staging->format = &dit_lmdb_10;
	staging->page_bytes = (size_t)(page_bytes < max ? page_bytes : max);
	/* Our own access bits are needed now and taken away at the end. */
	staging->data_fd =
		dit_file_make(staging->staging_fd, DIT_DATA_NAME, staging->mode | 0600);
	return staging->data_fd < 0 ? staging->data_fd : 0;
}

void dit_staging_own_free(struct dit_staging *staging)
{
	struct dit_staging_own *own = staging->own;
	uint64_t *spare = NULL;
	size_t nspare = 0;

	if (own == NULL) {
		return;
	}
	dit_table_writer_free(own->splits);
	if (own->entries != NULL) {
		(void)dit_tree_edit_close(own->entries, &spare, &nspare);
		free(spare);
	}
	free(own->spare);
	free(own);
	staging->own = NULL;
}

/* ---- changes ---- */

int dit_staging_own_begin_changes(struct dit_staging *staging)
{
	struct dit_staging_own *own = staging->own;
	int r = dit_staging_close_tables(staging);

	if (r < 0) {
		return r;
	}
	staging->takes_changes = true;
	r = dit_table_writer_new(&own->splits, &staging->space, MDB_DUPSORT);
	if (r < 0) {
		return r;
	}
	dit_table_writer_trust(own->splits);
	r = dit_page_file_drain(&staging->space.file);
	return r < 0 ? r
	             : dit_tree_edit_open(&own->entries, staging->data_fd,
	                                  &staging->space,
	                                  &staging->tables.fixed[DIT_TABLE_ENTRIES].tree);
}

int dit_staging_own_entry(struct dit_staging *staging, uint64_t id, struct dit_span *ret)
{
	int r = dit_page_file_drain(&staging->space.file);

	if (r == 0) {
		r = dit_tree_edit_find(staging->own->entries, id, ret);
	}
	return r == 0 ? MDB_NOTFOUND : r < 0 ? r : 0;
}

int dit_staging_own_replace(struct dit_staging *staging, uint64_t id,
                            struct dit_span record)
{
	sigset_t previous;
	int r = dit_page_file_drain(&staging->space.file);

	if (r < 0) {
		return r;
	}
	dit_file_size_signal_block(&previous);
	r = dit_tree_edit_replace(staging->own->entries, id, record);
	dit_file_size_signal_restore(&previous);
	return r == 0 ? MDB_NOTFOUND : r < 0 ? r : 0;
}

int dit_staging_own_add_split(struct dit_staging *staging, struct dit_span key,
                              struct dit_span record)
{
	return dit_table_writer_add(staging->own->splits, key, record);
}

/* ---- the end ---- */

static void name_tree(struct dit_named_tree **at, const char *name, unsigned flags,
                      const struct dit_tree_record *tree)
{
	const struct dit_tree_record none = {.root = DIT_PAGE_NONE};

	**at = (struct dit_named_tree){.name = name, .tree = tree == NULL ? none : *tree};
	(*at)->tree.flags = (uint16_t)flags;
	(*at)++;
}

static void name_table(struct dit_named_tree **at, const struct dit_staged_table *table)
{
	name_tree(at, table->name, table->flags, table->is_written ? &table->tree : NULL);
}

static int complete_file(struct dit_staging *staging, const struct dit_tree_record *id2v)
{
	/* All of them, and ixck. */
	size_t max = DIT_NFIXED_TABLES + staging->tables.nindexes + 2;
	struct dit_named_tree *trees = calloc(max, sizeof(*trees));
	struct dit_named_tree *at = trees;
	struct dit_new_file file = {
		.fd = staging->data_fd,
		.space = &staging->space,
		.trees = trees,
		.spare = staging->own->spare,
		.nspare = staging->own->nspare,
		.map_bytes = dit_map_limit(staging->maxsize_bytes, staging->page_bytes),
	};
	sigset_t previous;
	int r = 0;

	if (trees == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		name_table(&at, &staging->tables.fixed[i]);
	}
	for (size_t i = 0; i < staging->tables.nindexes; i++) {
		name_table(&at, &staging->tables.indexes[i]);
	}
	name_tree(&at, "id2v", MDB_DUPSORT, id2v);
	if (staging->has_ixck) {
		name_tree(&at, "ixck", MDB_INTEGERKEY, NULL);
	}
	file.ntrees = (size_t)(at - trees);
	dit_file_size_signal_block(&previous);
	r = dit_new_file_finish(&file);
	dit_file_size_signal_restore(&previous);
	free(trees);
	return r;
}

int dit_staging_own_finish(struct dit_staging *staging)
{
	struct dit_staging_own *own = staging->own;
	struct dit_tree_edit *entries = own->entries;
	struct dit_tree_record id2v = {.root = DIT_PAGE_NONE};
	int r = dit_table_writer_finish(own->splits, &id2v);

	own->entries = NULL;
	if (r == 0) {
		r = dit_page_file_drain(&staging->space.file);
	}
	if (entries != NULL) {
		int closed = dit_tree_edit_close(entries, &own->spare, &own->nspare);

		r = r < 0 ? r : closed;
	}
	if (r == 0) {
		r = complete_file(staging, &id2v);
	}
	staging->used_bytes = dit_new_file_bytes(&staging->space);
	return r;
}
