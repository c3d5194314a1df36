/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a database directory: what is no plain file or directory of the right owner is
 * refused, with a text, and nothing that a link leads to is touched.
 */
#include "files/files.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "output/store_fixture.h"
#include "page/page_format.h"

#define NOBODY 65534

/* ---- what the system says, changed ---- */

static bool has_no_proc;
static mode_t staging_mode;         /* 0: as it is */
static const char *staging_instead; /* NULL: none is put there instead */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_mkdirat(int dir_fd, const char *name, mode_t mode);
int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode);

int __wrap_access(const char *path, int mode)
{
	if (has_no_proc && strncmp(path, "/proc/", 6) == 0) {
		errno = ENOENT;
		return -1;
	}
	return __real_access(path, mode);
}

/* As if somebody exchanged the directory as soon as it is there. */
int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode)
{
	int r = __real_mkdirat(dir_fd, name, mode);

	if (r == 0 && staging_mode != 0) {
		assert_int_equal(fchmodat(dir_fd, name, staging_mode, 0), 0);
	}
	if (r == 0 && staging_instead != NULL) {
		assert_int_equal(
			renameat2(dir_fd, staging_instead, dir_fd, name, RENAME_EXCHANGE),
			0);
	}
	return r;
}

/* ---- helpers ---- */

static void assert_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, file), strlen(text));
	assert_int_equal(fclose(file), 0);
	assert_string_equal(got, text);
}

#define assert_says(fault, part)                                                         \
 do {                                                                                    \
  if (strstr((fault).text, part) == NULL) {                                              \
   fail_msg("\"%s\" does not say \"%s\"", (fault).text, part);                           \
  }                                                                                      \
 } while (0)

static int open_snapshot(struct dit_snapshot **ret, const char *dir,
                         struct dit_fault *fault)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1, .lmdb.fault = fault};

	return dit_snapshot_open_readers(ret, dir, &opts);
}

/* All ways to open a database of that directory: the same result, and the same words. */
static void assert_refused(const char *dir, int result, const char *part)
{
	struct dit_fault fault = {""};
	struct dit_output_opts new_opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct dit_record_output *merged = NULL;
	struct dit_snapshot *snapshot = NULL;

	new_opts.fault = &fault;
	assert_int_equal(dit_output_new_open(&staging, &new_opts), result);
	assert_says(fault, part);
	fault.text[0] = '\0';
	assert_int_equal(dit_output_merged_open(&merged, &new_opts), result);
	assert_says(fault, part);
	fault.text[0] = '\0';
	assert_int_equal(open_snapshot(&snapshot, dir, &fault), result);
	assert_says(fault, part);
	/* The words are no must. */
	new_opts.fault = NULL;
	assert_int_equal(dit_output_new_open(&staging, &new_opts), result);
}

/* ---- the directory ---- */

TEST(directory_is_opened_also_by_a_link_of_ours)
{
	char *dir = test_scratch();
	char *link = test_scratch();
	struct dit_fault fault = {""};
	int fd = -1;

	fd = dit_directory_open(dir, &fault);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);

	assert_int_equal(symlink(dir, fixture_path(link, "absolute")), 0);
	fd = dit_directory_open(fixture_path(link, "absolute"), &fault);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);

	assert_int_equal(mkdir(fixture_path(link, "below"), 0700), 0);
	assert_int_equal(symlink("below", fixture_path(link, "relative")), 0);
	fd = dit_directory_open(fixture_path(link, "relative"), &fault);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_string_equal(fault.text, "");

	assert_int_equal(symlink("nowhere", fixture_path(link, "dangling")), 0);
	assert_int_equal(dit_directory_open(fixture_path(link, "dangling"), &fault),
	                 -ENOENT);
	test_write_text(fixture_path(link, "file"), "");
	assert_int_equal(dit_directory_open(fixture_path(link, "file"), &fault),
	                 -ENOTDIR);
	assert_int_equal(dit_directory_open(fixture_path(link, "none"), &fault), -ENOENT);
}

TEST(link_that_another_user_can_exchange_is_not_followed)
{
	char *dir = test_scratch();

	if (geteuid() != 0) {
		test_scratch_remove(dir);
		print_message("only root can give a directory away\n");
		skip();
	}
	assert_int_equal(mkdir(fixture_path(dir, "below"), 0700), 0);
	assert_int_equal(mkdir(fixture_path(dir, "below/db"), 0700), 0);
	assert_int_equal(symlink("below", fixture_path(dir, "link")), 0);
	assert_int_equal(chown(dir, NOBODY, NOBODY), 0);
	assert_refused(fixture_path(dir, "link/db"), -ELOOP,
	               "\"link\" is a symbolic link and not followed");
	assert_refused(fixture_path(dir, "link"), -ELOOP, "belongs to user 65534");
	assert_directory_holds(fixture_path(dir, "below/db"), "");
}

