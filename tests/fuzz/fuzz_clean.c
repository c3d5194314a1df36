/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small data file with some bytes changed, in which the walker finds nothing: liblmdb
 * reads and finds every record of it, and reads what our own cursors read. liblmdb's
 * compact copy of the file succeeds, the walker finds nothing in the copy, and the copy
 * has the same records.
 *
 * The input is the one of fuzz_walk.
 */
#include "fuzz/fuzz_target.h"
#include "page/tree_cursor.h"
#include "walk/walk_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <lmdb.h>

static void require(bool is_right)
{
	if (!is_right) {
		abort();
	}
}

static void ignore(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	(void)finding;
}

/* ---- both readers ---- */

struct digest {
	uint64_t nrecords;
	uint64_t sum;
};

static void add(struct digest *digest, const char *data, size_t len)
{
	digest->sum = digest->sum * 31 + len;
	for (size_t i = 0; i < len; i++) {
		digest->sum = (digest->sum ^ (unsigned char)data[i]) * 0x100000001b3u;
	}
}

static struct digest read_ours(const struct dit_page_source *map,
                               const struct dit_tree_record *tree, const char *name)
{
	struct dit_key_orders orders;
	struct dit_tree_cursor *cursor = NULL;
	struct digest digest = {0, 0};
	struct dit_span key;
	struct dit_span value;
	int r = 0;

	dit_key_default_orders(tree->flags, &orders);
	image_order(NULL, (struct dit_span){name, strlen(name)}, tree->flags, &orders);
	require(dit_tree_cursor_open(&cursor, map, tree, &orders.keys) == 0);
	for (r = dit_tree_cursor_first(cursor, &key, &value); r > 0;
	     r = dit_tree_cursor_next(cursor, &key, &value)) {
		digest.nrecords++;
		add(&digest, key.data, key.len);
		add(&digest, value.data, value.len);
	}
	require(r == 0);
	dit_tree_cursor_close(cursor);
	return digest;
}

/* Each record is found by its key, too. */
static struct digest read_theirs(MDB_txn *txn, const char *name)
{
	struct digest digest = {0, 0};
	MDB_cursor *cursor = NULL;
	MDB_cursor *finder = NULL;
	unsigned flags = 0;
	MDB_dbi dbi = 0;
	MDB_val key;
	MDB_val value;
	int r = 0;

	require(mdb_dbi_open(txn, name, 0, &dbi) == 0 &&
	        mdb_dbi_flags(txn, dbi, &flags) == 0 &&
	        mdb_cursor_open(txn, dbi, &cursor) == 0 &&
	        mdb_cursor_open(txn, dbi, &finder) == 0);
	while ((r = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
		MDB_val wanted = key;
		MDB_val found = value;

		digest.nrecords++;
		add(&digest, key.mv_data, key.mv_size);
		add(&digest, value.mv_data, value.mv_size);
		require(mdb_cursor_get(finder, &wanted, &found,
		                       (flags & MDB_DUPSORT) != 0 ? MDB_GET_BOTH
		                                                  : MDB_SET) == 0);
	}
	require(r == MDB_NOTFOUND);
	mdb_cursor_close(finder);
	mdb_cursor_close(cursor);
	return digest;
}

/* @param record  of the main tree, which has records of trees alone
 * @param digest  of all trees so far */
static void compare_tree(MDB_txn *txn, const struct dit_page_source *map,
                         struct dit_span name, struct dit_span record,
                         struct digest *digest)
{
	struct dit_tree_record tree;
	struct digest ours;
	struct digest theirs;
	char text[600];

	require(name.len < sizeof(text) && record.len == sizeof(tree));
	memcpy(text, name.data, name.len);
	text[name.len] = '\0';
	require(strlen(text) == name.len);
	memcpy(&tree, record.data, sizeof(tree));
	ours = read_ours(map, &tree, text);
	theirs = read_theirs(txn, text);
	require(ours.nrecords == theirs.nrecords && ours.sum == theirs.sum);
	digest->nrecords += ours.nrecords;
	add(digest, (const char *)&ours.sum, sizeof(ours.sum));
}

static struct digest compare_trees(MDB_txn *txn, const struct dit_page_source *map)
{
	struct digest digest = {0, 0};
	struct dit_key_orders orders;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span name;
	struct dit_span record;
	int r = 0;

	dit_key_default_orders(0, &orders);
	require(dit_tree_cursor_open(&cursor, map, &map->meta.main_tree, &orders.keys) ==
	        0);
	for (r = dit_tree_cursor_first(cursor, &name, &record); r > 0;
	     r = dit_tree_cursor_next(cursor, &name, &record)) {
		add(&digest, name.data, name.len);
		compare_tree(txn, map, name, record, &digest);
	}
	require(r == 0);
	dit_tree_cursor_close(cursor);
	return digest;
}

/* Both readers, and liblmdb's copy.
 *
 * @param copy_fd  of an empty file, or -1: no copy is wanted
 * @return the digest of all records */
static struct digest compare(int fd, int copy_fd)
{
	struct dit_page_source map;
	struct digest digest;
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	require(dit_page_source_open(&map, fd, &dit_lmdb_09, NULL) == 0);
	require(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 8) == 0 &&
	        mdb_env_set_mapsize(env, (size_t)lseek(fd, 0, SEEK_END)) == 0);
	require(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK, 0600) ==
	        0);
	require(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0);
	digest = compare_trees(txn, &map);
	mdb_txn_abort(txn);
	require(copy_fd < 0 || mdb_env_copyfd2(env, copy_fd, MDB_CP_COMPACT) == 0);
	mdb_env_close(env);
	dit_page_source_close(&map);
	return digest;
}

static bool is_clean(int fd)
{
	struct dit_walk_stats stats;
	const struct dit_walk_opts opts = {
		.fd = fd, .order = image_order, .found = ignore, .shared.nthreads = 1};

	return dit_walk(&opts, &stats) == 0 && stats.nfindings == 0;
}

static int empty_file(void)
{
	int fd = memfd_create("clean", MFD_CLOEXEC);

	require(fd >= 0);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image whole[IMAGE_NMAKERS];

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		struct image image;
		int fd = empty_file();

		if (whole[maker].bytes == NULL) {
			whole[maker] = image_new((enum image_maker)maker);
		}
		image = image_copy(&whole[maker]);
		image_change(&image, data, size);
		require(write(fd, image.bytes, image.len) == (ssize_t)image.len);
		if (is_clean(fd)) {
			int copy_fd = empty_file();
			struct digest digest = compare(fd, copy_fd);
			struct digest copied;

			require(is_clean(copy_fd));
			copied = compare(copy_fd, -1);
			require(copied.nrecords == digest.nrecords &&
			        copied.sum == digest.sum);
			(void)close(copy_fd);
		}
		(void)close(fd);
		image_free(&image);
	}
	return 0;
}
