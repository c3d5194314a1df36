/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spoil the index databases of a back-mdb directory, for tests of what rebuilds them:
 * with liblmdb, so of LMDB 0.9, but for "damaged".
 *
 *   spoil DIRECTORY empty    their keys are gone
 *   spoil DIRECTORY drop     they are gone themselves
 *   spoil DIRECTORY stale    keys are missing, others are there that should not be
 *   spoil DIRECTORY extra    there is one more, "stale", that is not configured
 *   spoil DIRECTORY damaged  their topmost pages are no pages of LMDB's format any more
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lmdb.h>

#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "page/tree_visit.h"
#include "system/xor_crypto.h"

#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

static void must(int rc, const char *what)
{
	if (rc != 0) {
		(void)fprintf(stderr, "spoil: %s: %s\n", what, mdb_strerror(rc));
		exit(2);
	}
}

static void put(MDB_txn *txn, MDB_dbi dbi, uint32_t word, uint64_t id)
{
	MDB_val key = {sizeof(word), &word};
	MDB_val data = {sizeof(id), &id};

	must(mdb_put(txn, dbi, &key, &data, 0), "mdb_put");
}

/*
 * Each third key goes, and others come. Whole keys: where liblmdb deletes single IDs
 * under a cursor that moves on, its count of them is wrong afterwards.
 */
static void make_stale(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val data;
	unsigned n = 0;

	must(mdb_cursor_open(txn, dbi, &cursor), "mdb_cursor_open");
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT_NODUP) == 0) {
		if (n++ % 3 == 0) {
			must(mdb_cursor_del(cursor, MDB_NODUPDATA), "mdb_cursor_del");
		}
	}
	mdb_cursor_close(cursor);
	for (uint32_t i = 0; i < 2000; i++) {
		put(txn, dbi, 0x12345678u + i * 77777u % 900u, i + 1);
	}
}

static void spoil(MDB_txn *txn, MDB_dbi dbi, const char *how)
{
	unsigned flags = 0;

	must(mdb_dbi_flags(txn, dbi, &flags), "mdb_dbi_flags");
	if ((flags & ~(unsigned)MDB_INTEGERKEY) != INDEX_FLAGS) {
		return;
	}
	if (strcmp(how, "stale") == 0) {
		make_stale(txn, dbi);
	} else {
		must(mdb_drop(txn, dbi, strcmp(how, "drop") == 0), "mdb_drop");
	}
}

/* ---- damage: no transaction, since liblmdb would not write such pages ---- */

struct damaging {
	int fd;
	const struct dit_page_format *format;
	unsigned page_bytes;
	unsigned n;
};

/* One way after the other. */
static void damage_page(const struct damaging *damaging, uint64_t page)
{
	const size_t header = damaging->format->header_bytes;
	const struct {
		size_t at;
		const char *bytes;
		size_t n;
	} damages[] = {
		{header - 6, "\0\0", 2},             /* flags */
		{0, "\1\2\3\4\5\6", 6},              /* its own number */
		{header - 4, "\xff\xff\xff\xff", 4}, /* bounds */
		{header, "\x01\x00\x03\x00", 4},     /* where its nodes are */
	};
	const unsigned how = damaging->n % 4;
	off_t at = (off_t)(page * damaging->page_bytes + damages[how].at);

	if (pwrite(damaging->fd, damages[how].bytes, damages[how].n, at) !=
	    (ssize_t)damages[how].n) {
		must(EIO, "pwrite");
	}
}

static int damage_tree(void *ctx, const struct dit_node_view *node)
{
	struct damaging *damaging = ctx;
	struct dit_tree_record tree = {.root = DIT_PAGE_NONE};

	if (node->value.len == sizeof(tree)) {
		memcpy(&tree, node->value.data, sizeof(tree));
	}
	if ((tree.flags & ~(unsigned)MDB_INTEGERKEY) == INDEX_FLAGS &&
	    tree.root != DIT_PAGE_NONE) {
		damage_page(damaging, tree.root);
		damaging->n++;
	}
	return 0;
}

static int damage(const char *directory)
{
	char seal_key[XOR_KEY_BYTES];
	const struct dit_crypto crypto = xor_crypto("sesame", seal_key); /* lib.sh */
	const struct dit_page_format sealed = dit_page_format_sealed(&crypto);
	struct damaging damaging = {.format = &dit_lmdb_09};
	const struct dit_tree_visitor visitor = {.node = damage_tree, .ctx = &damaging};
	struct dit_page_source source;
	const struct dit_meta *meta = NULL;
	struct dit_metas metas;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/data.mdb", directory);
	damaging.fd = open(path, O_RDWR);
	must(damaging.fd < 0 ? errno : 0, path);
	if (dit_metas_read(damaging.fd, damaging.format, &metas) < 0) {
		damaging.format = &dit_lmdb_10;
		must(dit_metas_read(damaging.fd, damaging.format, &metas), path);
	}
	damaging.page_bytes = metas.page_bytes;
	meta = dit_metas_newest(&metas);
	if ((meta->free_tree.flags & DIT_META_ENCRYPTED) != 0) {
		damaging.format = &sealed;
	}
	dit_page_source_init(&source, damaging.fd, damaging.format, metas.page_bytes,
	                     meta->last_page + 1);
	must(dit_tree_visit(&source, &meta->main_tree, &visitor), path);
	return close(damaging.fd) == 0 && damaging.n > 0 ? 0 : 2;
}

int main(int argc, char *argv[])
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	MDB_dbi main_dbi = 0;
	MDB_dbi dbis[256];
	size_t n = 0;
	MDB_val key;

	if (argc != 3) {
		(void)fputs("usage: spoil DIRECTORY empty|drop|stale|extra|damaged\n",
		            stderr);
		return 2;
	}
	if (strcmp(argv[2], "damaged") == 0) {
		return damage(argv[1]);
	}
	must(mdb_env_create(&env), "mdb_env_create");
	must(mdb_env_set_maxdbs(env, 256), "mdb_env_set_maxdbs");
	must(mdb_env_open(env, argv[1], 0, 0600), argv[1]);
	must(mdb_txn_begin(env, NULL, 0, &txn), "mdb_txn_begin");
	must(mdb_dbi_open(txn, NULL, 0, &main_dbi), "mdb_dbi_open");
	must(mdb_cursor_open(txn, main_dbi, &cursor), "mdb_cursor_open");
	while (mdb_cursor_get(cursor, &key, NULL, MDB_NEXT) == 0 && n < 256) {
		char *name = strndup(key.mv_data, key.mv_size);

		must(mdb_dbi_open(txn, name, 0, &dbis[n++]), name);
		free(name);
	}
	mdb_cursor_close(cursor);
	if (strcmp(argv[2], "extra") == 0) {
		must(mdb_dbi_open(txn, "stale", MDB_CREATE | INDEX_FLAGS, &dbis[0]),
		     "mdb_dbi_open");
		put(txn, dbis[0], 1, 1);
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		spoil(txn, dbis[i], argv[2]);
	}
	must(mdb_txn_commit(txn), "mdb_txn_commit");
	mdb_env_close(env);
	return 0;
}