/* ---- data.mdb and lock.mdb ---- */

TEST(link_in_the_place_of_a_file_is_refused)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};

	for (size_t i = 0; i < 2; i++) {
		char *dir = fixture_published();
		char *other = test_scratch();
		char words[64];

		(void)snprintf(words, sizeof(words), "%s is a symbolic link", names[i]);
		test_write_text(fixture_path(other, "text"), "not a database");
		assert_int_equal(unlink(fixture_path(dir, names[i])), 0);
		{
			char *target = strdup(fixture_path(other, "text"));

			assert_int_equal(symlink(target, fixture_path(dir, names[i])), 0);
			free(target);
		}
		assert_refused(dir, -ELOOP, words);
		assert_text(fixture_path(other, "text"), "not a database");

		/* It makes no difference whether there is something at its end. */
		assert_int_equal(unlink(fixture_path(other, "text")), 0);
		assert_refused(dir, -ELOOP, words);
		assert_directory_holds(other, "");
		assert_directory_holds(dir, "data.mdb lock.mdb ");
		test_scratch_remove(other);
		test_scratch_remove(dir);
	}
}

static void make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
	                             path) < sizeof(address.sun_path));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(close(fd), 0);
}

TEST(what_is_no_regular_file_is_refused)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};

	for (size_t i = 0; i < 6; i++) {
		char *dir = fixture_published();
		const char *name = names[i % 2];
		char words[64];

		(void)snprintf(words, sizeof(words), "%s is no regular file", name);
		assert_int_equal(unlink(fixture_path(dir, name)), 0);
		if (i / 2 == 0) {
			assert_int_equal(mkfifo(fixture_path(dir, name), 0600), 0);
		} else if (i / 2 == 1) {
			assert_int_equal(mkdir(fixture_path(dir, name), 0700), 0);
		} else {
			make_socket(fixture_path(dir, name));
		}
		assert_refused(dir, -EINVAL, words);
		assert_directory_holds(dir, "data.mdb lock.mdb ");
		test_scratch_remove(dir);
	}
}

/* A hard link to a file of another user, where the system lets users make those. */
TEST(second_name_of_a_foreign_file_is_refused)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};

	if (geteuid() != 0) {
		print_message("only root can make a directory of another user\n");
		skip();
	}
	for (size_t i = 0; i < 2; i++) {
		char *dir = fixture_published();
		char *file = strdup(fixture_path(dir, names[i]));
		int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct dit_fault fault = {""};
		int fd = -1;

		assert_int_equal(link(file, fixture_path(dir, "second")), 0);
		/* In a user's own directory that is allowed. */
		fd = dit_file_open(dir_fd, names[i], O_RDWR, &fault);
		assert_true(fd >= 0);
		assert_int_equal(close(fd), 0);
		assert_int_equal(chown(dir, NOBODY, NOBODY), 0);
		assert_int_equal(dit_file_open(dir_fd, names[i], O_RDWR, &fault),
		                 -EINVAL);
		assert_says(fault, "is a hard link of a file elsewhere");
		assert_int_equal(unlink(fixture_path(dir, "second")), 0);
		fd = dit_file_open(dir_fd, names[i], O_RDWR, &fault);
		assert_true(fd >= 0);
		assert_int_equal(close(fd), 0);
		assert_int_equal(close(dir_fd), 0);
		free(file);
		test_scratch_remove(dir);
	}
}

/* ---- files that are cut off ---- */

TEST(file_that_is_cut_off_is_refused)
{
	static const off_t sizes[] = {2, 3, 4, 0 /* all but the last */};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *dir = fixture_published();
		char words[96];
		struct stat st;
		off_t size = 0;

		assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
		size = sizes[i] == 0 ? st.st_size - 4096 : sizes[i] * 4096;
		assert_true(size < st.st_size);
		assert_int_equal(truncate(fixture_path(dir, "data.mdb"), size), 0);
		(void)snprintf(words, sizeof(words),
		               "data.mdb is cut off: it has %lld bytes, its meta pages "
		               "count %lld",
		               (long long)size, (long long)st.st_size);
		assert_refused(dir, DIT_E_CORRUPT, words);
		test_scratch_remove(dir);
	}
}

/* @param at  in struct dit_meta */
static void put_in_meta(const char *path, unsigned page, size_t at, const void *bytes,
                        size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	at += (size_t)page * 4096 + dit_lmdb_09.header_bytes;
	assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
	assert_int_equal(close(fd), 0);
}

