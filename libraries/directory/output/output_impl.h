/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementations of outputs, for output.c, which chooses among them.
 *
 * Threads: as output.h says.
 */
#ifndef DITKIT_OUTPUT_IMPL_H
#define DITKIT_OUTPUT_IMPL_H

#include "output/record_output.h"
#include "page/page_format.h"

/** A new database. DIT_E_NOTEMPTY: there are records; nothing was changed. */
int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts);
/** A database that holds records, of the format that the options name. */
int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts);

/**
 * The find_index() of an output that writes indexes alone (index_output.h). New keys take
 * the place of all that are stored, so their length does not matter. Nor do flags that
 * are damaged, if no other process has the database open.
 *
 * @param tree  of the database of this name
 */
int dit_output_found_index(const char *name, const struct dit_tree_record *tree,
                           bool is_online, struct dit_fault *fault,
                           struct dit_output_stored_index *ret);

#endif
