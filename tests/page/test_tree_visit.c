/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Visits of the trees of files that slapadd 2.7.0 made (tests/data/golden-2.7); the
 * answers are those of page_dump.h, which reads each file by itself:
 * - each page is told once, and each node, whether pages are read or mapped;
 * - a visitor without pages() is told all nodes;
 * - what a visitor leaves out is not told, nor is what is below it;
 * - an error of a visitor or of reading ends the visit;
 * - a damaged file ends with an error or with other nodes.
 */
#include <sys/mman.h>

#include "base/error.h"
#include "page/page_set.h"
#include "page/tree_visit.h"
#include "test.h"

#include "page_dump.h"

#define NROUNDS 300

static const char *const goldens[] = {"people", "big-ps1024", "gen100"};
#define NFILES 3

struct tree {
	struct dit_tree_record record;
	uint64_t npages; /* without those of long values */
	uint64_t nkeys;
	struct dit_span key; /* the last one */
};

struct fixture {
	struct page_dump dump;
	struct tree trees[64];
	size_t ntrees;
	int fd;
	struct dit_page_source pages;
};

/* A visitor is told this. */
struct visited {
	struct dit_page_set pages;
	uint64_t npages;
	uint64_t nnodes;
	uint64_t left_out; /* a page; 0: none */
	int error;         /* of the second page */
};

static void count_page(void *ctx, struct dit_page_view view)
{
	(void)view;
	((struct tree *)ctx)->npages++;
}

/* A key that has a list comes with each item. */
static void count_key(void *ctx, struct dit_span key, struct dit_span value)
{
	struct tree *tree = ctx;

	(void)value;
	tree->nkeys += key.data != tree->key.data;
	tree->key = key;
}

static void add_tree(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;
	struct tree *tree = &f->trees[f->ntrees++];

	(void)key;
	assert_true(f->ntrees < sizeof(f->trees) / sizeof(f->trees[0]));
	memcpy(&tree->record, value.data, sizeof(tree->record));
	assert_null(page_dump_pages(&f->dump, &tree->record, count_page, tree));
	assert_null(page_dump_tree(&f->dump, &tree->record, count_key, tree));
}

static void open_file(struct fixture *f, const char *name)
{
	char command[5000];
	FILE *in = NULL;

	memset(f, 0, sizeof(*f));
	(void)snprintf(command, sizeof(command), "gzip -dc '%s/raw/%s.mdb.gz'",
	               test_data("golden-2.7"), name);
	in = popen(command, "r");
	assert_non_null(in);
	assert_null(page_dump_read(&f->dump, in));
	assert_int_equal(pclose(in), 0);
	assert_null(page_dump_tree(&f->dump, &f->dump.meta.main_tree, add_tree, f));
	f->fd = memfd_create("visit", MFD_CLOEXEC);
	assert_int_equal(write(f->fd, f->dump.bytes, f->dump.len), f->dump.len);
	dit_page_source_init(&f->pages, f->fd, f->dump.format, f->dump.page_bytes,
	                     f->dump.len / f->dump.page_bytes);
}

static void close_file(struct fixture *f)
{
	assert_int_equal(close(f->fd), 0);
	page_dump_free(&f->dump);
}

static int tell_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct visited *visited = ctx;

	if (visited->error != 0 && visited->pages.count == 1) {
		return visited->error;
	}
	if (first == visited->left_out) {
		return 1;
	}
	return dit_page_set_add_run(&visited->pages, first, n) ? 0 : DIT_E_CORRUPT;
}

static int tell_node(void *ctx, const struct dit_node_view *node)
{
	((struct visited *)ctx)->nnodes += node->key.len > 0;
	return 0;
}

static int visit(struct fixture *f, const struct tree *tree, struct visited *visited)
{
	const struct dit_tree_visitor visitor = {
		.pages = tell_pages, .node = tell_node, .ctx = visited};
	int r = dit_page_set_init(&visited->pages, f->pages.npages);

	r = r ?: dit_tree_visit(&f->pages, &tree->record, &visitor);
	visited->npages = visited->pages.count;
	dit_page_set_deinit(&visited->pages);
	return r;
}