/* One would be divided by it. */
TEST(pages_without_a_size_are_refused)
{
	static const uint32_t sizes[] = {0, 1, 4095, 8192, UINT32_MAX};

	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *dir = fixture_published();
		struct dit_fault fault = {""};
		struct dit_snapshot *snapshot = NULL;
		int r = 0;

		put_in_meta(fixture_path(dir, "data.mdb"), i % 2,
		            offsetof(struct dit_meta, free_tree) +
		                    offsetof(struct dit_tree_record, item_bytes),
		            &sizes[i / 2], sizeof(sizes[0]));
		r = open_snapshot(&snapshot, dir, &fault);
		/* Where the first meta page says 8192, there is no second one. */
		if (sizes[i / 2] == 8192 && i % 2 == 0) {
			assert_int_equal(r, MDB_VERSION_MISMATCH);
		} else {
			assert_int_equal(r, DIT_E_CORRUPT);
			assert_non_null(
				strstr(fault.text, "the meta pages give no size"));
		}
		test_scratch_remove(dir);
	}
}

/* Only what is in use is mapped. */
TEST(map_larger_than_the_address_space_is_not_made)
{
	static const uint64_t sizes[] = {0, 1, 1ull << 48, 1ull << 60, UINT64_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *dir = fixture_published();

		for (unsigned page = 0; page < 2; page++) {
			put_in_meta(fixture_path(dir, "data.mdb"), page,
			            offsetof(struct dit_meta, map_bytes), &sizes[i],
			            sizeof(sizes[i]));
		}
		assert_int_equal(fixture_count(dir), 3);
		test_scratch_remove(dir);
	}
}

static uint64_t draw(uint64_t *random, uint64_t n)
{
	return (test_random(random) >> 11) % n;
}

static void change_at_random(MDB_txn *txn, uint64_t *random)
{
	static char bytes[60000];
	MDB_dbi dbi = test_dbi(txn, "x", MDB_CREATE);

	for (uint64_t n = draw(random, 40); n > 0; n--) {
		char text[16];
		MDB_val key = {0, text};
		MDB_val value = {0, bytes};

		key.mv_size = (size_t)snprintf(text, sizeof(text), "%u",
		                               (unsigned)draw(random, 200));
		value.mv_size = draw(random, draw(random, 4) == 0 ? 60000 : 300);
		if (draw(random, 2) == 0) {
			assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
		} else {
			(void)mdb_del(txn, dbi, &key, NULL);
		}
	}
}

/*
 * Random changes, until, with luck, pages at the end were given back before they were
 * written.
 */
static uint64_t make_short_file(const char *dir, uint64_t seed)
{
	uint64_t random = 88172645463325252u + seed;
	MDB_env *env = test_env(dir, MDB_NOSYNC, 1u << 28);
	MDB_envinfo info;
	struct stat st = {.st_size = 0};
	uint64_t npages = 0;

	for (int i = 0; i < 1500 && (uint64_t)st.st_size / 4096 >= npages; i++) {
		MDB_txn *txn = test_txn(env, 0);

		change_at_random(txn, &random);
		assert_int_equal(mdb_txn_commit(txn), 0);
		assert_int_equal(mdb_env_info(env, &info), 0);
		assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
		npages = info.me_last_pgno + 1;
	}
	mdb_env_close(env);
	return npages;
}

TEST(file_that_ends_in_free_pages_is_whole)
{
	char *dir = test_scratch();
	uint64_t npages = 0;
	struct dit_snapshot *snapshot = NULL;
	struct stat st = {.st_size = 0};

	for (uint64_t seed = 0; (uint64_t)st.st_size / 4096 >= npages; seed++) {
		assert_true(seed < 40);
		(void)unlink(fixture_path(dir, "data.mdb"));
		(void)unlink(fixture_path(dir, "lock.mdb"));
		npages = make_short_file(dir, seed);
		assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
	}
	assert_int_equal(open_snapshot(&snapshot, dir, NULL), 0);
	dit_snapshot_close(snapshot);

	assert_int_equal(truncate(fixture_path(dir, "data.mdb"), st.st_size / 2), 0);
	assert_refused(dir, DIT_E_CORRUPT, "data.mdb is cut off");
}

/* ---- the staging directory ---- */

