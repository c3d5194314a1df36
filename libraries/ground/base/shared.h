/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads, places and helpers that all parts of a job share while they work on one
 * database. The options of a part have a copy. Zero: none of them; then nobody is told,
 * nothing ends early, and nothing is encrypted.
 *
 * Threads: constant; the ticker is main's.
 */
#ifndef DITKIT_SHARED_H
#define DITKIT_SHARED_H

#include "base/stop.h"
#include "base/ticker.h"

struct dit_page_format; /* page_format.h */
struct dit_page_writer; /* page_writer.h */
struct dit_run_cipher;  /* run_file.h */

/** All pointers are borrowed until the part is released. */
struct dit_shared {
	unsigned nthreads;             /* tool threads, numbered from 0; 1: main alone */
	const struct dit_stop *stop;   /* ends long work; NULL: it is not ended early */
	struct dit_ticker *ticker;     /* NULL: no reports */
	const char *tmpdir;            /* for sorted runs */
	struct dit_run_cipher *cipher; /* of them; NULL: not encrypted */
	struct dit_page_writer *page_writer;  /* NULL: each thread writes its pages */
	const struct dit_page_format *sealed; /* of the database's pages, if it is of LMDB
	                                       * 1.0 and they are sealed; NULL: not */
};

#endif
