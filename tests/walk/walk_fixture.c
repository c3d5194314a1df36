/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "output/store_fixture.h"

#define NENTRIES 400
#define NNAMES   120
#define NKEYS    700
#define NIDS_MAX 1500

/* ---- content ---- */

static size_t entry_len(uint64_t id)
{
	return id == 7 ? 9000 : id % 50 == 0 ? 6000 : 100;
}

static size_t nids_of(unsigned key)
{
	switch (key) {
	case 10:
		return 5;
	case 20:
		return NIDS_MAX;
	case 30:
		return 600;
	case 40:
		return 40;
	default:
		return 1;
	}
}

static void make_key(char *key, unsigned number)
{
	key[0] = 'k';
	key[1] = (char)(number >> 8);
	key[2] = (char)number;
	key[3] = 'x';
}

/* How many children an entry has: many, some, none. */
static unsigned nchildren_of(uint64_t id)
{
	return id == 1 ? 300 : id == NNAMES ? 5 : 0;
}

static const char *child_name(unsigned number)
{
	static char name[40];

	(void)snprintf(name, sizeof(name), "cn=a name of some bytes %04u", number);
	return name;
}

/* ---- made by liblmdb ---- */

static void put_entries(MDB_txn *txn)
{
	static char value[9000];
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_CREATE | MDB_INTEGERKEY);

	for (uint64_t id = 1; id <= NENTRIES; id++) {
		memset(value, (int)id, sizeof(value));
		test_put(txn, dbi, &id, sizeof(id), value, entry_len(id));
	}
}

static void put_names(MDB_txn *txn)
{
	char record[DIT_NAME_RECORD_MAX];
	MDB_dbi dbi = test_dbi(txn, "dn2i", MDB_CREATE | MDB_INTEGERKEY | MDB_DUPSORT);

	for (uint64_t id = 1; id <= NNAMES; id++) {
		struct dit_span rdn = dit_span_of("cn=itself");
		int len = encode_self(record, rdn, rdn, 0);

		test_put(txn, dbi, &id, sizeof(id), record, (size_t)len);
		for (unsigned i = 0; i < nchildren_of(id); i++) {
			rdn = dit_span_of(child_name(i));
			len = encode_child(record, rdn, rdn, i, 1);
			test_put(txn, dbi, &id, sizeof(id), record, (size_t)len);
		}
	}
}

static void put_index(MDB_txn *txn)
{
	MDB_dbi dbi = test_dbi(txn, "cn",
	                       MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP);
	char key[4];

	for (unsigned i = 0; i < NKEYS; i++) {
		make_key(key, i);
		for (uint64_t n = 0; n < nids_of(i); n++) {
			uint64_t id = i + 3 * n + 1;

			test_put(txn, dbi, key, sizeof(key), &id, sizeof(id));
		}
	}
}

static void make_by_liblmdb(const char *dir)
{
	MDB_env *env = test_env(dir, MDB_NOSYNC, 64 << 20);
	MDB_txn *txn = test_txn(env, 0);

	put_entries(txn);
	put_names(txn);
	put_index(txn);
	test_commit(txn);
}

/* ---- made by our writer ---- */

static void make_by_us(const char *dir)
{
	static char value[9000];
	struct dit_record_output *staging = fixture_open(dir);
	uint64_t ids[NIDS_MAX];
	char key[4];

	for (uint64_t id = 1; id <= NENTRIES; id++) {
		memset(value, (int)id, sizeof(value));
		fixture_put_entry(staging, id, value, entry_len(id));
	}
	for (uint64_t id = 1; id <= NNAMES; id++) {
		fixture_put_self(id, "cn=itself", 0);
		for (unsigned i = 0; i < nchildren_of(id); i++) {
			fixture_put_child(id, child_name(i), i, 1);
		}
	}
	fixture_begin_index(staging, "cn", false);
	for (unsigned i = 0; i < NKEYS; i++) {
		for (uint64_t n = 0; n < nids_of(i); n++) {
			ids[n] = i + 3 * n + 1;
		}
		make_key(key, i);
		fixture_put_key(key, sizeof(key), ids, nids_of(i));
	}
	(void)fixture_publish(staging);
}

