/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small databases for the tests of the store: a staging environment with ready options,
 * and a tree of three entries that slapd could serve.
 */
#ifndef DITKIT_STORE_FIXTURE_H
#define DITKIT_STORE_FIXTURE_H

#include <fcntl.h>
#include <sys/stat.h>

#include <lmdb.h>

#include "store/name_codec.h"
#include "store/page_tree.h"
#include "store/store.h"
#include "store/table_writer.h"
#include "test.h"

#define FIXTURE_MAXSIZE (256u << 20)

static inline struct dit_staging_opts fixture_opts(const char *directory)
{
	return (struct dit_staging_opts){
		.directory = directory,
		.mode = 0600,
		.ndbs = 16,
		.maxsize_bytes = FIXTURE_MAXSIZE,
	};
}

static inline struct dit_staging *fixture_open(const char *directory)
{
	struct dit_staging_opts opts = fixture_opts(directory);
	struct dit_staging *staging = NULL;
	uint64_t nentries = 0;

	assert_int_equal(dit_staging_open(&staging, &opts, &nentries), 0);
	return staging;
}

/*
 * Index databases are written last and all at once; tests name them in any order. So what
 * they put is kept here until fixture_publish().
 */
struct fixture_key {
	unsigned index;
	char key[DIT_TREE_KEY_MAX];
	size_t len;
	uint64_t *ids;
	size_t nids;
};

static struct {
	unsigned nindexes;
	struct fixture_key *keys;
	size_t nkeys;
} fixture_indexes;

static inline void fixture_begin_index(struct dit_staging *staging, const char *name,
                                       bool is_integerkey)
{
	assert_int_equal(dit_staging_add_index(staging, name, is_integerkey), 0);
	fixture_indexes.nindexes++;
}

/** One key of the latest index database. */
static inline void fixture_put_key(const char *key, size_t len, const uint64_t *ids,
                                   size_t nids)
{
	struct fixture_key *keys = realloc(fixture_indexes.keys,
	                                   (fixture_indexes.nkeys + 1) * sizeof(*keys));
	struct fixture_key *k = NULL;

	assert_non_null(keys);
	assert_true(fixture_indexes.nindexes > 0);
	fixture_indexes.keys = keys;
	k = &keys[fixture_indexes.nkeys++];
	*k = (struct fixture_key){.index = fixture_indexes.nindexes - 1,
	                          .len = len,
	                          .ids = calloc(nids + 1, sizeof(*ids)),
	                          .nids = nids};
	assert_non_null(k->ids);
	memcpy(k->key, key, len);
	if (nids > 0) {
		memcpy(k->ids, ids, nids * sizeof(*ids));
	}
}

static inline void fixture_write_indexes(struct dit_staging *staging)
{
	assert_int_equal(dit_staging_begin_indexes(staging), 0);
	for (unsigned i = 0; i < fixture_indexes.nindexes; i++) {
		struct dit_table_writer *writer = NULL;

		assert_int_equal(dit_staging_open_index(staging, i, &writer), 0);
		for (size_t n = 0; n < fixture_indexes.nkeys; n++) {
			const struct fixture_key *k = &fixture_indexes.keys[n];

			if (k->index == i) {
				assert_int_equal(
					dit_table_writer_put(
						writer, (struct dit_span){k->key, k->len},
						k->ids, k->nids),
					0);
			}
		}
		assert_int_equal(dit_staging_close_index(staging, i, writer), 0);
	}
	for (size_t n = 0; n < fixture_indexes.nkeys; n++) {
		free(fixture_indexes.keys[n].ids);
	}
	free(fixture_indexes.keys);
	memset(&fixture_indexes, 0, sizeof(fixture_indexes));
}

static inline uint64_t fixture_publish(struct dit_staging *staging)
{
	uint64_t bytes = 0;

	fixture_write_indexes(staging);
	assert_int_equal(dit_staging_publish(staging, &bytes), 0);
	return bytes;
}

