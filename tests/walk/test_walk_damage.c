/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every way to damage the structure of a file that we could think of: each is done to a
 * file of liblmdb's and to one of ours, is found, and has the right name. Other findings
 * do not matter here. A damaged index that is replaced leaves a sound
 * file: its pages are free, and only its pages.
 */
#include "walk_fixture.h"

#include <lmdb.h>

#include "commit/page_commit.h"
#include "tree/table_writer.h"

#define CN_FLAGS  (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
#define SUB_FLAGS (DIT_PAGE_SUB | DIT_PAGE_LEAF)

static struct image_header *free_leaf(struct image *image)
{
	return image_page(image, image_live(image)->free_tree.root);
}

static struct image_header *main_leaf(struct image *image)
{
	return image_page(image, image_live(image)->main_tree.root);
}

/* The record of the n-th list with a tree. */
static image_record *list(struct image *image, const char *name, unsigned n)
{
	return (image_record *)(void *)image_value(
		image_find(image, name, DIT_NODE_LIST | DIT_NODE_TREE, n));
}

/* The page in a node that holds the n-th list. */
static image_inner *inner(struct image *image, const char *name, unsigned n)
{
	return (image_inner *)(void *)image_value(
		image_find(image, name, DIT_NODE_LIST, n));
}

/* A leaf of the n-th list with a tree. */
static struct image_header *list_leaf(struct image *image, const char *name, unsigned n,
                                      unsigned leaf)
{
	struct image_header *root = image_page(image, list(image, name, n)->root);

	return image_page(image, image_child(image_node(root, leaf)));
}

static image_word *items(void *packed)
{
	return (image_word *)(void *)((char *)packed + sizeof(struct image_header));
}

/* The first page of a long value. */
static image_word *run_number(struct image *image, unsigned n)
{
	return (image_word *)(void *)image_value(
		image_find(image, "id2e", DIT_NODE_BIG, n));
}

static struct image_header *run(struct image *image, unsigned n)
{
	uint64_t number = 0;

	memcpy(&number, run_number(image, n), sizeof(number));
	return image_page(image, number);
}

/* The words of the n-th record of the free list: a count and pages. */
static image_word *freed(struct image *image, unsigned n)
{
	return (image_word *)(void *)image_value(image_node(free_leaf(image), n));
}

/* Those of a record with three pages at least. */
static image_word *freed_some(struct image *image)
{
	for (unsigned n = 0; n < dit_page_count(&dit_lmdb_09, free_leaf(image)); n++) {
		if (freed(image, n)[0] >= 3) {
			return freed(image, n);
		}
	}
	fail_msg("no record of three pages");
	return NULL;
}

/* The node of a database's record. */
static struct dit_node_header *name_node(struct image *image, const char *name)
{
	return (struct dit_node_header *)(void *)((char *)image_database(image, name) -
	                                          strlen(name)) -
	       1;
}

static void swap_bytes(void *a, void *b, size_t len)
{
	char kept[IMAGE_PAGE];

	memcpy(kept, a, len);
	memcpy(a, b, len);
	memcpy(b, kept, len);
}

/* A branch page with its first child alone. */
static void leave_one_child(struct image_header *root)
{
	char first[sizeof(struct dit_node_header)];

	memcpy(first, image_node(root, 0), sizeof(first));
	root->lower = sizeof(*root) + 2;
	root->upper = IMAGE_PAGE - sizeof(first);
	*image_slot(root, 0) = root->upper;
	memcpy((char *)root + root->upper, first, sizeof(first));
}

#define DAMAGE(kind, name, ...)                                                          \
 static void name(struct image *image)                                                   \
 {                                                                                       \
  __VA_ARGS__                                                                            \
 }
#include "walk_damages.h"
#undef DAMAGE

#define DAMAGE(kind, name, ...) {#name, name, DIT_WALK_##kind},
static const struct damage {
	const char *name;
	void (*damage)(struct image *image);
	enum dit_walk_kind kind;
} damages[] = {
#include "walk_damages.h"
};
#undef DAMAGE
#define NDAMAGES (sizeof(damages) / sizeof(damages[0]))

/* Is it found, and called what it is? */
static bool try_damage(const struct image *whole, const struct damage *damage,
                       unsigned nthreads)
{
	struct image image = image_copy(whole);
	struct image_findings findings;
	bool is_same = false;
	int r = 0;

	damage->damage(&image);
	is_same = image.len == whole->len &&
	          memcmp(image.bytes, whole->bytes, image.len) == 0;
	r = image_walk(&image, nthreads, &findings);
	image_free(&image);
	if (is_same || r < 0 || findings.stats.by_kind[damage->kind] == 0) {
		print_error("%s: %s%d, no %s, but\n%s", damage->name,
		            is_same ? "nothing was damaged, " : "", r,
		            dit_walk_kind_name(damage->kind), findings.text);
		return false;
	}
	return true;
}