/* Some pages become free: three transactions, one record each. */
static void change(const char *dir)
{
	static char value[9000];
	MDB_env *env = test_env(dir, MDB_NOSYNC, 64 << 20);

	for (uint64_t id = 50; id <= 150; id += 50) {
		MDB_txn *txn = test_txn(env, 0);
		MDB_dbi dbi = test_dbi(txn, "id2e", 0);

		test_put(txn, dbi, &id, sizeof(id), value, 9000);
		id++;
		test_put(txn, dbi, &id, sizeof(id), value, 100);
		id--;
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
	mdb_env_close(env);
}

struct image image_new(enum image_maker maker)
{
	char *dir = test_scratch();
	struct image image = {NULL, 0};

	if (maker == IMAGE_LIBLMDB) {
		make_by_liblmdb(dir);
	} else {
		make_by_us(dir);
	}
	change(dir);
	image.bytes = test_read_file(fixture_path(dir, "data.mdb"), &image.len);
	test_scratch_remove(dir);
	return image;
}

struct image image_copy(const struct image *image)
{
	struct image copy = {malloc(image->len), image->len};

	assert_non_null(copy.bytes);
	memcpy(copy.bytes, image->bytes, image->len);
	return copy;
}

void image_free(struct image *image)
{
	free(image->bytes);
	image->bytes = NULL;
}

void image_change(struct image *image, const uint8_t *changes, size_t nbytes)
{
	enum {
		CHANGE_BYTES = 4,
		HEAD_BYTES = 64,
	};

	for (; nbytes >= CHANGE_BYTES; changes += CHANGE_BYTES, nbytes -= CHANGE_BYTES) {
		unsigned place = changes[1] | (unsigned)changes[2] << 8;
		size_t page = changes[0] % (image->len / IMAGE_PAGE);

		place = (place & 0x8000) != 0 ? place % HEAD_BYTES : place % IMAGE_PAGE;
		image->bytes[page * IMAGE_PAGE + place] ^= (char)changes[3];
	}
}

/* ---- walks ---- */

void image_order(void *ctx, struct dit_span name, unsigned flags,
                 struct dit_key_orders *orders)
{
	(void)ctx;
	(void)flags;
	if (dit_span_eq(name, DIT_SPAN("cn"))) {
		orders->keys.bytes = 4;
		orders->items.bytes = sizeof(uint64_t);
	} else {
		orders->keys.bytes = sizeof(uint64_t);
	}
}

static void note_finding(void *ctx, const struct dit_walk_finding *finding)
{
	struct image_findings *findings = ctx;

	test_append(findings->text, "    %s: %s, page %lld, node %ld: %s\n",
	            dit_walk_kind_name(finding->kind),
	            finding->database == NULL ? "-" : finding->database,
	            (long long)finding->page, finding->node, finding->text);
}

int image_walk(const struct image *image, unsigned nthreads, struct image_findings *ret)
{
	struct dit_walk_opts opts = {
		.shared.nthreads = nthreads,
		.order = image_order,
		.found = note_finding,
		.ctx = ret,
	};
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	opts.fd = test_nameless_file();
	assert_int_equal(write(opts.fd, image->bytes, image->len), image->len);
	r = dit_walk(&opts, &ret->stats);
	assert_int_equal(close(opts.fd), 0);
	return r;
}

/* ---- parts ---- */

struct image_header *image_page(struct image *image, uint64_t number)
{
	assert_true((number + 1) * IMAGE_PAGE <= image->len);
	return (struct image_header *)(void *)(image->bytes + number * IMAGE_PAGE);
}

struct dit_meta *image_meta(struct image *image, unsigned number)
{
	return (struct dit_meta *)(void *)(image_page(image, number) + 1);
}

struct dit_meta *image_live(struct image *image)
{
	return image_meta(image, image_meta(image, 1)->transaction >
	                                 image_meta(image, 0)->transaction);
}

struct dit_node_header *image_node(struct image_header *page, unsigned slot)
{
	return dit_page_node(&dit_lmdb_09, page, slot);
}

uint16_t *image_slot(void *page, unsigned slot)
{
	return (uint16_t *)(void *)((char *)page + sizeof(struct image_header)) + slot;
}

char *image_key(struct dit_node_header *node)
{
	return (char *)(node + 1);
}

char *image_value(struct dit_node_header *node)
{
	return (char *)(node + 1) + node->key_len;
}

uint64_t image_child(const struct dit_node_header *node)
{
	return node->low | (uint64_t)node->high << 16 | (uint64_t)node->flags << 32;
}

void image_set_child(struct dit_node_header *node, uint64_t child)
{
	node->low = (uint16_t)child;
	node->high = (uint16_t)(child >> 16);
	node->flags = (uint16_t)(child >> 32);
}

image_record *image_database(struct image *image, const char *name)
{
	struct image_header *leaf = image_page(image, image_live(image)->main_tree.root);

	for (unsigned i = 0; i < dit_page_count(&dit_lmdb_09, leaf); i++) {
		struct dit_node_header *node = image_node(leaf, i);

		if (node->key_len == strlen(name) &&
		    memcmp(image_key(node), name, node->key_len) == 0) {
			return (image_record *)(void *)image_value(node);
		}
	}
	fail_msg("no %s", name);
	return NULL;
}

struct image_header *image_root(struct image *image, const char *name)
{
	return image_page(image, image_database(image, name)->root);
}

struct image_header *image_leaf(struct image *image, const char *name, unsigned i)
{
	struct image_header *root = image_root(image, name);

	assert_int_equal(root->flags, DIT_PAGE_BRANCH);
	return image_page(image, image_child(image_node(root, i)));
}

struct dit_node_header *image_find(struct image *image, const char *name, unsigned flags,
                                   unsigned i)
{
	unsigned nleaves = dit_page_count(&dit_lmdb_09, image_root(image, name));

	for (unsigned l = 0; l < nleaves; l++) {
		struct image_header *leaf = image_leaf(image, name, l);

		for (unsigned slot = 0; slot < dit_page_count(&dit_lmdb_09, leaf);
		     slot++) {
			struct dit_node_header *node = image_node(leaf, slot);

			if (node->flags == flags && i-- == 0) {
				return node;
			}
		}
	}
	fail_msg("no node %u with flags %x in %s", i, flags, name);
	return NULL;
}
