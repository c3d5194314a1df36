/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small databases for the tests of the store: a new database with ready options,
 * and a tree of three entries that slapd could serve.
 */
#ifndef DITKIT_STORE_FIXTURE_H
#define DITKIT_STORE_FIXTURE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "codec/name_fixture.h"
#include "lmdb_test.h"
#include "output/record_output.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "reader/snapshot.h"
#include "system/xor_crypto.h"
#include "tree/page_tree.h"
#include "tree/table_writer.h"

#define FIXTURE_MAXSIZE (256u << 20)
#define FIXTURE_KEY_MAX 511

/** Databases are made in this format. */
static bool fixture_is_lmdb_10;
/** And their pages are sealed so. NULL: they are not */
static const struct dit_page_format *fixture_sealed;

/** For cmocka: all tests of a group. */
static inline int fixture_use_lmdb_10(void **state)
{
	(void)state;
	fixture_is_lmdb_10 = true;
	return 0;
}

/** Define a main() that runs all tests with both formats. */
#define MAIN_OF_BOTH_LMDB                                                                \
 int main(void)                                                                          \
 {                                                                                       \
  return test_run("LMDB 0.9", NULL, NULL) +                                              \
	 test_run("LMDB 1.0", fixture_use_lmdb_10, NULL);                                \
 }

/** As fixture_use_lmdb_10(), with sealed pages. */
static inline int fixture_use_sealed(void **state)
{
	static char key[XOR_KEY_BYTES];
	static struct dit_crypto crypto;
	static struct dit_page_format format;

	crypto = xor_crypto("open sesame", key);
	format = dit_page_format_sealed(&crypto);
	fixture_sealed = &format;
	return fixture_use_lmdb_10(state);
}

static inline struct dit_output_opts fixture_opts(const char *directory)
{
	return (struct dit_output_opts){
		.directory = directory,
		.mode = 0600,
		.ndbs = 16,
		.maxsize_bytes = FIXTURE_MAXSIZE,
		.is_lmdb_10 = fixture_is_lmdb_10,
		.shared.sealed = fixture_sealed,
	};
}

static inline void fixture_forget_tables(void);

static inline struct dit_record_output *fixture_open(const char *directory)
{
	struct dit_output_opts opts = fixture_opts(directory);
	struct dit_record_output *staging = NULL;

	fixture_forget_tables(); /* of a database that was given up */
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	return staging;
}

/** With nothing in it, ready for changes. */
static inline struct dit_record_output *fixture_open_for_changes(
	const char *directory, enum dit_output_writer kind)
{
	struct dit_output_opts opts = fixture_opts(directory);
	struct dit_record_output *staging = NULL;

	opts.writer = kind;
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	return staging;
}

static inline int fixture_add_index(struct dit_record_output *staging, const char *name,
                                    bool is_integerkey)
{
	return dit_output_add_index(
		&staging->base,
		&(struct dit_output_index){.name = name, .is_integerkey = is_integerkey});
}

static inline int fixture_put_split(struct dit_record_output *staging, uint64_t id,
                                    uint16_t ad, struct dit_span record)
{
	return dit_output_put_split(staging, id, ad, 0, record);
}

static inline uint64_t fixture_used_bytes(struct dit_record_output *staging)
{
	uint64_t bytes = 0;

	assert_true(dit_output_used_bytes(&staging->base, &bytes));
	return bytes;
}

static inline void fixture_abandon(struct dit_record_output *staging)
{
	dit_output_abandon(dit_output_of(staging));
}

/** Publish, or abandon after an error. @param ret_bytes  of the result, of one that is
 * too large, too */
static inline int fixture_end(struct dit_record_output *staging, uint64_t *ret_bytes)
{
	int r = dit_output_do(&staging->base, DIT_PUBLISH_PREPARE);

	*ret_bytes = staging->base.bytes;
	if (r == 0) {
		r = dit_output_do(&staging->base, DIT_PUBLISH_RENAME);
	}
	if (r == 0) {
		return dit_output_do(&staging->base, DIT_PUBLISH_END);
	}
	fixture_abandon(staging);
	return r;
}

