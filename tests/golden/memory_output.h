/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that keeps what it is given: a new database in memory, without pages. It has
 * the limits of LMDB 1.0 on keys, and shows all records in the order in which a file has
 * them.
 *
 * The program is linked with $(record_output_wraps); then every load writes here.
 *
 * Ownership: the output frees itself, as all outputs do; what was published stays until
 * memory_output_free().
 *
 * Threads: main.
 */
#ifndef DITKIT_MEMORY_OUTPUT_H
#define DITKIT_MEMORY_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/span.h"

/**
 * Print the database that was published last: for each named database, in the order of
 * their names, a line "DB name flags=0x.. entries=N", and a line "key value" in
 * hexadecimal for each record.
 *
 * @return 0; 1: nothing was published; -1: not written
 */
int memory_output_print(FILE *out);

/** Forget it. */
void memory_output_free(void);

#endif
