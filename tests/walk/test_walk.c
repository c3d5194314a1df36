/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the walker, but for the damages, which are in test_walk_damage.c:
 * - what liblmdb makes, in whatever way, is found clean; so is what we
 *   make;
 * - all pages are counted: used, free, and the two meta pages;
 * - one thread and many find the same;
 * - a snapshot that is held is walked, whatever others commit;
 * - keys, items and pages of each database are told;
 * - what is no file of LMDB 0.9 is an error or a finding, never a crash.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "codec/name_codec.h"
#include "lmdb_test.h"
#include "page/meta_pages.h"
#include "walk_fixture.h"

static void assert_clean(const struct image *image, const char *what)
{
	for (unsigned nthreads = 1; nthreads <= 4; nthreads += 3) {
		struct image_findings findings;

		assert_int_equal(image_walk(image, nthreads, &findings), 0);
		if (findings.stats.nfindings != 0) {
			fail_msg("%s, %u threads:\n%s", what, nthreads, findings.text);
		}
		assert_int_equal(findings.stats.nused + findings.stats.nfree + 2,
		                 findings.stats.npages);
	}
}

TEST(files_of_ditadd_and_liblmdb_have_no_findings)
{
	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		struct image image = image_new((enum image_maker)maker);
		struct image_findings findings;

		assert_clean(&image, maker == IMAGE_OURS ? "ours" : "liblmdb's");
		assert_int_equal(image_walk(&image, 2, &findings), 0);
		assert_true(findings.stats.nfree > 0);
		assert_int_equal(findings.stats.page_bytes, IMAGE_PAGE);
		image_free(&image);
	}
}

/* ---- random changes by liblmdb ---- */

static uint64_t seed = 1;

static unsigned random_number(unsigned below)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned)((seed >> 33) % below);
}

static const unsigned all_flags[] = {
	0,
	MDB_INTEGERKEY,
	MDB_REVERSEKEY,
	MDB_DUPSORT,
	MDB_DUPSORT | MDB_INTEGERKEY,
	MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP,
	MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP | MDB_INTEGERKEY,
	MDB_DUPSORT | MDB_DUPFIXED,
	MDB_DUPSORT | MDB_REVERSEDUP,
};
#define NDBS (sizeof(all_flags) / sizeof(all_flags[0]))

static void change_one(MDB_txn *txn, MDB_dbi dbi, unsigned flags, bool shrinks)
{
	static char bytes[9000];
	uint64_t number = random_number((flags & MDB_DUPSORT) != 0 ? 8 : 3000);
	uint64_t item = random_number(4000);
	MDB_val key = {sizeof(number), &number};
	MDB_val value = {sizeof(item), &item};

	if ((flags & MDB_DUPSORT) == 0) {
		value = (MDB_val){random_number(8) == 0 ? random_number(9000)
		                                        : random_number(200),
		                  bytes};
	} else if ((flags & MDB_DUPFIXED) == 0) {
		(void)snprintf(bytes, sizeof(bytes), "%0*u", 8 + (int)(item % 200),
		               (unsigned)item);
		value = (MDB_val){strlen(bytes), bytes};
	}
	if (random_number(10) < (shrinks ? 8 : 3)) {
		(void)mdb_del(txn, dbi, &key, (flags & MDB_DUPSORT) != 0 ? &value : NULL);
	} else {
		assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
	}
}

static void note_first(void *ctx, const struct dit_walk_finding *finding)
{
	char *text = ctx;

	if (text[0] != '\0') {
		return;
	}
	(void)snprintf(text, 500, "%s: %s, page %lld: %s",
	               dit_walk_kind_name(finding->kind),
	               finding->database == NULL ? "-" : finding->database,
	               (long long)finding->page, finding->text);
}

/* With LMDB's own orders, from the flags alone. */
static void assert_directory_is_clean(const char *dir, const char *what)
{
	char *path = test_text("%s/data.mdb", dir);
	char text[500] = "";
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {
		.shared.nthreads = 2, .found = note_first, .ctx = text};

	opts.fd = open(path, O_RDONLY);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(close(opts.fd), 0);
	if (stats.nfindings != 0) {
		fail_msg("%s: %llu findings; %s", what,
		         (unsigned long long)stats.nfindings, text);
	}
	assert_int_equal(stats.nused + stats.nfree + 2, stats.npages);
}