TEST(other_things_called_staging_are_named)
{
	for (int kind = 0; kind < 4; kind++) {
		char *dir = test_scratch();
		struct dit_fault fault = {""};
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_record_output *staging = NULL;
		int r = 0;

		opts.fault = &fault;
		if (kind == 0) {
			test_write_text(fixture_path(dir, "ditkit-staging"), "text");
		} else if (kind == 1) {
			r = symlink("/", fixture_path(dir, "ditkit-staging"));
		} else if (kind == 2) {
			r = mkfifo(fixture_path(dir, "ditkit-staging"), 0600);
		} else {
			r = mkdir(fixture_path(dir, "ditkit-staging"), 0700);
			assert_int_equal(r, 0);
			r = mkdir(fixture_path(dir, "ditkit-staging/below"), 0700);
		}
		assert_int_equal(r, 0);
		assert_true(dit_output_new_open(&staging, &opts) < 0);
		assert_says(
			fault,
			kind < 3
				? "ditkit-staging in it is no directory"
				: "ditkit-staging/below in it is a directory: remove it");
		assert_directory_holds(dir, "ditkit-staging ");
		test_scratch_remove(dir);
	}
}

TEST(staging_directory_that_others_can_write_in_is_refused)
{
	char *dir = test_scratch();
	struct dit_fault fault = {""};
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;

	opts.fault = &fault;
	staging_mode = 0777;
	assert_int_equal(dit_output_new_open(&staging, &opts), -EPERM);
	staging_mode = 0;
	assert_says(fault, "mode 0777: somebody has put it there");
	staging = fixture_open(dir);
	fixture_abandon(staging);
	assert_directory_holds(dir, "");
}

/* There, another user could exchange files. */
TEST(root_works_where_it_is_alone)
{
	static const mode_t shared[] = {0770, 0703, 01777};
	char *dir = test_scratch();

	if (geteuid() != 0) {
		test_scratch_remove(dir);
		skip_because("only root can make a directory of another user");
	}
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		assert_int_equal(chmod(dir, shared[i]), 0);
		assert_refused(dir, -EPERM, "root does not work there");
	}
	assert_int_equal(chmod(dir, 0755), 0);
	fixture_abandon(fixture_open(dir));
	assert_int_equal(mkdir(fixture_path(dir, "below"), 0700), 0);
	assert_int_equal(chown(dir, NOBODY, NOBODY), 0);
	assert_refused(dir, -EPERM, "it belongs to user 65534, mode 0755");
	assert_refused(fixture_path(dir, "below"), -EPERM,
	               "a directory on the way belongs to user 65534");
	assert_directory_holds(dir, "below ");
}

TEST(directory_that_takes_the_place_of_ours_is_not_emptied)
{
	char *dir = test_scratch();
	struct dit_fault fault = {""};
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;

	opts.fault = &fault;
	assert_int_equal(mkdir(fixture_path(dir, "backup"), 0700), 0);
	test_write_text(fixture_path(dir, "backup/lock.mdb"), "precious");
	staging_instead = "backup";
	assert_int_equal(dit_output_new_open(&staging, &opts), -EPERM);
	staging_instead = NULL;
	assert_says(fault,
	            "ditkit-staging in it is not empty: somebody has put it there");
	assert_text(fixture_path(dir, "ditkit-staging/lock.mdb"), "precious");
}

TEST(merge_puts_lock_mdb_in_order)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *merged = NULL;
	struct stat st;

	assert_int_equal(truncate(fixture_path(dir, "lock.mdb"), 0), 0);
	test_write_text(fixture_path(dir, "ditkit-staging"), "");
	assert_int_equal(dit_output_merged_open(&merged, &opts), 0);
	dit_output_abandon(&merged->base);
	assert_directory_holds(dir, "data.mdb ditkit-staging lock.mdb ");
	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &st), 0);
	assert_int_equal(st.st_size, 8192);
	assert_int_equal(fixture_count(dir), 3);
}

/* ---- /proc ---- */

TEST(liblmdb_alone_needs_proc)
{
	char *empty = test_scratch();
	char *dir = fixture_published();
	struct dit_fault fault = {""};
	struct dit_output_opts opts = fixture_opts(empty);
	struct dit_record_output *staging = NULL;

	opts.fault = &fault;
	has_no_proc = true;
	assert_int_equal(dit_output_new_open(&staging, &opts), -ENOSYS);
	assert_says(fault, "/proc is not mounted");
	/* Pages are written to the open file, and read from it. */
	opts.directory = dir;
	assert_int_equal(dit_output_merged_open(&staging, &opts), 0);
	dit_output_abandon(&staging->base);
	assert_int_equal(fixture_count(dir), 3);
	has_no_proc = false;
	assert_directory_holds(empty, "");
	assert_directory_holds(dir, "data.mdb lock.mdb ");
}
