/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LMDB 1.0's format against files that slapadd 2.7.0 made (tests/data/golden-2.7):
 * - the walker finds nothing wrong with them, and the databases and records they have;
 * - each of their pages, written again node by node, has the same bounds and nodes;
 * - what is wrong with such a file is found.
 */
#include "page/meta_pages.h"
#include "page/page_nodes.h"
#include "reader/stored_order.h"
#include "test.h"
#include "walk/walk.h"

#include "page_dump.h"

#define PATH_BYTES 5000

struct fixture {
	struct page_dump dump;
	uint64_t npages;
	size_t ndatabases;
	struct dit_walk_stats stats;
	char text[2000]; /* findings */
	FILE *sum;       /* what each database has to have */
};

static void read_golden(struct page_dump *dump, const char *name)
{
	char *command =
		test_text("gzip -dc '%s/raw/%s.mdb.gz'", test_data("golden-2.7"), name);
	FILE *in = NULL;

	in = popen(command, "r");
	assert_non_null(in);
	assert_null(page_dump_read(dump, in));
	assert_int_equal(pclose(in), 0);
	assert_int_equal(dump->format->version, dit_lmdb_10.version);
}

/* ---- walks ---- */

static void note_finding(void *ctx, const struct dit_walk_finding *finding)
{
	struct fixture *f = ctx;

	test_append(f->text, "%s %s %lld: %s\n", dit_walk_kind_name(finding->kind),
	            finding->database == NULL ? "" : finding->database,
	            (long long)finding->page, finding->text);
}

static int walk(struct fixture *f, dit_walk_size_fn size)
{
	struct dit_walk_opts opts = {
		.shared.nthreads = 1,
		.order = dit_stored_order,
		.found = note_finding,
		.ctx = f,
		.size = size,
	};
	FILE *file = tmpfile();
	int r = 0;

	assert_non_null(file);
	assert_int_equal(fwrite(f->dump.bytes, 1, f->dump.len, file), f->dump.len);
	assert_int_equal(fflush(file), 0);
	opts.fd = fileno(file);
	f->text[0] = '\0';
	r = dit_walk(&opts, &f->stats);
	assert_int_equal(fclose(file), 0);
	return r;
}

/* Against the lines of NAME.sum, which are in the order of names. */
static void check_size(void *ctx, const struct dit_walk_size *size)
{
	struct fixture *f = ctx;
	char name[100];
	unsigned flags = 0;
	unsigned long long nitems = 0;

	assert_int_equal(
		fscanf(f->sum, "%99s flags=%x entries=%llu %*s", name, &flags, &nitems),
		3);
	assert_string_equal(size->name, name);
	assert_int_equal(size->flags, flags);
	assert_int_equal(size->nitems, nitems);
	f->ndatabases++;
}

static void check_walk(const char *name, unsigned page_bytes)
{
	struct fixture f = {.ndatabases = 0};
	char path[PATH_BYTES];

	read_golden(&f.dump, name);
	(void)snprintf(path, sizeof(path), "%s/sum/%s", test_data("golden-2.7"), name);
	f.sum = fopen(path, "r");
	assert_non_null(f.sum);
	assert_int_equal(walk(&f, check_size), 0);
	assert_string_equal(f.text, "");
	assert_int_equal(fscanf(f.sum, "%*s"), EOF);
	assert_string_equal(f.stats.format, "LMDB 1.0");
	assert_int_equal(f.stats.page_bytes, page_bytes);
	assert_int_equal(f.stats.ndatabases, f.ndatabases);
	assert_int_equal(f.stats.npages, f.stats.nused + f.stats.nfree + 2);
	assert_int_equal(fclose(f.sum), 0);
	page_dump_free(&f.dump);
}

TEST(golden_files_are_sound)
{
	check_walk("people", 4096);
	check_walk("big-ps1024", 1024);
	check_walk("gen100", 16384);
}

/* ---- pages written again ---- */