/*
 * Names and indexes are written each in one go; tests put them in any order. So what they
 * put is kept here until fixture_publish().
 */
struct fixture_item {
	int index; /* -1: a name */
	char key[FIXTURE_KEY_MAX];
	size_t len;
	uint64_t *ids;
	size_t nids;
	char record[FIXTURE_KEY_MAX];
	size_t record_len;
};

static struct {
	int nindexes;
	struct fixture_item *items;
	size_t nitems;
	size_t size;
} fixture_tables;

static inline struct fixture_item *fixture_add_item(int index, const void *key,
                                                    size_t len)
{
	struct fixture_item *item = NULL;

	if (fixture_tables.nitems == fixture_tables.size) {
		size_t size = fixture_tables.size * 2 + 64;

		fixture_tables.items =
			realloc(fixture_tables.items, size * sizeof(*item));
		fixture_tables.size = size;
		assert_non_null(fixture_tables.items);
	}
	item = &fixture_tables.items[fixture_tables.nitems++];
	*item = (struct fixture_item){.index = index, .len = len};
	memcpy(item->key, key, len);
	return item;
}

static inline void fixture_begin_index(struct dit_record_output *staging,
                                       const char *name, bool is_integerkey)
{
	assert_int_equal(fixture_add_index(staging, name, is_integerkey), 0);
	fixture_tables.nindexes++;
}

/** One key of the latest index database. */
static inline void fixture_put_key(const char *key, size_t len, const uint64_t *ids,
                                   size_t nids)
{
	struct fixture_item *item =
		fixture_add_item(fixture_tables.nindexes - 1, key, len);

	assert_true(fixture_tables.nindexes > 0);
	item->nids = nids;
	item->ids = calloc(nids + 1, sizeof(*ids));
	assert_non_null(item->ids);
	if (nids > 0) {
		memcpy(item->ids, ids, nids * sizeof(*ids));
	}
}

/** One record of dn2i. */
static inline void fixture_put_name(uint64_t id, const char *record, size_t len)
{
	struct fixture_item *item = fixture_add_item(-1, &id, sizeof(id));

	memcpy(item->record, record, len);
	item->record_len = len;
}

static inline void fixture_forget_tables(void)
{
	for (size_t i = 0; i < fixture_tables.nitems; i++) {
		free(fixture_tables.items[i].ids);
	}
	free(fixture_tables.items);
	memset(&fixture_tables, 0, sizeof(fixture_tables));
}

static inline int fixture_put_list(struct dit_output_table *table, struct dit_span key,
                                   const uint64_t *ids, size_t nids)
{
	const struct dit_posting_list list = {.key = key, .ids = ids, .nids = nids};

	return dit_output_put_lists(table, &list, 1);
}

static inline int fixture_write_item(struct dit_record_output *staging,
                                     struct dit_output_table *table,
                                     const struct fixture_item *item)
{
	uint64_t id = 0;

	if (item->index >= 0) {
		return fixture_put_list(table, (struct dit_span){item->key, item->len},
		                        item->ids, item->nids);
	}
	memcpy(&id, item->key, sizeof(id));
	return dit_output_put_name(staging, id,
	                           (struct dit_span){item->record, item->record_len});
}

static inline void fixture_write_table(struct dit_record_output *staging, int index)
{
	struct dit_output_table *table = NULL;

	if (index >= 0) {
		assert_int_equal(
			dit_output_open_part(&staging->base, (size_t)index, 0, &table),
			0);
	}
	for (size_t i = 0; i < fixture_tables.nitems; i++) {
		if (fixture_tables.items[i].index == index) {
			assert_int_equal(fixture_write_item(staging, table,
			                                    &fixture_tables.items[i]),
			                 0);
		}
	}
	if (index >= 0) {
		assert_int_equal(dit_output_finish(table, NULL), 0);
	}
}

