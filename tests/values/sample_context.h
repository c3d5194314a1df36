/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample schema and an arena of small blocks, made before each group of tests. */
#ifndef DITKIT_SAMPLE_CONTEXT_H
#define DITKIT_SAMPLE_CONTEXT_H

#include "sample_schema.h"

struct context {
	struct dit_schema *schema;
	struct dit_arena arena;
};

static int setup(void **state)
{
	static struct context context;

	context.schema = sample_schema();
	test_arena_init(&context.arena, 1024);
	*state = &context;
	return 0;
}

#endif
