/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipeline: batches go through up to four stages, on one thread or on many, and come
 * out in the order in which they came in.
 *
 *   dit_pipeline_new();  dit_pipeline_run();
 *   dit_pipeline_begin_work();  dit_pipeline_end_work() ...;
 *                                                  other work for the same threads
 *   dit_pipeline_free()
 *
 * A batch lies in a slot. The slots are numbered; the user keeps in an array of its own
 * what lies in them. Each batch passes these stages, one in a round:
 *
 *   fill           the source: the next batch (LDIF records, a range of IDs) is put into
 *                  the slot. On main, or ahead of main on a reader thread.
 *   before_order   on all members at once, a share of the batch each: needs no order.
 *   in_order       on main, one batch after the other: what needs it.
 *   after_order    on all members at once: what needs the results of in_order.
 *
 *   round         1           2           3           4
 *   reader       (ahead)
 *   members      before B1   before B2   before B3   before B4
 *                                        after  B1   after  B2
 *   main                     order  B1   order  B2   order  B3
 *
 * So a slot is the reader's, then the members', then main's, then the members' again,
 * then free. It changes hands at the meeting of main and members, which is the only one
 * in a round, and which orders all that was written before it. A pipeline that needs no
 * order but that of its output (an export) leaves out after_order; main then gives the
 * slot back as soon as in_order returns.
 *
 * With one member and no reader thread everything happens in the caller, in the same
 * order.
 *
 * Errors. Every callback returns 0 (fill: 1), or a negative code, which ends the run.
 * The first error in the order of batches is what dit_pipeline_run() returns, whichever
 * thread meets it first: the batches before a failing one pass in_order, the failing
 * one does not (or, if fill failed, there is none). A member that failed does nothing
 * more.
 *
 * Threads: "main" is the thread that called dit_pipeline_new(); it makes all calls.
 */
#ifndef DITKIT_PIPELINE_H
#define DITKIT_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/shared.h"

/** No pipeline has more slots. */
#define DIT_PIPELINE_NSLOTS_MAX 6

struct dit_pipeline;

/** A part of a batch that one member works on. */
struct dit_pipeline_share {
	unsigned slot;
	unsigned member; /* 0 .. nthreads - 1 */
	size_t first;    /* items first .. end - 1 */
	size_t end;
	struct dit_arena *arena; /* the member's for this batch: what it allocates there
	                          * lives until the batch has passed its last stage */
};

/** The stages. All get the ctx of the options. */
struct dit_pipeline_ops {
	/**
	 * The source: put the next batch into a free slot. With is_ahead on the reader
	 * thread, else on main. Not called again after it returned something else than 1.
	 *
	 * @return 1; 0: there is no further batch; negative: an error
	 */
	int (*fill)(void *ctx, unsigned slot);

	/**
	 * On main, in order: a batch begins its way. The members' shares are cut from
	 * items 0 .. *ret_nitems - 1. An error counts as one of fill.
	 */
	int (*begin)(void *ctx, unsigned slot, size_t *ret_nitems);

	int (*before_order)(void *ctx, const struct dit_pipeline_share *share);

	/** Reports, progress and results belong here: they then come in order. */
	int (*in_order)(void *ctx, unsigned slot);

	/** NULL: none. */
	int (*after_order)(void *ctx, const struct dit_pipeline_share *share);
};

struct dit_pipeline_opts {
	struct dit_pipeline_ops ops;
	void *ctx;          /* borrowed until dit_pipeline_free() */
	const char *name;   /* of the members' threads, up to 10 characters */
	bool is_ahead;      /* start a reader thread, "reader", that calls fill */
	size_t share;       /* items of a share; 0: 16, for items of some microseconds */
	size_t arena_bytes; /* of an arena's block; 0: 64 KiB */
	/* Each thread is a member; there is one at least, and main does the work of a
	 * single one. The run is ended after the in_order of a batch; arenas of slots ask
	 * the same stop. Main ticks while it waits for the reader thread and members. */
	struct dit_shared shared;
};

/** Where a run ended. */
enum dit_pipeline_stage {
	DIT_PIPELINE_NONE, /* at the end of the input */
	DIT_PIPELINE_FILL, /* begin included */
	DIT_PIPELINE_BEFORE_ORDER,
	DIT_PIPELINE_IN_ORDER,
	DIT_PIPELINE_AFTER_ORDER,
	DIT_PIPELINE_STOPPED,
};

/** Other work of one member. */
typedef void (*dit_pipeline_work_fn)(void *ctx, unsigned member);

/** How many slots a pipeline with these options has: the length of the user's array. */
unsigned dit_pipeline_nslots(const struct dit_pipeline_opts *opts);

/**
 * Starts the threads; a reader thread begins to fill at once.
 *
 * @param opts  copied
 *
 * @return 0; -EINVAL; -ENOMEM; -EAGAIN and other codes of pthread_create()
 */
int dit_pipeline_new(struct dit_pipeline **ret, const struct dit_pipeline_opts *opts);

/**
 * Waits for what members and reader thread are doing, and joins them. The objects in the
 * slots stay the user's. NULL is fine.
 */
void dit_pipeline_free(struct dit_pipeline *pipeline);

/**
 * Take all batches through all stages; once. When it returns, the members are at rest,
 * and main may look at what they made. The reader thread rests after a successful run
 * only.
 *
 * @param ret_stage  where it ended
 *
 * @return 0; the error of a stage; DIT_E_STOPPED
 */
int dit_pipeline_run(struct dit_pipeline *pipeline, enum dit_pipeline_stage *ret_stage);

/**
 * Before or after the run: start all members on other work, once each, when they are done
 * with what they do. With one member the work is done when this returns.
 */
void dit_pipeline_begin_work(struct dit_pipeline *pipeline, dit_pipeline_work_fn work,
                             void *ctx);
/** Wait for that work. */
void dit_pipeline_end_work(struct dit_pipeline *pipeline);

#endif