static void change_randomly(MDB_env *env, bool shrinks, bool takes_back)
{
	MDB_txn *txn = test_txn(env, 0);

	for (unsigned i = 0; i < NDBS; i++) {
		char name[20];
		MDB_dbi dbi = 0;

		(void)snprintf(name, sizeof(name), "db%u", i);
		dbi = test_dbi(txn, name, all_flags[i] | MDB_CREATE);
		for (int n = 0; n < 1500; n++) {
			change_one(txn, dbi, all_flags[i], shrinks);
		}
	}
	if (takes_back) {
		mdb_txn_abort(txn);
	} else {
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
}

TEST(files_that_liblmdb_changes_have_no_findings)
{
	for (unsigned writemap = 0; writemap < 2; writemap++) {
		char *dir = test_scratch();
		MDB_env *env = test_env(dir, MDB_NOSYNC | (writemap ? MDB_WRITEMAP : 0),
		                        256 << 20);

		assert_directory_is_clean(dir, "empty");
		for (int round = 0; round < 14; round++) {
			char what[40];

			change_randomly(env, round % 6 >= 3, round % 5 == 4);
			(void)snprintf(what, sizeof(what), "round %d, writemap %u", round,
			               writemap);
			assert_directory_is_clean(dir, what);
		}
		mdb_env_close(env);
		test_scratch_remove(dir);
	}
}

/* ---- snapshots ---- */

/* @param held  the meta page of the snapshot; is read if it is all zero */
static void walk_snapshot(const char *dir, uint64_t transaction, struct dit_meta *held)
{
	char *path = test_text("%s/data.mdb", dir);
	char text[500] = "";
	struct dit_metas metas;
	struct dit_walk_stats stats = {0};
	struct dit_walk_opts opts = {
		.state = held, .shared.nthreads = 2, .found = note_first, .ctx = text};

	opts.fd = open(path, O_RDONLY);
	if (held->magic == 0) {
		assert_int_equal(dit_metas_read(opts.fd, &dit_lmdb_09, &metas), 0);
		*held = *dit_metas_of(&metas, transaction);
	}
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(close(opts.fd), 0);
	assert_int_equal(stats.nfindings, 0);
	assert_int_equal(stats.transaction, transaction);
}

/* After the second commit both meta pages belong to later ones. */
TEST(a_held_snapshot_is_walked_after_any_commits)
{
	char *dir = test_scratch();
	MDB_env *env = test_env(dir, MDB_NOSYNC | MDB_NOTLS, 256 << 20);
	MDB_txn *reader = NULL;
	struct dit_meta held = {.magic = 0};

	for (int i = 0; i < 4; i++) {
		change_randomly(env, false, false);
	}
	reader = test_txn(env, MDB_RDONLY);
	for (int i = 0; i < 5; i++) {
		walk_snapshot(dir, mdb_txn_id(reader), &held);
		change_randomly(env, false, false);
	}
	test_abort(reader);
}

/* Without a held snapshot, another process commits during the walk's last finding. */
struct committer {
	MDB_env *env;
	unsigned nfindings;
};

static void commit_meanwhile(void *ctx, const struct dit_walk_finding *finding)
{
	struct committer *committer = ctx;

	(void)finding;
	if (committer->nfindings++ == 0) {
		change_randomly(committer->env, false, false);
	}
}

static void wrong_order(void *ctx, struct dit_span name, unsigned flags,
                        struct dit_key_orders *orders)
{
	(void)ctx;
	(void)name;
	(void)flags;
	orders->keys.kind = DIT_ORDER_BACKWARD;
}

TEST(a_commit_during_a_walk_that_holds_nothing_is_told)
{
	char *dir = test_scratch();
	char path[4200];
	struct committer committer = {.env = test_env(dir, MDB_NOSYNC, 256 << 20)};
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.shared.nthreads = 1,
	                             .order = wrong_order,
	                             .found = commit_meanwhile,
	                             .ctx = &committer};

	change_randomly(committer.env, false, false);
	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	opts.fd = open(path, O_RDONLY);
	assert_int_equal(dit_walk(&opts, &stats), -ESTALE);
	assert_true(committer.nfindings > 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(close(opts.fd), 0);
	mdb_env_close(committer.env);
}

TEST(liblmdb_is_not_given_bad_meta_pages)
{
	struct image image = image_new(IMAGE_LIBLMDB);

	for (int damage = 0; damage < 4; damage++) {
		int fd = test_nameless_file();

		if (damage == 1) {
			image_meta(&image, 1)->magic ^= 1;
		} else if (damage == 2) {
			image_meta(&image, 1)->magic ^= 1;
			image_meta(&image, 0)->free_tree.item_bytes = 0;
		} else if (damage == 3) {
			image.len = 100;
		}
		assert_int_equal(write(fd, image.bytes, image.len), image.len);
		assert_int_equal(dit_walk_has_metas(fd), damage == 0);
		assert_int_equal(close(fd), 0);
	}
	image_free(&image);
}

/* ---- no database ---- */

TEST(other_files_are_no_databases)
{
	struct image_findings findings;
	struct image image = {calloc(1, 3 * IMAGE_PAGE), 3 * IMAGE_PAGE};
	uint32_t magic = DIT_META_MAGIC;

	assert_int_equal(image_walk(&image, 1, &findings), 0);
	assert_int_equal(findings.stats.by_kind[DIT_WALK_META_MAGIC], 2);

	/* LMDB 1.0 has its magic number elsewhere. */
	memcpy(image.bytes + 24, &magic, sizeof(magic));
	assert_int_equal(image_walk(&image, 1, &findings), 0);
	assert_string_equal(findings.stats.format, "LMDB 1.0");
	assert_int_equal(findings.stats.by_kind[DIT_WALK_META_VERSION], 1);

	image.len = 0;
	assert_int_equal(image_walk(&image, 1, &findings), 0);
	assert_int_equal(findings.stats.by_kind[DIT_WALK_FILE_CUT], 1);
	image_free(&image);
}

TEST(a_file_that_cannot_be_read_is_an_error)
{
	struct dit_walk_opts opts = {.fd = -1, .shared.nthreads = 1};
	struct dit_walk_stats stats;

	assert_int_equal(dit_walk(&opts, &stats), -EBADF);
}

TEST(a_walk_can_be_stopped)
{
	static const volatile sig_atomic_t flag = 1;
	const struct dit_stop stop = {.flag = &flag};
	struct image image = image_new(IMAGE_OURS);
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.shared = {.nthreads = 2, .stop = &stop},
	                             .found = note_first};

	opts.fd = test_nameless_file();
	assert_int_equal(write(opts.fd, image.bytes, image.len), image.len);
	assert_int_equal(dit_walk(&opts, &stats), DIT_E_STOPPED);
	assert_int_equal(close(opts.fd), 0);
	image_free(&image);
}

