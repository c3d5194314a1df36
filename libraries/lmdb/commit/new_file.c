/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees that the meta page knows, and the meta pages. */
#include "commit/new_file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/whole_io.h"
#include "commit/free_list.h"
#include "page/lmdb_format.h"
#include "tree/table_writer.h"

#define META_FLAG 0x08u

/* ---- pages that are used again ---- */

int dit_dropped_pages_add(void *ctx, uint64_t first, uint64_t n)
{
	struct dit_dropped_pages *dropped = ctx;
	int r = dit_page_set_grow(&dropped->set, first + n);

	dropped->least = first < dropped->least ? first : dropped->least;
	return r == 0 && !dit_page_set_add_run(&dropped->set, first, n) ? DIT_E_CORRUPT
	                                                                : r;
}

int dit_dropped_pages_take(void *ctx, uint64_t least, uint64_t npages,
                           struct dit_page_run *ret)
{
	struct dit_dropped_pages *dropped = ctx;
	struct dit_page_set *set = &dropped->set;
	uint64_t at = dropped->least;

	if (set->count < least) {
		return 0;
	}
	*ret = (struct dit_page_run){dit_page_set_take_run(set, least, &at), least};
	if (ret->first == set->npages) {
		return 0;
	}
	for (; ret->n < npages && dit_page_set_has(set, ret->first + ret->n); ret->n++) {
		dit_page_set_remove(set, ret->first + ret->n);
	}
	dropped->least = least == 1 ? ret->first + ret->n : dropped->least;
	return 1;
}

/* ---- the main tree ---- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct dit_named_tree *)a)->name,
	              ((const struct dit_named_tree *)b)->name);
}

static int put_tree(struct dit_table_writer *writer, const struct dit_page_format *format,
                    const struct dit_named_tree *named)
{
	struct dit_node_view node = {
		.flags = DIT_NODE_TREE,
		.key = {named->name, strlen(named->name) + format->names_have_nul},
		.value = {(const char *)&named->tree, sizeof(named->tree)},
	};

	return dit_table_writer_copy(writer, &node);
}

static int write_main_tree(const struct dit_new_file *file, struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, file->space, 0);

	qsort(file->trees, file->ntrees, sizeof(file->trees[0]), compare);
	for (size_t i = 0; i < file->ntrees && r == 0; i++) {
		r = put_tree(writer, file->space->format, &file->trees[i]);
	}
	if (r == 0) {
		r = dit_table_writer_finish(writer, ret);
	}
	dit_table_writer_free(writer);
	return r;
}

/* ---- the free list ---- */

static int write_free_list(const struct dit_new_file *file, struct dit_tree_record *ret)
{
	struct dit_free_list list = {.nrecords = 0};
	int r = file->spare->count == 0
	                ? 0
	                : dit_free_list_give(&list, DIT_FIRST_TRANSACTION, file->spare,
	                                     file->spare->count);

	if (r == 0) {
		r = dit_free_list_write(&list, file->space, ret);
	}
	dit_free_list_deinit(&list);
	return r;
}

/* ---- meta pages ---- */

static int write_meta(const struct dit_new_file *file, unsigned number,
                      const struct dit_meta *meta)
{
	const struct dit_page_format *format = file->space->format;
	unsigned page_bytes = file->space->page_bytes;
	uint64_t page_number = number;
	char *page = calloc(1, page_bytes);
	int r = 0;

	if (page == NULL) {
		return -ENOMEM;
	}
	memcpy(page, &page_number, sizeof(page_number));
	dit_page_words(format, page)->flags = META_FLAG;
	memcpy(page + format->header_bytes, meta, sizeof(*meta));
	r = dit_write_at(file->fd, page, page_bytes, page_number * page_bytes);
	free(page);
	return r;
}

static int write_metas(const struct dit_new_file *file, struct dit_meta *meta)
{
	const struct dit_tree_record none = {.root = DIT_PAGE_NONE};
	struct dit_meta empty = *meta;
	int r = 0;

	empty.free_tree = none;
	empty.free_tree.item_bytes = meta->free_tree.item_bytes;
	empty.free_tree.flags = meta->free_tree.flags;
	empty.main_tree = none;
	empty.last_page = DIT_FIRST_PAGE - 1;
	empty.transaction = 0;
	r = write_meta(file, 0, &empty);
	return r < 0 ? r : write_meta(file, DIT_FIRST_TRANSACTION, meta);
}

int dit_new_file_finish(const struct dit_new_file *file)
{
	struct dit_page_space *space = file->space;
	struct dit_meta meta = {
		.magic = DIT_META_MAGIC,
		.version = space->format->version,
		.map_bytes = file->map_bytes,
		.transaction = DIT_FIRST_TRANSACTION,
	};
	int r = write_main_tree(file, &meta.main_tree);

	if (r == 0) {
		r = write_free_list(file, &meta.free_tree);
	}
	if (r == 0) {
		r = dit_page_file_drain(&space->file);
	}
	dit_page_file_close(&space->file);
	if (r < 0) {
		return r;
	}
	/* The word for packed items tells the size of all pages. */
	meta.free_tree.item_bytes = space->page_bytes;
	meta.free_tree.flags = DIT_DB_INTEGERKEY;
	meta.last_page =
		atomic_load_explicit(&space->next_page, memory_order_relaxed) - 1;
	if (meta.map_bytes < dit_new_file_bytes(space)) {
		meta.map_bytes = dit_new_file_bytes(space);
	}
	return write_metas(file, &meta);
}
