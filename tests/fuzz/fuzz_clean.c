/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small data file with some bytes changed, in which the walker finds nothing: liblmdb
 * reads and finds every record of it, and reads what our own cursors read.
 *
 * The input is the one of fuzz_walk.
 */
#include "pages/tree_cursor.h"
#include "pages/walk_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <lmdb.h>

#define CHANGE_BYTES 4
#define HEAD_BYTES   64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_right)
{
	if (!is_right) {
		abort();
	}
}

static void change(struct image *image, const uint8_t *change)
{
	unsigned place = change[1] | (unsigned)change[2] << 8;
	size_t page = change[0] % (image->len / IMAGE_PAGE);

	place = (place & 0x8000) != 0 ? place % HEAD_BYTES : place % IMAGE_PAGE;
	image->bytes[page * IMAGE_PAGE + place] ^= (char)change[3];
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

static struct digest read_ours(const struct dit_page_map *map,
                               const struct dit_tree_record *tree, const char *name)
{
	struct dit_walk_orders orders;
	struct dit_tree_cursor *cursor = NULL;
	struct digest digest = {0, 0};
	struct dit_span key;
	struct dit_span value;
	int r = 0;

	dit_walk_default_orders(tree->flags, &orders);
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

/* @param tree  a record of the main tree */
static void compare_tree(MDB_txn *txn, const struct dit_page_map *map,
                         struct dit_span name, struct dit_span record)
{
	struct dit_tree_record tree;
	struct digest ours;
	struct digest theirs;
	char text[600];
	MDB_dbi dbi = 0;

	require(name.len < sizeof(text));
	memcpy(text, name.data, name.len);
	text[name.len] = '\0';
	/* A changed flag makes a value of it; a changed name may be none. */
	if (record.len != sizeof(tree) || strlen(text) != name.len ||
	    mdb_dbi_open(txn, text, 0, &dbi) == MDB_INCOMPATIBLE) {
		return;
	}
	memcpy(&tree, record.data, sizeof(tree));
	ours = read_ours(map, &tree, text);
	theirs = read_theirs(txn, text);
	require(ours.nrecords == theirs.nrecords && ours.sum == theirs.sum);
}

static void compare(const struct image *image, const char *path, int fd)
{
	struct dit_page_map map;
	struct dit_walk_orders orders;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span name;
	struct dit_span record;
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	int r = 0;

	require(dit_page_map_open(&map, fd, &dit_lmdb_09) == 0);
	require(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 8) == 0 &&
	        mdb_env_set_mapsize(env, image->len) == 0);
	require(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK, 0600) ==
	        0);
	require(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0);
	dit_walk_default_orders(0, &orders);
	require(dit_tree_cursor_open(&cursor, &map, &map.meta.main_tree, &orders.keys) ==
	        0);
	for (r = dit_tree_cursor_first(cursor, &name, &record); r > 0;
	     r = dit_tree_cursor_next(cursor, &name, &record)) {
		compare_tree(txn, &map, name, record);
	}
	require(r == 0);
	dit_tree_cursor_close(cursor);
	mdb_txn_abort(txn);
	mdb_env_close(env);
	dit_page_map_close(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image whole[IMAGE_NMAKERS];
	struct image image;
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.transaction = DIT_WALK_NEWEST,
	                             .order = image_order,
	                             .found = ignore,
	                             .nthreads = 1};

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		if (whole[maker].bytes == NULL) {
			whole[maker] = image_new((enum image_maker)maker);
		}
		image = image_copy(&whole[maker]);
		for (size_t i = 0; i + CHANGE_BYTES <= size; i += CHANGE_BYTES) {
			change(&image, data + i);
		}
		opts.fd = memfd_create("clean", MFD_CLOEXEC);
		require(opts.fd >= 0 &&
		        write(opts.fd, image.bytes, image.len) == (ssize_t)image.len);
		if (dit_walk(&opts, &stats) == 0 && stats.nfindings == 0) {
			char path[40];

			(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", opts.fd);
			compare(&image, path, opts.fd);
		}
		(void)close(opts.fd);
		image_free(&image);
	}
	return 0;
}