TEST(each_page_and_each_node_is_told_once)
{
	for (unsigned i = 0; i < 2 * NFILES; i++) {
		struct fixture f;

		open_file(&f, goldens[i / 2]);
		f.pages.map = i % 2 == 0 ? NULL : f.dump.bytes;
		for (size_t k = 0; k < f.ntrees; k++) {
			const struct tree *tree = &f.trees[k];
			struct visited visited = {.nnodes = 0};

			assert_int_equal(visit(&f, tree, &visited), 0);
			assert_int_equal(visited.nnodes, tree->nkeys);
			assert_int_equal(visited.npages,
			                 tree->npages + tree->record.noverflow_pages);
		}
		close_file(&f);
	}
}

static uint64_t child_of(struct fixture *f, const struct tree *tree, unsigned slot)
{
	struct dit_page_view root = page_dump_view(&f->dump, tree->record.root);
	struct dit_node_view node = {.child = 0};

	assert_int_equal(dit_view_node(root, slot, &node), DIT_NODE_FITS);
	return node.child;
}

TEST(nobody_has_to_count_pages)
{
	struct visited visited = {.nnodes = 0};
	const struct dit_tree_visitor visitor = {.node = tell_node, .ctx = &visited};
	uint64_t nkeys = 0;
	struct fixture f;

	open_file(&f, "gen100");
	for (size_t k = 0; k < f.ntrees; k++) {
		assert_int_equal(dit_tree_visit(&f.pages, &f.trees[k].record, &visitor),
		                 0);
		nkeys += f.trees[k].nkeys;
	}
	assert_int_equal(visited.nnodes, nkeys);
	close_file(&f);
}

TEST(what_is_left_out_is_not_told)
{
	unsigned nvisits = 0;
	struct fixture f;

	open_file(&f, "gen100");
	for (size_t k = 0; k < f.ntrees; k++) {
		const struct tree *tree = &f.trees[k];
		struct visited all = {.left_out = tree->record.root};
		unsigned n = 0;

		if (tree->record.depth < 2) {
			continue;
		}
		assert_int_equal(visit(&f, tree, &all), 0);
		assert_int_equal(all.nnodes, 0);
		n = dit_view_count(page_dump_view(&f.dump, tree->record.root));
		for (unsigned slot = 0; slot < n; slot += n - 1) {
			struct visited rest = {.left_out = child_of(&f, tree, slot)};

			assert_int_equal(visit(&f, tree, &rest), 0);
			assert_in_range(rest.nnodes, 1, tree->nkeys - 1);
			nvisits++;
		}
	}
	assert_true(nvisits > 2);
	close_file(&f);
}

TEST(an_error_ends_the_visit)
{
	struct visited refused = {.error = -EDOM};
	struct visited unread = {.nnodes = 0};
	const struct tree *tree = NULL;
	struct fixture f;

	open_file(&f, "gen100");
	for (size_t k = 0; k < f.ntrees; k++) {
		tree = f.trees[k].record.depth > 1 ? &f.trees[k] : tree;
	}
	assert_non_null(tree);
	assert_int_equal(visit(&f, tree, &refused), -EDOM);
	assert_int_equal(refused.nnodes, 0);
	f.pages.fd = -1;
	assert_int_equal(visit(&f, tree, &unread), -EBADF);
	f.pages.fd = f.fd;
	assert_int_equal(ftruncate(f.fd, 2 * (off_t)f.dump.page_bytes), 0);
	assert_int_equal(visit(&f, tree, &unread), DIT_E_CORRUPT);
	close_file(&f);
}

static uint32_t number(uint32_t below)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

TEST(damage_is_an_error_or_other_nodes)
{
	unsigned ncorrupt = 0;
	unsigned nvisited = 0;

	for (unsigned i = 0; i < 2 * NFILES; i++) {
		struct fixture f;

		open_file(&f, goldens[i / 2]);
		f.pages.map = i % 2 == 0 ? NULL : f.dump.bytes;
		for (unsigned round = 0; round < NROUNDS; round++) {
			size_t page = 2 + number((uint32_t)f.pages.npages - 2);
			size_t at =
				number(2) == 0 ? number(64) : number(f.dump.page_bytes);
			char *byte = &f.dump.bytes[page * f.dump.page_bytes + at];
			struct visited visited = {.nnodes = 0};
			int r = 0;

			*byte ^= (char)(1 + number(255));
			assert_int_equal(pwrite(f.fd, byte, 1, byte - f.dump.bytes), 1);
			r = visit(&f, &f.trees[number((uint32_t)f.ntrees)], &visited);
			assert_true(r == 0 || r == DIT_E_CORRUPT);
			ncorrupt += r < 0;
			nvisited += r == 0;
		}
		close_file(&f);
	}
	assert_true(ncorrupt > 20);
	assert_true(nvisited > 20);
}
