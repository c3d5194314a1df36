/* SPDX-License-Identifier: BSD-2-Clause */
/* The small database with some bytes changed. */
#include "fuzz/changed_database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commit/free_list.h"
#include "page/meta_pages.h"
#include "page/page_source.h"

#define PAGE_BYTES     4096u
#define NPEOPLE        20
#define NDATABASES_MAX 2

static const char *const names[] = {
	"ad2i", "dn2i",      "id2e",        "id2v",
	"cn",   "uidNumber", "objectClass", "telephoneNumber"};
#define NNAMES (sizeof(names) / sizeof(names[0]))

/* For the end of the process: fuzzers end it where they like. */
static struct load_fixture *fixtures[NDATABASES_MAX];
static unsigned nfixtures;

void fuzz_require(bool is_right)
{
	if (!is_right) {
		abort();
	}
}

/* ---- files ---- */

char *fuzz_read_file(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes = NULL;

	fuzz_require(fd >= 0 && fstat(fd, &st) == 0);
	bytes = malloc((size_t)st.st_size + 1);
	fuzz_require(bytes != NULL && read(fd, bytes, (size_t)st.st_size) == st.st_size &&
	             close(fd) == 0);
	*ret_len = (size_t)st.st_size;
	return bytes;
}

char *changed_database_bytes(const struct changed_database *db, size_t *ret_len)
{
	return fuzz_read_file(db->file, ret_len);
}

struct free_tree {
	struct dit_free_list list;
	struct dit_page_source pages;
	struct dit_page_set own;
	struct dit_page_set *free_pages;
};

static int take_own(void *ctx, uint64_t first, uint64_t n)
{
	struct free_tree *tree = ctx;

	return dit_page_set_add_run(&tree->own, first, n) ? 0 : DIT_E_CORRUPT;
}

static int take_record(void *ctx, const struct dit_node_view *node)
{
	struct free_tree *tree = ctx;

	return dit_free_list_add(&tree->list, &tree->pages, node, tree->free_pages);
}

/* The pages of a file that are free, if its free list can be read. */
static void find_free(const char *bytes, size_t len, const struct dit_page_format *format,
                      struct dit_page_set *ret)
{
	int fd = memfd_create("before", MFD_CLOEXEC);
	struct free_tree tree = {.free_pages = ret};
	const struct dit_tree_visitor visitor = {
		.pages = take_own, .node = take_record, .ctx = &tree};
	struct dit_metas metas;