static void add_nodes(struct dit_page_view view, char *copy)
{
	struct dit_node_view node = {0};
	char *value = NULL;

	for (unsigned i = 0; i < dit_view_count(view); i++) {
		struct dit_node_header *header = NULL;

		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		assert_true(dit_page_has_room(view.format, copy, node.key.len,
		                              node.value.len));
		header = dit_page_add_node(view.format, copy, node.key, node.value.len,
		                           &value);
		memcpy(value, node.value.data, node.value.len);
		/* Numbers of children, lengths of long values, flags. */
		memcpy(header, view.bytes + node.at, 6);
	}
}

static void check_page(void *ctx, struct dit_page_view view)
{
	static char copy[65536];
	struct fixture *f = ctx;
	struct dit_page_view other = {
		.bytes = copy, .len = view.len, .format = view.format};

	f->npages++;
	if ((dit_view_flags(view) & DIT_PAGE_LEAF2) != 0) {
		assert_true(dit_view_has_items(view, sizeof(uint64_t)));
		return;
	}
	dit_page_begin(view.format, copy, view.len, dit_view_flags(view));
	add_nodes(view, copy);
	assert_int_equal(dit_view_lower(other), dit_view_lower(view));
	assert_int_equal(dit_view_upper(other), dit_view_upper(view));
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		struct dit_node_view a = {0};
		struct dit_node_view b = {0};

		assert_int_equal(dit_view_node(view, i, &a), DIT_NODE_FITS);
		assert_int_equal(dit_view_node(other, i, &b), DIT_NODE_FITS);
		assert_int_equal(a.bytes, b.bytes);
		assert_int_equal(a.flags, b.flags);
		assert_int_equal(a.child, b.child);
		assert_int_equal(a.value_len, b.value_len);
		assert_true(dit_span_eq(a.key, b.key));
		assert_true(dit_span_eq(a.value, b.value));
	}
}

static void check_database(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;
	struct dit_tree_record tree;

	assert_int_equal(value.len, sizeof(tree));
	assert_int_equal(key.data[key.len - 1], '\0');
	memcpy(&tree, value.data, sizeof(tree));
	assert_null(page_dump_pages(&f->dump, &tree, check_page, f));
}

TEST(golden_pages_are_written_as_they_are)
{
	static const char *const names[] = {"people", "big-ps1024", "gen100"};

	for (size_t i = 0; i < 3; i++) {
		struct fixture f = {.npages = 0};

		read_golden(&f.dump, names[i]);
		assert_null(
			page_dump_pages(&f.dump, &f.dump.meta.main_tree, check_page, &f));
		assert_null(page_dump_tree(&f.dump, &f.dump.meta.main_tree,
		                           check_database, &f));
		assert_true(f.npages > 8);
		page_dump_free(&f.dump);
	}
}

/* ---- damage ---- */

static struct dit_meta *meta_of(struct fixture *f, unsigned number)
{
	return (struct dit_meta *)(void *)(f->dump.bytes +
	                                   (size_t)number * f->dump.page_bytes +
	                                   dit_lmdb_10.header_bytes);
}

static char *main_root(struct fixture *f)
{
	return f->dump.bytes + f->dump.meta.main_tree.root * f->dump.page_bytes;
}

static void check_found(struct fixture *f, enum dit_walk_kind kind, const char *text)
{
	assert_int_equal(walk(f, NULL), 0);
	assert_true(f->stats.by_kind[kind] > 0);
	assert_non_null(strstr(f->text, text));
}

/* liblmdb would write over a page with such a number. */
TEST(a_page_of_a_later_transaction_is_found)
{
	struct fixture f = {.npages = 0};
	uint64_t later = 0;

	read_golden(&f.dump, "people");
	later = f.dump.meta.transaction + 1;
	memcpy(main_root(&f) + DIT_PAGE_TRANSACTION_AT, &later, sizeof(later));
	check_found(&f, DIT_WALK_PAGE_TRANSACTION, "page-transaction (main)");
	assert_int_equal(f.stats.nfindings, 1);
	page_dump_free(&f.dump);
}