TEST(a_brief_walk_ends_after_the_main_tree)
{
	struct image image = image_new(IMAGE_LIBLMDB);
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {
		.shared.nthreads = 1, .is_brief = true, .found = note_first};

	image_root(&image, "cn")->flags = 0;
	opts.fd = test_nameless_file();
	assert_int_equal(write(opts.fd, image.bytes, image.len), image.len);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	assert_int_equal(stats.ndatabases, 3);
	assert_true(dit_walk_is_newest(opts.fd, stats.transaction));
	assert_true(dit_walk_is_newest(opts.fd, stats.transaction + 1));
	assert_false(dit_walk_is_newest(opts.fd, stats.transaction - 1));

	assert_int_equal(ftruncate(opts.fd, 100), 0);
	assert_false(dit_walk_is_newest(opts.fd, stats.transaction));
	assert_int_equal(close(opts.fd), 0);
	image_free(&image);
}

/* ---- sizes ---- */

#define NMEMBERS_MAX 3

struct sizes {
	uint64_t nlists[NMEMBERS_MAX]; /* of cn */
	uint64_t nitems[NMEMBERS_MAX];
	uint64_t nwhole[NMEMBERS_MAX]; /* lists whose items came together */
	uint64_t ntold[NMEMBERS_MAX];  /* items */
	uint64_t longest[NMEMBERS_MAX];
	uint64_t nnames[NMEMBERS_MAX];      /* lists of dn2i */
	uint64_t nitems_told[NMEMBERS_MAX]; /* of dn2i, one by one */
	struct dit_walk_size told[3];
	unsigned nsizes;
	uint64_t npages;
};

/* The list comes first, without items. */
static void note_name(struct sizes *sizes, unsigned member,
                      const struct dit_walk_list *list)
{
	struct dit_name name;

	assert_int_equal(list->key.len, 8);
	if (!list->is_more) {
		sizes->nnames[member]++;
		assert_int_equal(list->items.len, 0);
		return;
	}
	sizes->nitems_told[member]++;
	assert_true(list->nitems == 1 || list->nitems == 6 || list->nitems == 301);
	assert_int_equal(dit_name_decode(list->items, &name), 0);
	assert_true(list->nitems > 1 || !name.is_child);
}