TEST(every_damage_is_found_and_named)
{
	unsigned nmissed = 0;

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		struct image image = image_new((enum image_maker)maker);

		for (size_t i = 0; i < NDAMAGES; i++) {
			nmissed += !try_damage(&image, &damages[i], 1 + i % 3);
		}
		image_free(&image);
	}
	print_message("%zu kinds of damage\n", NDAMAGES);
	assert_int_equal(nmissed, 0);
}

/* A page at the end that was taken and given back in one transaction is never written. */
TEST(free_pages_may_be_after_the_end_of_the_file)
{
	struct image image = image_new(IMAGE_LIBLMDB);
	struct image_findings findings;

	image_live(&image)->last_page++;
	freed_some(&image)[1] = image_live(&image)->last_page;
	assert_int_equal(image_walk(&image, 1, &findings), 0);
	assert_int_equal(findings.stats.by_kind[DIT_WALK_FILE_CUT], 0);
	/* Its place in the free list was another page's. */
	assert_int_equal(findings.stats.by_kind[DIT_WALK_PAGE_LOST], 1);
	assert_int_equal(findings.stats.nfindings, 1);

	image_live(&image)->last_page++;
	assert_int_equal(image_walk(&image, 1, &findings), 0);
	assert_int_equal(findings.stats.by_kind[DIT_WALK_FILE_CUT], 1);
	image_free(&image);
}

/* liblmdb 0.9.36 takes pages off that older ones did not count; others find it so. */
TEST(page_counts_of_databases_with_lists_may_be_anything)
{
	static const uint64_t counts[] = {0, 1, 1000, UINT64_MAX, UINT64_MAX - 63};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct image image = image_new(IMAGE_LIBLMDB);
		struct image_findings findings;

		image_database(&image, "cn")->nbranch_pages = counts[i];
		image_database(&image, "cn")->nleaf_pages = counts[i];
		image_database(&image, "dn2i")->nleaf_pages = counts[i];
		assert_int_equal(image_walk(&image, 1, &findings), 0);
		assert_string_equal(findings.text, "");
		image_database(&image, "id2e")->nleaf_pages = counts[i];
		assert_int_equal(image_walk(&image, 1, &findings), 0);
		assert_int_equal(findings.stats.nfindings, 1);
		image_free(&image);
	}
}

/* ---- trees that are replaced ---- */

struct replaced {
	int r;
	bool is_damaged;
	bool is_lost;
};

static void note_damaged(void *ctx, const char *name, const char *text, bool is_lost)
{
	struct replaced *replaced = ctx;

	assert_string_equal(name, "cn");
	assert_true(strlen(text) > 0);
	replaced->is_damaged = true;
	replaced->is_lost = is_lost;
}

/* A small tree in place of cn's. */
static int write_tree(struct dit_page_commit *commit, struct dit_tree_record *ret)
{
	const uint64_t ids[] = {4, 5, 6};
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, dit_page_commit_space(commit), CN_FLAGS);

	*ret = (struct dit_tree_record){.flags = CN_FLAGS};
	r = r ?: dit_table_writer_put(writer, DIT_SPAN("keys"), ids, 3);
	r = r ?: dit_table_writer_finish(writer, ret);
	dit_table_writer_free(writer);
	return r;
}

/* The file is what it was, with another cn; false: its beginning could not be read. */
static bool replace_cn(int fd, unsigned nthreads, struct replaced *ret)
{
	struct dit_page_commit_opts opts = {
		.fd = fd, .format = &dit_lmdb_09, .oldest = DIT_COMMIT_ALONE};
	struct dit_page_old_opts old = {.nthreads = nthreads,
	                                .order = image_order,
	                                .damaged = note_damaged,
	                                .ctx = ret};
	struct dit_page_commit *commit = NULL;
	struct dit_tree_record tree;

	*ret = (struct replaced){.r = 0};
	if (dit_page_commit_open(&commit, &opts) < 0) {
		return false;
	}
	assert_int_equal(write_tree(commit, &tree), 0);
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN("cn"), &tree), 0);
	ret->r = dit_page_commit_give_old(commit, &old);
	if (ret->r == 0) {
		ret->r = dit_page_commit_write(commit);
	}
	dit_page_commit_close(commit);
	return true;
}

static int image_file(const struct image *image)
{
	int fd = test_nameless_file();

	assert_int_equal(write(fd, image->bytes, image->len), image->len);
	return fd;
}

static struct image image_read(int fd)
{
	struct image image = {.len = (size_t)lseek(fd, 0, SEEK_END)};

	image.bytes = malloc(image.len);
	assert_non_null(image.bytes);
	assert_int_equal(pread(fd, image.bytes, image.len, 0), image.len);
	return image;
}

