/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Circles of parents: which nodes, followed from parent to parent, come back to
 * themselves?
 *
 *   dit_loops_add() in ascending order of IDs;  dit_loops_find();  dit_loops_deinit()
 *
 * Threads: one.
 */
#ifndef DITKIT_CHECK_LOOPS_H
#define DITKIT_CHECK_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct dit_loop_node {
	uint64_t id;
	uint64_t parent;
};

/** Zero is an empty one. */
struct dit_loops {
	struct dit_loop_node *nodes; /* by ID */
	size_t n;
	size_t size;
};

void dit_loops_deinit(struct dit_loops *loops);

/** An ID that is not above the one before it is left out. 0 or -ENOMEM. */
int dit_loops_add(struct dit_loops *loops, uint64_t id, uint64_t parent);

/** @param ids  "5, 9, 7, 5", cut if there are many; valid during the call */
typedef void (*dit_loop_fn)(void *ctx, const char *ids, uint64_t lowest);

/** Each circle once. 0 or -ENOMEM. */
int dit_loops_find(const struct dit_loops *loops, dit_loop_fn found, void *ctx);

#endif
