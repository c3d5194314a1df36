/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The findings and notes of a check of one data file: counted by kind, kept up to a limit
 * each, told in order, the findings first.
 *
 *   dit_check_findings_new()
 *   any thread:  dit_check_report() ...
 *   dit_check_findings_tell();  dit_check_findings_free()
 *
 * The first ones in that order are kept, whichever thread has found them. So the output
 * does not depend on threads.
 *
 * Threads: dit_check_report() any; the others one, when no thread finds anything.
 */
#ifndef DITKIT_CHECK_FINDINGS_H
#define DITKIT_CHECK_FINDINGS_H

#include <stdint.h>

#include "base/span.h"
#include "check/check.h"
#include "walk/walk.h"

/* Kinds of our own; notes are the last. */
#define DIT_CHECK_KINDS(KIND)                                                            \
 KIND(DIT_CHECK_DATABASE_FLAGS, "database-flags")                                        \
 KIND(DIT_CHECK_DATABASE_MISSING, "database-missing")                                    \
 KIND(DIT_CHECK_AD_GAP, "ad-gap")                                                        \
 KIND(DIT_CHECK_AD_NAME, "ad-name")                                                      \
 KIND(DIT_CHECK_AD_TWICE, "ad-twice")                                                    \
 KIND(DIT_CHECK_CSN_FORMAT, "csn-format")                                                \
 KIND(DIT_CHECK_ENTRY_ATTRIBUTE, "entry-attribute")                                      \
 KIND(DIT_CHECK_ENTRY_CLASSES, "entry-classes")                                          \
 KIND(DIT_CHECK_ENTRY_ID, "entry-id")                                                    \
 KIND(DIT_CHECK_ENTRY_NODE, "entry-node")                                                \
 KIND(DIT_CHECK_ENTRY_RECORD, "entry-record")                                            \
 KIND(DIT_CHECK_INDEX_KEYS, "index-keys")                                                \
 KIND(DIT_CHECK_INDEX_LENGTH, "index-length")                                            \
 KIND(DIT_CHECK_INDEX_MISSING, "index-missing")                                          \
 KIND(DIT_CHECK_INDEX_RANGE, "index-range")                                              \
 KIND(DIT_CHECK_NAME_COUNT, "name-count")                                                \
 KIND(DIT_CHECK_NAME_DIFFERS, "name-differs")                                            \
 KIND(DIT_CHECK_NAME_ENTRY, "name-entry")                                                \
 KIND(DIT_CHECK_NAME_LOOP, "name-loop")                                                  \
 KIND(DIT_CHECK_NAME_NORMAL, "name-normal")                                              \
 KIND(DIT_CHECK_NAME_PARENT, "name-parent")                                              \
 KIND(DIT_CHECK_NAME_RECORD, "name-record")                                              \
 KIND(DIT_CHECK_NAME_ROOT, "name-root")                                                  \
 KIND(DIT_CHECK_NAME_SELF, "name-self")                                                  \
 KIND(DIT_CHECK_NAME_SUFFIX, "name-suffix")                                              \
 KIND(DIT_CHECK_NAME_TWICE, "name-twice")                                                \
 KIND(DIT_CHECK_NAME_VALUE, "name-value")                                                \
 KIND(DIT_CHECK_POSTING_MISSING, "posting-missing")                                      \
 KIND(DIT_CHECK_POSTING_SURPLUS, "posting-surplus")                                      \
 KIND(DIT_CHECK_SPLIT_COUNT, "split-count")                                              \
 KIND(DIT_CHECK_SPLIT_MISSING, "split-missing")                                          \
 KIND(DIT_CHECK_SPLIT_ORDER, "split-order")                                              \
 KIND(DIT_CHECK_SPLIT_RECORD, "split-record")                                            \
 KIND(DIT_CHECK_SPLIT_SURPLUS, "split-surplus")                                          \
 KIND(DIT_CHECK_VALUE_NORMAL, "value-normal")                                            \
 KIND(DIT_CHECK_VALUE_ORDER, "value-order")                                              \
 KIND(DIT_CHECK_REFERENCE_DANGLING, "reference-dangling")                                \
 KIND(DIT_CHECK_URL_IGNORED, "url-ignored")                                              \
 KIND(DIT_CHECK_VALUE_TWICE, "value-twice")                                              \
 KIND(DIT_CHECK_MEMBERSHIP_MISSING, "membership-missing")                                \
 KIND(DIT_CHECK_MEMBERSHIP_SURPLUS, "membership-surplus")                                \
 KIND(DIT_CHECK_CONTEXT_CSN, "context-csn")                                              \
 KIND(DIT_CHECK_HOLE, "hole")                                                            \
 KIND(DIT_CHECK_INDEX_PENDING, "index-pending")                                          \
 KIND(DIT_CHECK_INDEX_UNUSED, "index-unused")                                            \
 KIND(DIT_CHECK_NAME_ABSENT, "name-absent")                                              \
 KIND(DIT_CHECK_SPLIT_FEW, "split-few")                                                  \
 KIND(DIT_CHECK_VALUE_UNSORTED, "value-unsorted")

#define DIT_CHECK_KIND(kind, name) kind,

/** They come after the walker's kinds. */
enum dit_check_kind {
	DIT_CHECK_BEFORE = DIT_WALK_NKINDS - 1,
	DIT_CHECK_KINDS(DIT_CHECK_KIND) DIT_CHECK_NKINDS,
};

/** Static; of the walker's kinds as well. */
const char *dit_check_kind_name(unsigned kind);

/** A finding that has no place yet but its database. */
#define DIT_CHECK_PLACE(name)                                                            \
 {                                                                                       \
  .database = (name), .page = DIT_CHECK_NO_PAGE, .node = -1                              \
 }

struct dit_check_findings;

/**
 * @param max         findings kept at most, and as many notes; 0: all
 * @param first_note  this kind and those after it are notes: MEMBERSHIP_MISSING;
 *                    CONTEXT_CSN where overlays are asked for; NKINDS: none is
 *
 * @return 0 or -ENOMEM
 */
int dit_check_findings_new(struct dit_check_findings **ret, uint64_t max,
                           unsigned first_note);
/** NULL is fine. */
void dit_check_findings_free(struct dit_check_findings *findings);

/**
 * A kind of the walker's or ours, and a sentence.
 *
 * @param place  database, page, node, id, dn and attribute alone count; they are copied
 */
void dit_check_report(struct dit_check_findings *findings, unsigned kind,
                      const struct dit_check_finding *place, const char *format, ...)
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

/** All findings, or all notes, kept or not. @param by_kind  NULL, or an array to which
 * those of each kind are added */
uint64_t dit_check_findings_count(const struct dit_check_findings *findings, bool notes,
                                  uint64_t *by_kind);

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