TEST(a_name_without_its_nul_is_found)
{
	struct fixture f = {.npages = 0};
	struct dit_node_header *node = NULL;

	read_golden(&f.dump, "people");
	node = dit_page_node(&dit_lmdb_10, main_root(&f), 0);
	((char *)(node + 1))[node->key_len - 1] = 'x';
	check_found(&f, DIT_WALK_TREE_NAME, "tree-name (main)");
	page_dump_free(&f.dump);
}

static void find_big(void *ctx, struct dit_page_view view)
{
	struct dit_node_view node = {0};
	char **ret = ctx;

	for (unsigned i = 0; i < dit_view_count(view); i++) {
		if ((dit_view_flags(view) & DIT_PAGE_LEAF2) == 0 &&
		    dit_view_node(view, i, &node) == DIT_NODE_FITS &&
		    (node.flags & DIT_NODE_BIG) != 0) {
			*ret = (char *)(uintptr_t)node.value.data;
		}
	}
}

static void find_big_of(void *ctx, struct dit_span key, struct dit_span value)
{
	struct {
		struct fixture *f;
		char *big;
	} *find = ctx;
	struct dit_tree_record tree;

	(void)key;
	memcpy(&tree, value.data, sizeof(tree));
	assert_null(page_dump_pages(&find->f->dump, &tree, find_big, &find->big));
}

TEST(a_wrong_number_of_pages_in_a_node_is_found)
{
	struct fixture f = {.npages = 0};
	struct {
		struct fixture *f;
		char *big;
	} find = {&f, NULL};
	struct dit_big_value big;

	read_golden(&f.dump, "big-ps1024");
	assert_null(page_dump_tree(&f.dump, &f.dump.meta.main_tree, find_big_of, &find));
	assert_non_null(find.big);
	memcpy(&big, find.big, sizeof(big));
	big.npages++;
	memcpy(find.big, &big, sizeof(big));
	check_found(&f, DIT_WALK_OVERFLOW_COUNT, "overflow-count id2e");
	assert_int_equal(f.stats.nfindings, 1);
	page_dump_free(&f.dump);
}

static struct dit_meta_seal seal_of(const struct fixture *f,
                                    const struct dit_page_format *format)
{
	struct dit_meta_seal seal;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(f->dump.bytes, f->dump.len, 1, file), 1);
	assert_int_equal(fflush(file), 0);
	(void)dit_metas_seal(fileno(file), format, &seal);
	assert_int_equal(fclose(file), 0);
	return seal;
}

TEST(sealed_pages_are_known_by_the_first_meta_page)
{
	struct fixture f = {.npages = 0};
	struct dit_meta_seal seal;

	read_golden(&f.dump, "people");
	meta_of(&f, 1)->free_tree.flags |= 0x2000;
	seal = seal_of(&f, &dit_lmdb_10);
	assert_false(seal.is_encrypted);
	assert_int_equal(seal.sum_bytes, 0);
	f.dump.bytes[f.dump.page_bytes - 2] = 16;
	meta_of(&f, 0)->free_tree.flags |= 0x2000;
	seal = seal_of(&f, &dit_lmdb_10);
	assert_true(seal.is_encrypted);
	assert_int_equal(seal.sum_bytes, 16);
	seal = seal_of(&f, &dit_lmdb_09);
	assert_false(seal.is_encrypted);
	assert_int_equal(seal.sum_bytes, 0);
	page_dump_free(&f.dump);
}

/* The second meta page tells the format as well. */
TEST(a_lost_first_page_is_found)
{
	struct fixture f = {.npages = 0};

	read_golden(&f.dump, "people");
	memset(f.dump.bytes, 0, 200);
	check_found(&f, DIT_WALK_META_MAGIC, "meta-magic");
	assert_string_equal(f.stats.format, "LMDB 1.0");
	page_dump_free(&f.dump);
}