static inline void fixture_put_entry(struct dit_staging *staging, uint64_t id,
                                     const void *bytes, size_t len)
{
	void *space = NULL;

	assert_int_equal(dit_staging_reserve_entry(staging, id, len, &space), 0);
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

static inline void fixture_put_child(struct dit_staging *staging, uint64_t parent,
                                     const char *rdn, uint64_t id, uint64_t nsubs)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = dit_name_encode_child(record, dit_span_of(rdn), dit_span_of(rdn), id,
	                                nsubs);

	assert_true(len > 0);
	assert_int_equal(dit_staging_put_name(staging, parent,
	                                      (struct dit_span){record, (size_t)len}),
	                 0);
}

static inline void fixture_put_self(struct dit_staging *staging, uint64_t id,
                                    const char *rdn, uint64_t parent)
{
	char record[DIT_NAME_RECORD_MAX];
	int len =
		dit_name_encode_self(record, dit_span_of(rdn), dit_span_of(rdn), parent);

	assert_true(len > 0);
	assert_int_equal(
		dit_staging_put_name(staging, id, (struct dit_span){record, (size_t)len}),
		0);
}

/** What makes two trees differ. */
struct fixture_variant {
	const char *sn; /* of the entry with ID 3 */
	char padding;
	bool is_hole; /* entry 2 is one */
};

#define FIXTURE_VARIANT ((struct fixture_variant){.sn = "Roe"})

/** dc=example,dc=com with cn=a and cn=b: AD numbers, entries, names. */
static inline void fixture_put_tree(struct dit_staging *staging, struct fixture_variant v)
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
		assert_int_equal(dit_staging_put_ad(staging, i + 1, dit_span_of(ads[i])),
		                 0);
	}
	len = fixture_entry(record, suffix, 3, 0x100, v.padding);
	fixture_put_entry(staging, 1, record, len);
	len = v.is_hole ? 0 : fixture_entry(record, a, 3, 0x100, v.padding);
	fixture_put_entry(staging, 2, record, len);
	len = fixture_entry(record, b, 3, 0x100, v.padding);
	fixture_put_entry(staging, 3, record, len);

	assert_int_equal(
		dit_staging_put_name(staging, 0,
	                             (struct dit_span){"\0\0\0\0\0\0\0\0\0\0\0", 12}),
		0);
	fixture_put_child(staging, 0, "dc=example,dc=com", 1, 3);
	fixture_put_self(staging, 1, "dc=example,dc=com", 0);
	fixture_put_child(staging, 1, "cn=a", 2, 1);
	fixture_put_child(staging, 1, "cn=b", 3, 1);
	fixture_put_self(staging, 2, "cn=a", 1);
	fixture_put_self(staging, 3, "cn=b", 1);
}

/** A published database with the tree in it; free with test_scratch_remove(). */
static inline char *fixture_published(void)
{
	char *dir = test_scratch();
	struct dit_staging *staging = fixture_open(dir);

	fixture_put_tree(staging, FIXTURE_VARIANT);
	(void)fixture_publish(staging);
	return dir;
}

/** Records in id2e. */
static inline uint64_t fixture_count(const char *directory)
{
	struct dit_snapshot *snapshot = NULL;
	const struct dit_stored_db *dbs = NULL;
	uint64_t nrecords = 0;
	size_t n = 0;

	assert_int_equal(dit_snapshot_open(&snapshot, directory), 0);
	n = dit_snapshot_dbs(snapshot, &dbs);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(dbs[i].name, "id2e") == 0) {
			nrecords = dbs[i].nrecords;
		}
	}
	dit_snapshot_close(snapshot);
	return nrecords;
}

/** Names in a directory, sorted, each followed by a space; malloc'ed. */
static inline char *fixture_list(const char *directory)
{
	char command[4200];
	char *text = calloc(1, 4096);
	FILE *pipe = NULL;

	assert_non_null(text);
	(void)snprintf(command, sizeof(command), "ls -A '%s' | tr '\\n' ' '", directory);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	(void)fread(text, 1, 4095, pipe);
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
static inline const char *fixture_path(const char *directory, const char *name)
{
	static char path[4200];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

#endif
