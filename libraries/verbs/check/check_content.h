/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of a database checked against its configuration, in one snapshot.
 *
 *   main       ad2i                                              check_numbers.h
 *   member N   ranges of IDs: entries, their keys into builders  check_entry.h
 *   main       contextCSN                                        check_csn.h
 *   member N   the tree; id2v; an index each                     check_tree.h, ...
 *
 * The structure of the file has been checked before: all but the damaged indexes can be
 * read.
 *
 * Threads: starts its own; findings come from any of them.
 */
#ifndef DITKIT_CHECK_CONTENT_H
#define DITKIT_CHECK_CONTENT_H

#include "base/stop.h"
#include "check/check.h"
#include "check/check_findings.h"
#include "config/settings.h"
#include "reader/snapshot.h"

struct dit_check_content_opts {
	struct dit_snapshot *snapshot;       /* as many readers as threads are wanted */
	const struct dit_settings *settings; /* borrowed, like the others */
	const struct dit_database *database; /* in them */
	uint64_t memory_bytes;               /* 0: as a load */
	const char *tmpdir;                  /* NULL: $TMPDIR, else /tmp */
	const char *const *damaged;          /* index databases that are not read */
	size_t ndamaged;
	const struct dit_stop *stop;
	struct dit_check_findings *findings;
	struct dit_check_findings *notes;
	/* Called now and then by the thread of dit_check_content(); may be NULL. */
	void (*tell)(void *ctx, enum dit_check_phase phase, uint64_t done,
	             uint64_t total);
	void *tell_ctx;
};

/** Smallest memory_bytes but 0. */
#define DIT_CHECK_MEMORY_MIN ((uint64_t)16 << 20)

/**
 * @return 0, with findings or without; DIT_E_STOPPED; -EINVAL: too little memory;
 *         DIT_E_UNSUPPORTED: an index that this release cannot make; -ENOMEM; -errno of
 *         run files; LMDB's codes; -EAGAIN and other codes of pthread_create()
 */
int dit_check_content(const struct dit_check_content_opts *opts);

#endif