	fuzz_require(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	fuzz_require(dit_page_set_init(ret, len / PAGE_BYTES) == 0 &&
	             dit_page_set_init(&tree.own, len / PAGE_BYTES) == 0);
	dit_page_source_init(&tree.pages, fd, format, PAGE_BYTES, len / PAGE_BYTES);
	if (dit_metas_read(fd, format, &metas) == 0) {
		(void)dit_tree_visit(&tree.pages, &dit_metas_newest(&metas)->free_tree,
		                     &visitor);
	}
	for (uint64_t page = dit_page_set_next(&tree.own, 0); page < tree.own.npages;
	     page = dit_page_set_next(&tree.own, page + 1)) {
		if (dit_page_set_has(ret, page)) {
			dit_page_set_remove(ret, page);
		}
	}
	dit_free_list_deinit(&tree.list);
	dit_page_set_deinit(&tree.own);
	(void)close(fd);
}

bool changed_database_is(const struct changed_database *db, const char *bytes, size_t len)
{
	const struct dit_page_format *format =
		db->fixture.openldap == DIT_OPENLDAP_2_7 ? &dit_lmdb_10 : &dit_lmdb_09;
	struct dit_page_set free_pages = {.npages = 0};
	size_t now_len = 0;
	char *now = fuzz_read_file(db->file, &now_len);
	bool is_same = now_len >= len;

	if (is_same && memcmp(now, bytes, len) != 0) {
		find_free(bytes, len, format, &free_pages);
		for (size_t i = 0; i < len / PAGE_BYTES; i++) {
			is_same = is_same &&
			          (dit_page_set_has(&free_pages, i) ||
			           memcmp(now + i * PAGE_BYTES, bytes + i * PAGE_BYTES,
			                  PAGE_BYTES) == 0);
		}
		dit_page_set_deinit(&free_pages);
	}
	free(now);
	return is_same;
}

void changed_database_restore(struct changed_database *db)
{
	char path[4300];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/lock.mdb", db->fixture.database);
	fuzz_require(unlink(path) == 0 || errno == ENOENT);
	/* A tool may have put another file in its place. */
	fuzz_require(unlink(db->file) == 0 || errno == ENOENT);
	fd = open(db->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	fuzz_require(fd >= 0 && write(fd, db->whole, db->len) == (ssize_t)db->len &&
	             close(fd) == 0);
}

/* ---- the database ---- */

static void remove_fixtures(void)
{
	while (nfixtures > 0) {
		load_fixture_deinit(fixtures[--nfixtures]);
	}
}

void changed_database_init(struct changed_database *db,
                           enum dit_openldap_version openldap)
{
	changed_database_init_with(db, openldap, "");
}

void changed_database_init_with(struct changed_database *db,
                                enum dit_openldap_version openldap, const char *extra)
{
	char lines[400];
	struct dit_load_opts opts;

	memset(db, 0, sizeof(*db));
	(void)snprintf(lines, sizeof(lines), "multival cn 1,1\n%s", extra);
	load_fixture_init(&db->fixture, lines);
	db->fixture.openldap = openldap;
	load_fixture_write_people(&db->fixture, NPEOPLE);
	opts = load_fixture_opts(&db->fixture);
	fuzz_require(load_fixture_run(&opts) == 0);
	(void)snprintf(db->file, sizeof(db->file), "%s/data.mdb", db->fixture.database);
	db->whole = fuzz_read_file(db->file, &db->len);
	fuzz_require(nfixtures < NDATABASES_MAX);
	fixtures[nfixtures++] = &db->fixture;
	if (nfixtures == 1) {
		(void)atexit(remove_fixtures);
	}
}

/* ---- changes ---- */

static void change_record(MDB_txn *txn, const uint8_t *change)
{
	unsigned wanted = change[1];
	unsigned place = change[2] | (unsigned)change[3] << 8;
	char bytes[5000];
	MDB_cursor *cursor = NULL;
	MDB_dbi dbi = 0;
	MDB_val key;
	MDB_val value;

	fuzz_require(mdb_dbi_open(txn, names[change[0] % NNAMES], 0, &dbi) == 0 &&
	             mdb_cursor_open(txn, dbi, &cursor) == 0);
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 && wanted > 0) {
		wanted--;
	}
	if (mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT) == 0 &&
	    value.mv_size > 0 && value.mv_size <= sizeof(bytes)) {
		char kept[600];

		/* After the deletion the page may hold other bytes there. */
		fuzz_require(key.mv_size <= sizeof(kept));
		memcpy(kept, key.mv_data, key.mv_size);
		key.mv_data = kept;
		memcpy(bytes, value.mv_data, value.mv_size);
		bytes[place % value.mv_size] ^= (char)change[4];
		value.mv_data = bytes;
		/* Another record may have that value. */
		if (mdb_cursor_del(cursor, 0) == 0 && change[4] != 0) {
			(void)mdb_put(txn, dbi, &key, &value, MDB_NODUPDATA);
		}
	}
	mdb_cursor_close(cursor);
}

static void change_records(const char *file, const uint8_t *data, size_t nchanges)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;

	fuzz_require(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 40) == 0);
	fuzz_require(mdb_env_open(env, file, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC,
	                          0600) == 0);
	fuzz_require(mdb_txn_begin(env, NULL, 0, &txn) == 0);
	for (size_t i = 0; i < nchanges; i++) {
		if ((data[i * CHANGE_BYTES] & 0x80) == 0) {
			change_record(txn, data + i * CHANGE_BYTES);
		}
	}
	fuzz_require(mdb_txn_commit(txn) == 0);
	mdb_env_close(env);
}

static void change_file(const char *file, const uint8_t *data, size_t nchanges)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	off_t len = lseek(fd, 0, SEEK_END);

	fuzz_require(len > 0);
	for (size_t i = 0; i < nchanges; i++) {
		const uint8_t *change = data + i * CHANGE_BYTES;
		off_t at = (off_t)(change[1] | (unsigned)change[2] << 8 |
		                   (unsigned)change[3] << 16) %
		           len;
		char byte = 0;

		if ((change[0] & 0x80) != 0) {
			fuzz_require(pread(fd, &byte, 1, at) == 1);
			byte ^= (char)change[4];
			fuzz_require(pwrite(fd, &byte, 1, at) == 1);
		}
	}
	fuzz_require(close(fd) == 0);
}

void changed_database_change(struct changed_database *db, const uint8_t *data,
                             size_t nchanges, unsigned parts)
{
	if ((parts & CHANGED_RECORDS) != 0 && db->fixture.openldap != DIT_OPENLDAP_2_7) {
		change_records(db->file, data, nchanges);
	}
	if ((parts & CHANGED_FILE) != 0) {
		change_file(db->file, data, nchanges);
	}
}