static void note_list(void *ctx, unsigned member, const struct dit_walk_list *list)
{
	struct sizes *sizes = ctx;

	assert_in_range(member, 0, NMEMBERS_MAX - 1);
	if (strcmp(list->name, "dn2i") == 0) {
		note_name(sizes, member, list);
		return;
	}
	assert_string_equal(list->name, "cn");
	assert_int_equal(list->key.len, 4);
	assert_in_range(list->database, 0, 1); /* after ad2i, which ours has */
	sizes->ntold[member] += list->items.len / sizeof(uint64_t);
	if (list->is_more) {
		assert_true(list->nitems == 600 || list->nitems == 1500);
		return;
	}
	sizes->nlists[member]++;
	sizes->nitems[member] += list->nitems;
	sizes->nwhole[member] += list->items.len == list->nitems * sizeof(uint64_t);
	if (list->nitems > sizes->longest[member]) {
		sizes->longest[member] = list->nitems;
	}
}

static void note_size(void *ctx, const struct dit_walk_size *size)
{
	static const char *const names[] = {"cn", "dn2i", "id2e"};
	struct sizes *sizes = ctx;
	uint64_t npages = size->nbranches + size->nleaves + size->noverflows;

	sizes->npages += npages;
	if (strcmp(size->name, "ad2i") == 0 || strcmp(size->name, "id2v") == 0) {
		assert_int_equal(size->nkeys, 0);
		return;
	}
	assert_in_range(sizes->nsizes, 0, 2);
	assert_string_equal(size->name, names[sizes->nsizes]);
	assert_true(size->used_bytes <= npages * IMAGE_PAGE);
	assert_true(size->used_bytes > npages * IMAGE_PAGE / 3);
	sizes->told[sizes->nsizes++] = *size;
}

static uint64_t sum(const uint64_t counts[NMEMBERS_MAX])
{
	return counts[0] + counts[1] + counts[2];
}

static void assert_sizes(const struct sizes *sizes)
{
	/* walk_fixture.c: 700 keys with an ID each, but for 5, 40, 600 and 1500. */
	assert_int_equal(sizes->nsizes, 3);
	assert_int_equal(sizes->told[0].nkeys, 700);
	assert_int_equal(sizes->told[0].nitems, 696 + 5 + 40 + 600 + 1500);
	assert_int_equal(sum(sizes->nlists), 700);
	assert_int_equal(sum(sizes->nitems), sizes->told[0].nitems);
	assert_int_equal(sum(sizes->ntold), sizes->told[0].nitems);
	assert_int_equal(sum(sizes->nwhole), 698); /* two lists have trees */
	assert_int_equal(sizes->told[1].nkeys, 120);
	assert_int_equal(sizes->told[1].nitems, 120 + 300 + 5);
	assert_int_equal(sum(sizes->nnames), 120);
	assert_int_equal(sum(sizes->nitems_told), 120 + 300 + 5);
	assert_int_equal(sizes->told[2].nkeys, 400);
	assert_int_equal(sizes->told[2].nitems, 400);
	/* Values of 3 pages: 7, 50, 100, 150; of 2: 200, 250 .. 400. */
	assert_int_equal(sizes->told[2].noverflows, 4 * 3 + 5 * 2);
	assert_int_equal(sizes->told[2].depth, 2);
}

TEST(sizes_of_databases_are_told)
{
	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		struct image image = image_new((enum image_maker)maker);
		int fd = test_nameless_file();

		assert_int_equal(write(fd, image.bytes, image.len), image.len);
		for (unsigned nthreads = 1; nthreads <= NMEMBERS_MAX; nthreads += 2) {
			struct sizes sizes = {.nsizes = 0};
			struct dit_walk_stats stats;
			struct dit_walk_opts opts = {.fd = fd,
			                             .shared.nthreads = nthreads,
			                             .order = image_order,
			                             .list = note_list,
			                             .size = note_size,
			                             .ctx = &sizes,
			                             .found = note_first};

			assert_int_equal(dit_walk(&opts, &stats), 0);
			assert_int_equal(stats.nfindings, 0);
			assert_sizes(&sizes);
			/* Two pages are the main tree's and the free list's. */
			assert_int_equal(sizes.npages, stats.nused - 2);
		}
		assert_int_equal(close(fd), 0);
		image_free(&image);
	}
}

TEST(every_kind_has_a_name)
{
	for (int kind = 0; kind < DIT_WALK_NKINDS; kind++) {
		const char *name = dit_walk_kind_name((enum dit_walk_kind)kind);

		assert_non_null(name);
		for (int other = 0; other < kind; other++) {
			assert_string_not_equal(
				name, dit_walk_kind_name((enum dit_walk_kind)other));
		}
	}
	assert_string_equal(dit_walk_kind_name(DIT_WALK_NKINDS), "unknown");
}
