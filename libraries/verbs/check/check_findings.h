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
 * Threads: dit_check_find() any; the others one, when no thread finds anything.
 */
#ifndef DITKIT_CHECK_FINDINGS_H
#define DITKIT_CHECK_FINDINGS_H

#include <stdint.h>

#include "base/span.h"
#include "check/check.h"
#include "walk/walk.h"

/** Kinds of our own, after the walker's. */
enum dit_check_kind {
	DIT_CHECK_DATABASE_FLAGS = DIT_WALK_NKINDS,
	DIT_CHECK_DATABASE_MISSING,
	/* Place in the content. */
	DIT_CHECK_AD_GAP,
	DIT_CHECK_AD_NAME,
	DIT_CHECK_AD_TWICE,
	DIT_CHECK_CONTEXT_CSN,
	DIT_CHECK_ENTRY_ATTRIBUTE,
	DIT_CHECK_ENTRY_CLASSES,
	DIT_CHECK_ENTRY_ID,
	DIT_CHECK_ENTRY_NODE,
	DIT_CHECK_ENTRY_RECORD,
	DIT_CHECK_INDEX_KEYS,
	DIT_CHECK_INDEX_LENGTH,
	DIT_CHECK_INDEX_MISSING,
	DIT_CHECK_INDEX_RANGE,
	DIT_CHECK_NAME_COUNT,
	DIT_CHECK_NAME_DIFFERS,
	DIT_CHECK_NAME_ENTRY,
	DIT_CHECK_NAME_LOOP,
	DIT_CHECK_NAME_NORMAL,
	DIT_CHECK_NAME_PARENT,
	DIT_CHECK_NAME_RECORD,
	DIT_CHECK_NAME_ROOT,
	DIT_CHECK_NAME_SELF,
	DIT_CHECK_NAME_SUFFIX,
	DIT_CHECK_NAME_TWICE,
	DIT_CHECK_NAME_VALUE,
	DIT_CHECK_POSTING_MISSING,
	DIT_CHECK_POSTING_SURPLUS,
	DIT_CHECK_SPLIT_COUNT,
	DIT_CHECK_SPLIT_MISSING,
	DIT_CHECK_SPLIT_ORDER,
	DIT_CHECK_SPLIT_RECORD,
	DIT_CHECK_SPLIT_SURPLUS,
	DIT_CHECK_VALUE_NORMAL,
	DIT_CHECK_VALUE_ORDER,
	/* Not wrong. */
	DIT_CHECK_HOLE,
	DIT_CHECK_INDEX_PENDING,
	DIT_CHECK_INDEX_UNUSED,
	DIT_CHECK_SPLIT_FEW,
	DIT_CHECK_NKINDS,
};

/** Is it only worth knowing? */
static inline bool dit_check_kind_is_note(unsigned kind)
{
	return kind >= DIT_CHECK_HOLE;
}

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

/** Bytes of a name or value that a finding shows, and room for them. */
#define DIT_CHECK_SHOWN_BYTES 60
#define DIT_CHECK_SHOWN       (4 * DIT_CHECK_SHOWN_BYTES + 4)

/**
 * Content of a database, for the sentence of a finding: \xx stands for a byte that is no
 * printable ASCII, and for a quote; "..." for the rest of what is long.
 *
 * @param text  DIT_CHECK_SHOWN bytes. @return @p text
 */
const char *dit_check_show(char *text, struct dit_span value);

/** All of them, kept or not. */
uint64_t dit_check_findings_count(const struct dit_check_findings *findings);
uint64_t dit_check_findings_count_of(const struct dit_check_findings *findings,
                                     unsigned kind);

/**
 * Tell those that are kept: by database, page, node, ID, attribute and text.
 *
 * @param found  may be NULL
 *
 * @return 0 or -ENOMEM: some could not be kept, and nothing is told
 */
int dit_check_findings_tell(struct dit_check_findings *findings, const char *file,
                            dit_check_found_fn found, void *ctx);

#endif
