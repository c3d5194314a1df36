/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of index builders and their writer: an index set with a database of each
 * format, and keys for it.
 */
#ifndef DITKIT_BUILDERS_FIXTURE_H
#define DITKIT_BUILDERS_FIXTURE_H

#include "index/index_fixture.h"
#include "indexing/builders.h"

#define LIST_MAX 4

enum {
	INT32,
	BYTES32,
	SHORT,
	WIDE,
	OTHER_WIDE,
	NDBS,
};

static inline struct dit_index_set *five_databases(struct fixture *f)
{
	const struct dit_index_spec specs[NDBS] = {
		[INT32] = {find_ad(f, "cn"), DIT_INDEX_EQ},
		[BYTES32] = {find_ad(f, "sn"), DIT_INDEX_EQ},
		[SHORT] = {find_ad(f, "tGT"), DIT_INDEX_EQ},
		[WIDE] = {find_ad(f, "tINT"), DIT_INDEX_EQ},
		[OTHER_WIDE] = {find_ad(f, "uidNumber"), DIT_INDEX_EQ},
	};
	struct dit_index_params params = usual_params;
	struct dit_index_set *set = NULL;

	params.intlen = 16;
	set = new_set(f, specs, NDBS, &params, true);
	/* As if it had been made with byte keys. */
	assert_int_equal(dit_index_set_stored(set, BYTES32, false, 4), 0);
	assert_int_equal(dit_index_set_ndbs(set), NDBS);
	assert_int_equal(dit_index_set_db(set, INT32)->format, DIT_KEY_INT32);
	assert_int_equal(dit_index_set_db(set, BYTES32)->format, DIT_KEY_BYTES32);
	assert_int_equal(dit_index_set_db(set, SHORT)->format, DIT_KEY_SHORT);
	assert_int_equal(dit_index_set_db(set, WIDE)->format, DIT_KEY_WIDE);
	assert_int_equal(dit_index_set_db(set, OTHER_WIDE)->format, DIT_KEY_WIDE);
	return set;
}

static inline struct dit_builders *new_builders(const struct dit_index_set *set,
                                                const char *tmpdir, unsigned nproducers)
{
	struct dit_builders_opts opts = {
		.indexes = set,
		.shared = {.nthreads = nproducers, .tmpdir = tmpdir},
		.memory_bytes = nproducers * (64u << 10),
		.list_max = LIST_MAX};
	struct dit_builders *builders = NULL;

	assert_int_equal(dit_builders_new(&builders, &opts), 0);
	return builders;
}

static inline void push(struct dit_builders *builders, unsigned producer, unsigned db,
                        uint64_t id, uint64_t ordinal)
{
	assert_int_equal(dit_builders_push(builders, producer, db, id, &ordinal, 1), 0);
}

static inline void push_key(struct dit_builders *builders, unsigned producer, unsigned db,
                            uint64_t id, const char *key)
{
	assert_int_equal(
		dit_builders_push_key(builders, producer, db, id, dit_span_of(key)), 0);
}

#endif
