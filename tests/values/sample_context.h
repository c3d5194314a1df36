/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample schema and an arena of small blocks, made before each group of tests. */
#ifndef DITKIT_SAMPLE_CONTEXT_H
#define DITKIT_SAMPLE_CONTEXT_H

#include "base/arena.h"
#include "sample_schema.h"

struct context {
	struct dit_schema *schema;
	struct dit_arena arena;
};

static int setup(void **state)
{
	static struct context context;

	context.schema = sample_schema();
	dit_arena_init(&context.arena, 1024);
	*state = &context;
	return 0;
}

static int teardown(void **state)
{
	struct context *context = *state;

	dit_schema_free(context->schema);
	dit_arena_deinit(&context->arena);
	return 0;
}

#endif