static inline void fixture_write_tables(struct dit_record_output *staging)
{
	for (int index = -1; index < fixture_tables.nindexes; index++) {
		fixture_write_table(staging, index);
	}
	fixture_forget_tables();
}

static inline uint64_t fixture_publish(struct dit_record_output *staging)
{
	uint64_t bytes = 0;

	fixture_write_tables(staging);
	assert_int_equal(fixture_end(staging, &bytes), 0);
	return bytes;
}

/** Damage: of the two meta pages the older one gets a number so high that it counts. */
static inline void fixture_bring_back_old_state(const char *path)
{
	const struct dit_page_format *format =
		fixture_is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09;
	int fd = open(path, O_RDWR);
	struct dit_metas metas;

	assert_true(fd >= 0);
	assert_int_equal(dit_metas_read(fd, format, &metas), 0);
	metas.list[!metas.newest].transaction = dit_metas_newest(&metas)->transaction + 3;
	assert_int_equal(dit_metas_write(fd, format, &metas), 0);
	assert_int_equal(close(fd), 0);
}

static inline void fixture_put_entry(struct dit_record_output *staging, uint64_t id,
                                     const void *bytes, size_t len)
{
	void *space = NULL;

	assert_int_equal(dit_output_reserve_entry(staging, id, len, &space), 0);
	if (len > 0) {
		memcpy(space, bytes, len);
	}
}

/** One value of one attribute. */
struct fixture_attr {
	uint32_t ad;
	const char *value;
	const char *normal; /* NULL: none stored */
};

/**
 * Encode an entry with one value for each attribute (storage.md 4.1).
 *
 * @param out      large enough
 * @param padding  byte that fills up to a multiple of 8
 *
 * @return length of the record
 */
static inline size_t fixture_entry(char *out, const struct fixture_attr *attrs,
                                   uint32_t n, uint32_t oc_flags, char padding)
{
	uint32_t words[256];
	uint32_t w = 4;
	size_t len = 0;

	words[0] = n;
	words[1] = 0;
	words[2] = oc_flags;
	for (uint32_t i = 0; i < n; i++) {
		bool has_normal = attrs[i].normal != NULL;

		words[1] += has_normal ? 4 : 2;
		words[w++] = attrs[i].ad;
		words[w++] = 1u | (has_normal ? 1u << 31 : 0);
		words[w++] = (uint32_t)strlen(attrs[i].value);
		if (has_normal) {
			words[w++] = (uint32_t)strlen(attrs[i].normal);
		}
	}
	words[3] = w - 4;
	len = w * sizeof(words[0]);
	memcpy(out, words, len);
	for (uint32_t i = 0; i < n; i++) {
		strcpy(out + len, attrs[i].value);
		len += strlen(attrs[i].value) + 1;
		if (attrs[i].normal != NULL) {
			strcpy(out + len, attrs[i].normal);
			len += strlen(attrs[i].normal) + 1;
		}
	}
	while (len % 8 != 0) {
		out[len++] = padding;
	}
	return len;
}

static inline void fixture_put_child(uint64_t parent, const char *rdn, uint64_t id,
                                     uint64_t nsubs)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = encode_child(record, dit_span_of(rdn), dit_span_of(rdn), id, nsubs);

	assert_true(len > 0);
	fixture_put_name(parent, record, (size_t)len);
}

static inline void fixture_put_self(uint64_t id, const char *rdn, uint64_t parent)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = encode_self(record, dit_span_of(rdn), dit_span_of(rdn), parent);

	assert_true(len > 0);
	fixture_put_name(id, record, (size_t)len);
}

/** The differences of two trees. */
struct fixture_variant {
	const char *sn; /* of the entry with ID 3 */
	char padding;
	bool is_hole; /* entry 2 is one */
};

#define FIXTURE_VARIANT ((struct fixture_variant){.sn = "Roe"})