/* Meta pages and the length of the file are not what this is about; and the number of the
 * next transaction is right after it. A run that is too long has a page of the main tree,
 * which becomes free. */
static bool is_of_file(const struct damage *damage)
{
	return strcmp(damage->name, "free_key_next") == 0 ||
	       strcmp(damage->name, "run_longer") == 0 ||
	       strncmp(damage->name, "meta_", 5) == 0 ||
	       strncmp(damage->name, "metas_", 6) == 0 ||
	       strncmp(damage->name, "file_", 5) == 0;
}

/* cn itself is sound, and the others were not damaged. */
static void assert_mended(const struct damage *damage, const struct replaced *replaced,
                          const struct image_findings *before,
                          const struct image_findings *after)
{
	bool is_mended = replaced->is_damaged && !replaced->is_lost;
	bool is_of_free_list = strstr(before->text, ": (free),") != NULL;

	if ((replaced->r != 0 && !is_of_free_list) ||
	    strstr(after->text, ": cn,") != NULL ||
	    (is_mended ? after->stats.nfindings > 0
	               : after->stats.nfindings > before->stats.nfindings)) {
		print_error("%s: %d%s%s, before\n%safter\n%s", damage->name, replaced->r,
		            replaced->is_damaged ? ", damaged" : "",
		            replaced->is_lost ? ", lost" : "", before->text, after->text);
		fail();
	}
}

/* 1: cn was damaged, and nothing is wrong any more; 0: damage was elsewhere */
static int mend(const struct image *whole, const struct damage *damage, unsigned nthreads)
{
	struct image image = image_copy(whole);
	struct image_findings before;
	struct image_findings after;
	struct replaced replaced;
	bool is_open = false;
	int fd = -1;

	damage->damage(&image);
	fd = image_file(&image);
	assert_true(image_walk(&image, 1, &before) <= 0);
	image_free(&image);
	is_open = !is_of_file(damage) && replace_cn(fd, nthreads, &replaced);
	if (is_open) {
		image = image_read(fd);
		assert_int_equal(image_walk(&image, 1, &after), 0);
		image_free(&image);
		assert_mended(damage, &replaced, &before, &after);
	}
	(void)close(fd);
	return is_open && replaced.is_damaged && !replaced.is_lost;
}

/* A commit copies the record of the free list; its flags are always the same. */
TEST(flags_of_the_free_list_are_mended)
{
	struct image image = image_new(IMAGE_OURS);
	struct replaced replaced;
	int fd = -1;

	image_live(&image)->free_tree.flags = 0;
	fd = image_file(&image);
	image_free(&image);
	assert_true(replace_cn(fd, 1, &replaced));
	assert_int_equal(replaced.r, 0);
	image = image_read(fd);
	assert_int_equal(image_live(&image)->free_tree.flags, MDB_INTEGERKEY);
	assert_int_equal(close(fd), 0);
	image_free(&image);
}

TEST(a_damaged_tree_is_replaced_and_its_pages_are_free)
{
	unsigned nmended = 0;

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		struct image image = image_new((enum image_maker)maker);

		for (size_t i = 0; i < NDAMAGES; i++) {
			nmended += (unsigned)mend(&image, &damages[i], 1 + i % 3);
		}
		image_free(&image);
	}
	print_message("%u were mended\n", nmended);
	assert_true(nmended > 80);
}

/* The pages of a damaged tree cannot be told from those of another one. */
TEST(pages_are_lost_if_a_tree_that_stays_is_damaged_as_well)
{
	struct image image = image_new(IMAGE_LIBLMDB);
	struct image_findings findings;
	struct replaced replaced;
	int fd = -1;

	image_set_child(image_node(image_root(&image, "cn"), 1), 1);
	image_leaf(&image, "id2e", 1)->number++;
	fd = image_file(&image);
	image_free(&image);
	assert_true(replace_cn(fd, 2, &replaced));
	assert_int_equal(replaced.r, 0);
	assert_true(replaced.is_damaged && replaced.is_lost);
	image = image_read(fd);
	(void)close(fd);
	image_leaf(&image, "id2e", 1)->number--;
	assert_int_equal(image_walk(&image, 1, &findings), 0);
	print_message("%s", findings.text);
	assert_true(findings.stats.nfindings > 0);
	assert_int_equal(findings.stats.by_kind[DIT_WALK_PAGE_LOST],
	                 findings.stats.nfindings);

	/* Mended, the next damaged tree brings them back. */
	image_leaf(&image, "dn2i", 1)->flags = 0;
	fd = image_file(&image);
	image_free(&image);
	assert_true(replace_cn(fd, 1, &replaced));
	assert_int_equal(replaced.r, 0);
	assert_false(replaced.is_damaged); /* it is dn2i */
	(void)close(fd);
}
