/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas and schemas that are released when the test has ended. */
#ifndef DITKIT_SCHEMA_TEST_H
#define DITKIT_SCHEMA_TEST_H

#include "base/arena.h"
#include "schema/schema.h"
#include "test.h"

static inline void test_arena_end(void *arena)
{
	dit_arena_deinit(arena);
}

static inline void test_arena_init(struct dit_arena *arena, size_t block_bytes)
{
	dit_arena_init(arena, block_bytes);
	test_at_end(test_arena_end, arena);
}

static inline struct dit_arena *test_arena(size_t block_bytes)
{
	struct dit_arena *arena = test_alloc(sizeof(*arena));

	test_arena_init(arena, block_bytes);
	return arena;
}

static inline void test_schema_end(void *schema)
{
	dit_schema_free(schema);
}

/** One with the elements that slapd has of itself; it may get more. */
static inline struct dit_schema *test_schema(enum dit_openldap_version openldap)
{
	struct dit_schema *schema = NULL;

	assert_int_equal(dit_schema_new(&schema, openldap), 0);
	test_at_end(test_schema_end, schema);
	return schema;
}

#endif
