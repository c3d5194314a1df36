/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of tables: liblmdb's view of a directory, and lists of IDs. */
#ifndef DITKIT_TABLE_FIXTURE_H
#define DITKIT_TABLE_FIXTURE_H

#include "store_fixture.h"

/* Lists at every border: one, in the node (251 at most with short keys), one page of
 * packed IDs (510), two, a branch page full of them (227 * 510) and one more. */
static const size_t list_sizes[] = {1,   2,   3,    250,  251,    252,    509,    510,
                                    511, 512, 1020, 1021, 115259, 115260, 115770, 115771};
#define NLIST_SIZES (sizeof(list_sizes) / sizeof(list_sizes[0]))
#define LONGEST     115771

/* liblmdb's compacting copy counts the pages: one that is in no tree is an error. */
static inline void assert_no_page_is_lost(const char *dir)
{
	char *copy = test_scratch();
	MDB_env *env = test_env(dir, MDB_RDONLY, 0);

	assert_int_equal(mdb_env_copy2(env, copy, MDB_CP_COMPACT), 0);
	mdb_env_close(env);
	test_scratch_remove(copy);
}

static inline const uint64_t *ascending_ids(void)
{
	static uint64_t ids[LONGEST];

	for (size_t i = 0; i < LONGEST; i++) {
		ids[i] = i * 3 + 1;
	}
	return ids;
}

/* Numbered keys of one length; long ones make a page hold few nodes. */
static inline void number_key(char *key, size_t len, unsigned number)
{
	memset(key, 'k', len);
	key[len - 2] = (char)(number >> 8);
	key[len - 1] = (char)number;
}

#endif
