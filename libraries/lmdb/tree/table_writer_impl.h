/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by table_writer.c and merges: the writer itself, and its open pages.
 * One thread at a time uses a writer.
 */
#ifndef DIT_PAGES_TABLE_WRITER_IMPL_H
#define DIT_PAGES_TABLE_WRITER_IMPL_H

#include "page/page_nodes.h"
#include "tree/page_tree.h"
#include "tree/table_writer.h"

struct dit_table_writer {
	struct dit_page_sink sink;   /* leaves, and branches above them */
	struct dit_page_sink values; /* pages of long values and of lists */
	struct dit_page_tree tree;   /* above the leaves */
	struct dit_page_tree list;   /* above the pages of one long list */
	const struct dit_page_format *format;
	unsigned page_bytes;
	unsigned node_max;
	unsigned key_max;
	/* How keys and records are compared: as the flags say, unless a merge differs. */
	struct dit_key_orders orders;
	uint64_t nnew_leaves; /* since a page was kept */
	uint64_t nitems;
	uint64_t noverflow_pages;
	uint64_t nlist_branches; /* pages of lists' trees */
	uint64_t nlist_leaves;
	uint64_t ncopied_pages; /* of long lists whose nodes were copied */
	/* Pages of all kinds, those of long lists included, whatever the format counts in
	 * the tree's record; known after the finish */
	uint64_t npages;
	size_t key_len; /* of the last key; 0: none yet */
	char *key;      /* owned */

	/* The list of records of the last key. */
	char *records; /* the open page; owned; NULL: there are only IDs */
	uint64_t nrecords;
};

/*
 * Whether KEY may come next: it has a length that a key can have, and it is above the
 * last one. Returns 0, MDB_BAD_VALSIZE, MDB_KEYEXIST.
 */
int dit_table_writer_check_key(const struct dit_table_writer *writer,
                               struct dit_span key);

/* KEY is the last one now. It is copied. */
void dit_table_writer_remember_key(struct dit_table_writer *writer, struct dit_span key);

/* The nodes of the open leaf; 0: none is open. */
unsigned dit_table_writer_leaf_nodes(const struct dit_table_writer *writer);

/* Finish the open leaf, if there is one. Returns 0, or the error of the sink. */
int dit_table_writer_end_leaf(struct dit_table_writer *writer);

/* Finish the open page of records, if it has some. Returns as above. */
int dit_table_writer_end_records_page(struct dit_table_writer *writer);

#endif
