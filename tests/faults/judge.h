/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a data file, and is it whole?
 *
 * A whole file is one in which the walker (walk/walk.h) finds nothing and that liblmdb
 * can read from end to end and copy compactly; of LMDB 1.0, one that our cursors can
 * read. Each different file is looked at once.
 */
#ifndef DITKIT_JUDGE_H
#define DITKIT_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define JUDGE_NO_FILE UINT64_C(1)
#define JUDGE_DAMAGED UINT64_C(0)

struct judge;

/** @param scratch  a file of the judge's own. NULL: no memory */
struct judge *judge_new(const char *scratch);
void judge_free(struct judge *judge);

/**
 * @param bytes  of data.mdb; data NULL: there is no file
 *
 * @return a digest of all records; JUDGE_NO_FILE; JUDGE_DAMAGED
 */
uint64_t judge_content(struct judge *judge, struct dit_span bytes);

/** The damage of the file that was damaged last. */
const char *judge_reason(const struct judge *judge);

/** Files that were looked at. */
unsigned long judge_nfiles(const struct judge *judge);

#endif
