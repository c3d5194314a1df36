/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementations of outputs, for output.c, which chooses among them.
 *
 * Threads: as output.h says.
 */
#ifndef DITKIT_OUTPUT_IMPL_H
#define DITKIT_OUTPUT_IMPL_H

#include "output/output.h"
#include "page/page_format.h"

/** A new database. DIT_E_NOTEMPTY: there are records; nothing was changed. */
int dit_output_new_open(struct dit_output **ret, const struct dit_output_opts *opts);
/** A database that holds records, or none. */
int dit_output_existing_open(struct dit_output **ret, const struct dit_output_opts *opts);

/*
 * Of an output of index databases alone (index_output.h): -EINVAL; 0 where nothing is to
 * be done.
 */
int dit_indexes_alone_find_ad(struct dit_output *output, uint32_t number,
                              struct dit_span *ret);
int dit_indexes_alone_find_child(struct dit_output *output, uint64_t parent,
                                 struct dit_span norm, uint64_t *ret_id);
int dit_indexes_alone_put_ad(struct dit_output *output, uint32_t number,
                             struct dit_span name);
int dit_indexes_alone_reserve_entry(struct dit_output *output, uint64_t id, size_t len,
                                    void **ret_space);
int dit_indexes_alone_put_split(struct dit_output *output, uint64_t id, uint16_t ad,
                                uint32_t place, struct dit_span record);
int dit_indexes_alone_grow_subtree(struct dit_output *output, uint64_t id, uint64_t n);
int dit_indexes_alone_open_names(struct dit_output *output,
                                 struct dit_output_table **ret);
int dit_indexes_alone_begin_changes(struct dit_output *output);
int dit_indexes_alone_find_entry(struct dit_output *output, uint64_t id,
                                 struct dit_span *ret);
int dit_indexes_alone_replace_entry(struct dit_output *output, uint64_t id,
                                    struct dit_span record);
int dit_indexes_alone_expect_postings(struct dit_output *output, uint64_t n);
int dit_indexes_alone_begin_indexes(struct dit_output *output);

/**
 * The find_index() of one. New keys take the place of all that are stored, so their
 * length does not matter. Nor do flags that are damaged, if nobody has the database
 * open.
 *
 * @param tree  of the database of this name
 */
int dit_indexes_alone_find(const char *name, const struct dit_tree_record *tree,
                           bool is_online, struct dit_fault *fault,
                           struct dit_output_stored_index *ret);

/* clang-format off */
#define DIT_OUTPUT_INDEXES_ALONE \
	.find_ad = dit_indexes_alone_find_ad, \
	.find_child = dit_indexes_alone_find_child, \
	.put_ad = dit_indexes_alone_put_ad, \
	.reserve_entry = dit_indexes_alone_reserve_entry, \
	.put_split = dit_indexes_alone_put_split, \
	.grow_subtree = dit_indexes_alone_grow_subtree, \
	.open_names = dit_indexes_alone_open_names, \
	.begin_changes = dit_indexes_alone_begin_changes, \
	.find_entry = dit_indexes_alone_find_entry, \
	.replace_entry = dit_indexes_alone_replace_entry, \
	.expect_postings = dit_indexes_alone_expect_postings, \
	.begin_indexes = dit_indexes_alone_begin_indexes
/* clang-format on */

#endif