/** dc=example,dc=com with cn=a and cn=b: AD numbers, entries, names. */
static inline void fixture_put_tree(struct dit_record_output *staging,
                                    struct fixture_variant v)
{
	static const char *const ads[] = {"objectClass", "dc", "o",
	                                  "cn",          "sn", "entryUUID"};
	const struct fixture_attr suffix[] = {
		{1, "organization", NULL},
		{3, "example", "example"},
		{2, "example", "example"},
	};
	const struct fixture_attr a[] = {
		{1, "person", NULL},
		{4, "a", "a"},
		{5, "Doe", "doe"},
	};
	const struct fixture_attr b[] = {
		{1, "person", NULL},
		{4, "b", "b"},
		{5, v.sn, "roe"},
	};
	char record[1000];
	size_t len = 0;

	for (uint32_t i = 0; i < sizeof(ads) / sizeof(ads[0]); i++) {
		assert_int_equal(dit_output_put_ad(staging, i + 1, dit_span_of(ads[i])),
		                 0);
	}
	len = fixture_entry(record, suffix, 3, 0x100, v.padding);
	fixture_put_entry(staging, 1, record, len);
	len = v.is_hole ? 0 : fixture_entry(record, a, 3, 0x100, v.padding);
	fixture_put_entry(staging, 2, record, len);
	len = fixture_entry(record, b, 3, 0x100, v.padding);
	fixture_put_entry(staging, 3, record, len);

	fixture_put_name(0, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	fixture_put_child(0, "dc=example,dc=com", 1, 3);
	fixture_put_self(1, "dc=example,dc=com", 0);
	fixture_put_child(1, "cn=a", 2, 1);
	fixture_put_child(1, "cn=b", 3, 1);
	fixture_put_self(2, "cn=a", 1);
	fixture_put_self(3, "cn=b", 1);
}

/** A published database with the tree in it, which goes with the test. */
static inline char *fixture_published(void)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	fixture_put_tree(staging, FIXTURE_VARIANT);
	(void)fixture_publish(staging);
	return dir;
}

static inline void fixture_close_snapshot(void *snapshot)
{
	dit_snapshot_close(snapshot);
}

/** The present state of a database; closed when the test ends, or with test_release(). */
static inline struct dit_snapshot *fixture_snapshot(const char *directory)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1, .sealed = fixture_sealed};
	struct dit_snapshot *snapshot = NULL;

	assert_int_equal(dit_snapshot_open_readers(&snapshot, directory, &opts), 0);
	test_at_end(fixture_close_snapshot, snapshot);
	return snapshot;
}

/** Records in id2e. */
static inline uint64_t fixture_count(const char *directory)
{
	struct dit_snapshot *snapshot = fixture_snapshot(directory);
	const struct dit_stored_db *db = dit_snapshot_db(snapshot, "id2e");
	uint64_t nrecords = db == NULL ? 0 : db->nrecords;

	test_release(snapshot);
	return nrecords;
}

/** Names in a directory, sorted, each followed by a space; malloc'ed. */
static inline char *fixture_list(const char *directory)
{
	char command[4200];
	char *text = calloc(1, 4096);
	FILE *pipe = NULL;
	size_t used = 0;

	assert_non_null(text);
	(void)snprintf(command, sizeof(command), "ls -A '%s' | tr '\\n' ' '", directory);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	used = fread(text, 1, 4095, pipe);
	assert_int_equal(ferror(pipe), 0);
	text[used] = '\0';
	assert_int_equal(pclose(pipe), 0);
	return text;
}

#define assert_directory_holds(directory, expected)                                      \
 do {                                                                                    \
  char *list_ = fixture_list(directory);                                                 \
  assert_string_equal(list_, expected);                                                  \
  free(list_);                                                                           \
 } while (0)

/** Path of a file in a directory; static buffer, one at a time. */
/** Open a snapshot for one reader. */
static inline int fixture_open_snapshot(struct dit_snapshot **ret, const char *directory)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1};

	return dit_snapshot_open_readers(ret, directory, &opts);
}

static inline const char *fixture_path(const char *directory, const char *name)
{
	static char path[4200];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

#endif
