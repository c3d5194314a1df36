/* SPDX-License-Identifier: BSD-2-Clause */
/* Each node is followed upwards until the way meets one that was followed before. */
#include "check/check_loops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/ids.h"

#define SHOWN_IDS 10
#define TEXT_MAX  300

enum mark {
	MARK_NEW,
	MARK_ON_WAY, /* of the node that is followed */
	MARK_DONE,
};

void dit_loops_deinit(struct dit_loops *loops)
{
	free(loops->nodes);
	*loops = (struct dit_loops){.nodes = NULL};
}

int dit_loops_add(struct dit_loops *loops, uint64_t id, uint64_t parent)
{
	if (loops->n > 0 && id <= loops->nodes[loops->n - 1].id) {
		return 0;
	}
	if (DIT_GROW(loops->nodes, loops->size, loops->n + 1) < 0) {
		return -ENOMEM;
	}
	loops->nodes[loops->n++] = (struct dit_loop_node){id, parent};
	return 0;
}

/* loops->n: the node has none. */
static size_t parent_of(const struct dit_loops *loops, size_t i)
{
	const struct dit_loop_node *parent =
		bsearch(&loops->nodes[i].parent, loops->nodes, loops->n,
	                sizeof(*loops->nodes), dit_compare_ids);

	return parent == NULL ? loops->n : (size_t)(parent - loops->nodes);
}

static void tell(const struct dit_loops *loops, size_t first, dit_loop_fn found,
                 void *ctx)
{
	char text[TEXT_MAX];
	size_t lowest = first;
	size_t n = 0;
	int at = 0;

	for (size_t i = parent_of(loops, first); i != first; i = parent_of(loops, i)) {
		lowest = i < lowest ? i : lowest;
	}
	for (size_t i = lowest; n == 0 || i != lowest; i = parent_of(loops, i), n++) {
		if (n < SHOWN_IDS) {
			at += snprintf(text + at, sizeof(text) - (size_t)at,
			               "%" PRIu64 ", ", loops->nodes[i].id);
		} else if (n == SHOWN_IDS) {
			at += snprintf(text + at, sizeof(text) - (size_t)at, "..., ");
		}
	}
	(void)snprintf(text + at, sizeof(text) - (size_t)at, "%" PRIu64,
	               loops->nodes[lowest].id);
	found(ctx, text, loops->nodes[lowest].id);
}

int dit_loops_find(const struct dit_loops *loops, dit_loop_fn found, void *ctx)
{
	unsigned char *marks = calloc(loops->n + 1, 1);

	if (marks == NULL) {
		return -ENOMEM;
	}
	for (size_t first = 0; first < loops->n; first++) {
		size_t i = first;

		while (i < loops->n && marks[i] == MARK_NEW) {
			marks[i] = MARK_ON_WAY;
			i = parent_of(loops, i);
		}
		if (i < loops->n && marks[i] == MARK_ON_WAY) {
			tell(loops, i, found, ctx);
		}
		for (i = first; i < loops->n && marks[i] == MARK_ON_WAY;
		     i = parent_of(loops, i)) {
			marks[i] = MARK_DONE;
		}
	}
	free(marks);
	return 0;
}
