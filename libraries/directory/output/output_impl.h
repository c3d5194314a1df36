/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementations of outputs, for output.c, which chooses among them.
 *
 * Threads: as output.h says.
 */
#ifndef DITKIT_OUTPUT_IMPL_H
#define DITKIT_OUTPUT_IMPL_H

#include "output/record_output.h"

/** A new database. DIT_E_NOTEMPTY: there are records; nothing was changed. */
int dit_output_new_open(struct dit_record_output **ret,
                        const struct dit_output_opts *opts);
/** A database that holds records, of the format that the options name. */
int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts);

#endif
