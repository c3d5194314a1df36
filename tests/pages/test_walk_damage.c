/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every way to damage the structure of a file that we could think of: each is done to a
 * file of liblmdb's and to one of ours, is found, and has the right name. What else is
 * found with it does not matter here.
 */
#include "walk_fixture.h"

#include <lmdb.h>

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

static void every_damage_is_found_and_named(void **state)
{
	unsigned nmissed = 0;
	(void)state;

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
static void free_pages_may_lie_behind_the_end(void **state)
{
	struct image image = image_new(IMAGE_LIBLMDB);
	struct image_findings findings;
	(void)state;

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_pages_may_lie_behind_the_end),
		cmocka_unit_test(every_damage_is_found_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
