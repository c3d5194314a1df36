/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The findings of a check of one data file: counted by kind, kept up to a limit, told in
 * order.
 *
 *   dit_check_findings_new()
 *   any thread:  dit_check_find() ...
 *   dit_check_findings_tell();  dit_check_findings_free()
 *
 * Those that are kept are the first in their order, whatever thread found them when. So
 * what is told does not depend on threads.
 *
 * Threads: dit_check_find() any; the others one, while nobody finds anything.
 */
#ifndef DITKIT_CHECK_FINDINGS_H
#define DITKIT_CHECK_FINDINGS_H

#include <stdint.h>

#include "bulk/check.h"
#include "pages/walk.h"

/** Kinds of our own, behind the walker's. */
enum dit_check_kind {
	DIT_CHECK_DATABASE_FLAGS = DIT_WALK_NKINDS,
	DIT_CHECK_DATABASE_MISSING,
	DIT_CHECK_NKINDS,
};

/** Static; of the walker's kinds as well. */
const char *dit_check_kind_name(unsigned kind);

/** Where. Zero, but for page and node, is nowhere; the texts are copied. */
struct dit_check_place {
	const char *database;
	uint64_t page; /* DIT_CHECK_NO_PAGE */
	long node;     /* -1 */
	uint64_t id;
	const char *dn;
	const char *attribute;
};

#define DIT_CHECK_PLACE(name)                                                            \
 {                                                                                       \
  .database = (name), .page = DIT_CHECK_NO_PAGE, .node = -1                              \
 }

struct dit_check_findings;

/** @param max  kept at most; 0: all. @return 0 or -ENOMEM, -EAGAIN */
int dit_check_findings_new(struct dit_check_findings **ret, uint64_t max);
/** NULL is fine. */
void dit_check_findings_free(struct dit_check_findings *findings);
/** As new. */
void dit_check_findings_reset(struct dit_check_findings *findings);

/** A kind of the walker's or ours, and a sentence. */
void dit_check_find(struct dit_check_findings *findings, unsigned kind,
                    const struct dit_check_place *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** All of them, kept or not. */
uint64_t dit_check_findings_count(const struct dit_check_findings *findings);
uint64_t dit_check_findings_count_of(const struct dit_check_findings *findings,
                                     unsigned kind);

/**
 * Tell those that are kept: by database, page, node, ID, attribute and text.
 *
 * @return 0 or -ENOMEM: some could not be kept, and nothing is told
 */
int dit_check_findings_tell(struct dit_check_findings *findings, const char *file,
                            dit_check_found_fn found, void *ctx);

#endif
