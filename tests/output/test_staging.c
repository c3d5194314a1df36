/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load that is refused, fails or is abandoned leaves the directory as it was; and no
 * two processes get into each other's way.
 */
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/error.h"
#include "store_fixture.h"
#include "tree/page_writer.h"

/* ---- refusals ---- */

TEST(database_with_entries_is_refused_unchanged)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct stat before;
	struct stat after;

	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &before), 0);
	assert_int_equal(dit_output_new_open(&staging, &opts), DIT_E_NOTEMPTY);
	assert_null(staging);
	assert_directory_holds(dir, "data.mdb lock.mdb ");
	assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &after), 0);
	assert_int_equal(before.st_size, after.st_size);

	/* A lock file that was not there is not left there. */
	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	assert_int_equal(dit_output_new_open(&staging, &opts), DIT_E_NOTEMPTY);
	assert_directory_holds(dir, "data.mdb ");
}

/* The head of a database by OpenLDAP 2.7: 24 bytes, magic, version (storage.md 7). */
static void make_new_format(const char *dir)
{
	static const uint32_t words[] = {0, 0, 0, 0, 0, 0, 0xbeefc0de, 3};
	char page[8192] = {0};
	int fd = open(fixture_path(dir, "data.mdb"), O_WRONLY | O_CREAT, 0600);

	memcpy(page, words, sizeof(words));
	memcpy(page + 4096, words, sizeof(words));
	assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(close(fd), 0);
}

TEST(database_of_another_generation_is_named)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct dit_snapshot *snapshot = NULL;

	make_new_format(dir);
	assert_int_equal(dit_output_new_open(&staging, &opts), DIT_E_FORMAT);
	assert_int_equal(fixture_open_snapshot(&snapshot, dir),
	                 MDB_INVALID); /* no size */
	assert_directory_holds(dir, "data.mdb ");
}

static void make_env(const char *dir, const char *db)
{
	MDB_txn *txn = test_begin(dir, 0);

	if (db != NULL) {
		(void)test_dbi(txn, db, MDB_CREATE);
	}
	test_commit(txn);
}

TEST(empty_database_is_replaced)
{
	static const char *const dbs[] = {NULL, "id2e", "cn"};

	for (size_t i = 0; i < 4; i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = NULL;

		if (i < 3) {
			make_env(dir, dbs[i]);
		} else {
			int fd = open(fixture_path(dir, "data.mdb"), O_WRONLY | O_CREAT,
			              0600);

			assert_int_equal(close(fd), 0);
		}
		staging = fixture_open(dir);
		fixture_put_tree(staging, FIXTURE_VARIANT);
		(void)fixture_publish(staging);
		assert_int_equal(fixture_count(dir), 3);
		assert_directory_holds(dir, "data.mdb lock.mdb ");
		test_scratch_remove(dir);
	}
}

TEST(what_is_no_database_is_refused)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts("/nonexistent/directory");
	struct dit_record_output *staging = NULL;
	FILE *file = NULL;

	assert_int_equal(dit_output_new_open(&staging, &opts), -ENOENT);
	opts.directory = "/dev/null";
	assert_int_equal(dit_output_new_open(&staging, &opts), -ENOTDIR);

	opts.directory = dir;
	file = fopen(fixture_path(dir, "data.mdb"), "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++) {
		(void)fprintf(file, "this is not a database\n");
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(dit_output_new_open(&staging, &opts), MDB_INVALID);
	assert_directory_holds(dir, "data.mdb ");
}

TEST(second_loader_is_refused)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = fixture_open(dir);
	struct dit_record_output *second = NULL;

	fixture_put_tree(staging, FIXTURE_VARIANT);
	assert_int_equal(dit_output_new_open(&second, &opts), DIT_E_BUSY);
	assert_directory_holds(dir, "ditkit-staging lock.mdb ");
	(void)fixture_publish(staging);
	assert_int_equal(dit_output_new_open(&second, &opts), DIT_E_NOTEMPTY);
}

/* A process that opens the environment as slapd does. */
struct other {
	pid_t pid;
	int to;   /* closed: it ends */
	int from; /* gets its answer: result of mdb_env_open, number of entries */
};

struct answer {
	int rc;
	size_t nentries;
};

static void other_main(const char *directory, int from, int to)
{
	struct answer answer = {0, 0};
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_stat stat;
	char byte = 0;

	answer.rc = mdb_env_create(&env);
	(void)mdb_env_set_maxdbs(env, 4);
	answer.rc = mdb_env_open(env, directory, 0, 0600);
	if (answer.rc == 0 && mdb_txn_begin(env, NULL, 0, &txn) == 0) {
		if (mdb_dbi_open(txn, "id2e", 0, &dbi) == 0 &&
		    mdb_stat(txn, dbi, &stat) == 0) {
			answer.nentries = stat.ms_entries;
		}
		/* A real change, to see that both agree on the newest transaction. */
		if (mdb_dbi_open(txn, "other", MDB_CREATE, &dbi) != 0 ||
		    mdb_txn_commit(txn) != 0) {
			answer.rc = -1;
		}
	}
	(void)!write(from, &answer, sizeof(answer));
	(void)!read(to, &byte, 1);
	_exit(0);
}

static struct other other_start(const char *directory)
{
	struct other other;
	int to[2];
	int from[2];

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	other.pid = test_fork();
	if (other.pid == 0) {
		(void)close(to[1]);
		(void)close(from[0]);
		other_main(directory, from[1], to[0]);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	other.to = to[1];
	other.from = from[0];
	return other;
}

static struct answer other_answer(const struct other *other)
{
	struct answer answer;

	assert_int_equal(read(other->from, &answer, sizeof(answer)), sizeof(answer));
	return answer;
}

static void other_end(struct other *other)
{
	(void)close(other->to);
	(void)close(other->from);
	assert_int_equal(test_wait(other->pid), 0);
}

/* Wait until the process sleeps in fcntl(); best effort. */
static void other_wait_for_lock(const struct other *other)
{
	char path[64];
	char text[64] = "";

	(void)snprintf(path, sizeof(path), "/proc/%d/wchan", (int)other->pid);
	for (int i = 0; i < 100 && strstr(text, "lock") == NULL; i++) {
		FILE *file = fopen(path, "r");

		(void)usleep(10000);
		if (file != NULL) {
			text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
			(void)fclose(file);
		}
	}
}

TEST(open_environment_is_busy)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	struct other other = other_start(dir);

	assert_int_equal(other_answer(&other).rc, 0);
	assert_int_equal(dit_output_new_open(&staging, &opts), DIT_E_BUSY);
	assert_directory_holds(dir, "data.mdb lock.mdb ");
	other_end(&other);
	staging = fixture_open(dir);
	fixture_abandon(staging);
}

TEST(process_that_waits_gets_the_finished_database)
{
	/* Without and with a lock file that an older database has left. */
	for (int is_old = 0; is_old < 2; is_old++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = NULL;
		struct other other;
		struct answer answer;

		if (is_old) {
			for (int i = 0; i < 5; i++) {
				make_env(dir, i % 2 == 0 ? "a" : "b");
			}
			assert_int_equal(unlink(fixture_path(dir, "data.mdb")), 0);
		}
		staging = fixture_open(dir);
		other = other_start(dir);
		other_wait_for_lock(&other);
		fixture_put_tree(staging, FIXTURE_VARIANT);
		(void)fixture_publish(staging);
		answer = other_answer(&other);
		other_end(&other);

		assert_int_equal(answer.rc, 0);
		assert_int_equal(answer.nentries, 3);
		assert_int_equal(fixture_count(dir), 3);
		test_scratch_remove(dir);
	}
}

/* With the old database, if there is one. */
TEST(process_that_waits_goes_on_after_an_abandoned_load)
{
	for (int is_old = 0; is_old < 2; is_old++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = NULL;
		struct other other;

		if (is_old) {
			make_env(dir, NULL);
		}
		staging = fixture_open(dir);
		other = other_start(dir);
		other_wait_for_lock(&other);
		fixture_abandon(staging);
		assert_int_equal(other_answer(&other).rc == 0, is_old);
		other_end(&other);

		other = other_start(dir);
		assert_int_equal(other_answer(&other).rc, 0);
		other_end(&other);
		test_scratch_remove(dir);
	}
}

/* ---- failures ---- */

TEST(abandoned_load_leaves_no_trace)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	fixture_abandon(staging);
	assert_directory_holds(dir, "");
	staging = fixture_open(dir);
	fixture_put_tree(staging, FIXTURE_VARIANT);
	fixture_abandon(staging);
	assert_directory_holds(dir, "");
	fixture_abandon(NULL);
}

TEST(what_a_killed_load_left_is_removed)
{
	char *dir = test_scratch();
	pid_t pid = test_fork();
	struct dit_record_output *staging = NULL;
	int fd = -1;

	if (pid == 0) {
		staging = fixture_open(dir);
		fixture_put_tree(staging, FIXTURE_VARIANT);
		(void)raise(SIGKILL);
	}
	assert_true(WIFSIGNALED(test_wait(pid)));
	assert_directory_holds(dir, "ditkit-staging lock.mdb ");
	fd = open(fixture_path(dir, "ditkit-staging/something else"), O_CREAT | O_WRONLY,
	          0600);
	assert_int_equal(close(fd), 0);

	staging = fixture_open(dir);
	assert_directory_holds(fixture_path(dir, "ditkit-staging"), "data.mdb ");
	fixture_put_tree(staging, FIXTURE_VARIANT);
	(void)fixture_publish(staging);
	assert_directory_holds(dir, "data.mdb lock.mdb ");
	assert_int_equal(fixture_count(dir), 3);
}

TEST(staging_directory_that_is_a_link_is_not_followed)
{
	char *dir = test_scratch();
	char *elsewhere = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	int fd = open(fixture_path(elsewhere, "precious"), O_CREAT | O_WRONLY, 0600);

	assert_int_equal(close(fd), 0);
	assert_int_equal(symlink(elsewhere, fixture_path(dir, "ditkit-staging")), 0);
	assert_true(dit_output_new_open(&staging, &opts) < 0);
	assert_directory_holds(elsewhere, "precious ");
}

static int put_ad_twice(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
	return dit_output_put_ad(staging, 1, DIT_SPAN("sn"));
}

static int add_index_twice(struct dit_record_output *staging)
{
	assert_int_equal(fixture_add_index(staging, "cn", true), 0);
	return fixture_add_index(staging, "cn", true);
}

static int add_index_of_a_fixed_name(struct dit_record_output *staging)
{
	return fixture_add_index(staging, "id2e", false);
}

static int put_entry_twice(struct dit_record_output *staging)
{
	void *space = NULL;

	assert_int_equal(dit_output_reserve_entry(staging, 7, 0, &space), 0);
	return dit_output_reserve_entry(staging, 7, 0, &space);
}

static int put_ad_too_late(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_begin_changes(staging), 0);
	return dit_output_put_ad(staging, 1, DIT_SPAN("cn"));
}

static int put_entry_too_late(struct dit_record_output *staging)
{
	void *space = NULL;

	assert_int_equal(dit_output_begin_changes(staging), 0);
	return dit_output_reserve_entry(staging, 1, 8, &space);
}

static int replace_too_early(struct dit_record_output *staging)
{
	void *space = NULL;

	assert_int_equal(dit_output_reserve_entry(staging, 1, 0, &space), 0);
	return dit_output_replace_entry(staging, 1, DIT_SPAN("record"));
}

static int begin_changes_twice(struct dit_record_output *staging)
{
	assert_int_equal(dit_output_begin_changes(staging), 0);
	return dit_output_begin_changes(staging);
}

TEST(what_cannot_be_put_is_an_error)
{
	static const struct {
		const char *name;
		int (*put)(struct dit_record_output *staging);
		int error;
	} cases[] = {
		{"attribute number put twice", put_ad_twice, MDB_KEYEXIST},
		{"index added twice", add_index_twice, DIT_E_DUPLICATE},
		{"index named as a fixed database", add_index_of_a_fixed_name,
	         DIT_E_DUPLICATE},
		{"entry put twice", put_entry_twice, MDB_KEYEXIST},
		{"number too late", put_ad_too_late, -EINVAL},
		{"entry too late", put_entry_too_late, -EINVAL},
		{"change too early", replace_too_early, -EINVAL},
		{"changes begun twice", begin_changes_twice, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);
		int r = cases[i].put(staging);

		if (r != cases[i].error) {
			print_error("%s: %d\n", cases[i].name, r);
			fail();
		}
		fixture_abandon(staging);
		assert_directory_holds(dir, "");
		test_scratch_remove(dir);
	}
}

static void next_numbers(void *ctx, char *out, size_t len)
{
	uint32_t *seed = ctx;

	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		out[i] = (char)(*seed >> 24);
	}
}

/* As next_numbers() makes them. */
static bool is_record(const MDB_val *record, uint32_t seed, size_t len)
{
	char *want = malloc(len);
	bool is_same = false;

	assert_non_null(want);
	next_numbers(&seed, want, len);
	is_same = record->mv_size == len && memcmp(record->mv_data, want, len) == 0;
	free(want);
	return is_same;
}

/* Inside a leaf, in a chunk, all of a chunk, a byte more, several chunks, and one byte
 * more or less than those. Small records stand between them. */
static const size_t piece_sizes[] = {
	100,
	3000,
	20000,
	DIT_CHUNK_BYTES - 16,
	DIT_CHUNK_BYTES - 15,
	DIT_CHUNK_BYTES,
	3 * DIT_CHUNK_BYTES - 17,
	3 * DIT_CHUNK_BYTES - 16,
	3 * DIT_CHUNK_BYTES - 15,
	3 * DIT_CHUNK_BYTES + 4080,
};
#define NPIECES (sizeof(piece_sizes) / sizeof(piece_sizes[0]))

static void put_pieces(struct dit_record_output *staging)
{
	for (uint64_t i = 0; i < NPIECES; i++) {
		uint32_t seed = (uint32_t)i;
		const struct dit_pieces pieces = {.next = next_numbers, .ctx = &seed};

		assert_int_equal(dit_output_put_entry_pieces(staging, 2 * i + 1,
		                                             piece_sizes[i], &pieces),
		                 0);
		fixture_put_entry(staging, 2 * i + 2, "small", 5);
	}
}

TEST(records_in_pieces_are_read_by_liblmdb)
{
	for (int has_writer = 0; has_writer < 2; has_writer++) {
		char *dir = test_scratch();
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_page_writer *writer = NULL;
		struct dit_record_output *staging = NULL;
		MDB_txn *txn = NULL;
		MDB_dbi dbi = 0;

		if (has_writer != 0) {
			assert_int_equal(dit_page_writer_new(&writer, true), 0);
		}
		opts.shared.page_writer = writer;
		opts.maxsize_bytes = 1u << 30;
		assert_int_equal(dit_output_new_open(&staging, &opts), 0);
		put_pieces(staging);
		(void)fixture_publish(staging);
		dit_page_writer_free(writer);
		txn = test_begin(dir, MDB_RDONLY);
		dbi = test_dbi(txn, "id2e", 0);
		for (uint64_t i = 0; i < NPIECES; i++) {
			uint64_t id = 2 * i + 1;
			MDB_val key = {sizeof(id), &id};
			MDB_val record;

			assert_int_equal(mdb_get(txn, dbi, &key, &record), 0);
			assert_true(is_record(&record, (uint32_t)i, piece_sizes[i]));
			id++;
			assert_int_equal(mdb_get(txn, dbi, &key, &record), 0);
			assert_int_equal(record.mv_size, 5);
		}
		test_abort(txn);
		test_scratch_remove(dir);
	}
}

/* Put until it fails; the limit is far below what this would need. */
static int fill_up(struct dit_record_output *staging, size_t len)
{
	void *space = NULL;
	int r = 0;

	for (uint64_t id = 1; r == 0 && id * len < 1u << 30; id++) {
		uint32_t seed = 1;
		const struct dit_pieces pieces = {.next = next_numbers, .ctx = &seed};

		if (id % 2 == 0) {
			r = dit_output_put_entry_pieces(staging, id, len, &pieces);
			continue;
		}
		r = dit_output_reserve_entry(staging, id, len, &space);
		if (r == 0) {
			memset(space, 'x', len);
		}
	}
	return r;
}

/* A directory on a disk of its own, if we may have one; *state stays NULL otherwise. */
static int small_disk_setup(void **state)
{
	char *dir = test_scratch();

	if (mount("none", dir, "tmpfs", 0, "size=20m,mode=755") != 0) {
		test_scratch_remove(dir);
		return 0;
	}
	*state = dir;
	return 0;
}

static int small_disk_teardown(void **state)
{
	if (*state != NULL) {
		(void)umount2(*state, MNT_DETACH);
		test_scratch_remove(*state);
	}
	return 0;
}

TEST_WITH(full_disk_is_an_error_and_the_old_database_stays, small_disk_setup,
          small_disk_teardown)
{
	static const size_t sizes[] = {600, 3000, 100000, 30u << 20};
	const char *dir = *state;
	struct dit_record_output *staging = NULL;
	uint64_t bytes = 0;
	struct stat before;
	struct stat after;

	if (dir == NULL) {
		skip_because("only root may mount a small disk");
	}
	make_env(dir, "id2e");
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &before), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		staging = fixture_open(dir);
		assert_int_equal(fill_up(staging, sizes[i]), -ENOSPC);
		assert_int_equal(fixture_end(staging, &bytes), -ENOSPC);
		assert_directory_holds(dir, "data.mdb lock.mdb ");
		assert_int_equal(stat(fixture_path(dir, "data.mdb"), &after), 0);
		assert_int_equal(before.st_ino, after.st_ino);
	}
}

TEST_WITH(almost_full_disk_is_enough, small_disk_setup, small_disk_teardown)
{
	static const char bytes[900] = "";
	const char *dir = *state;
	struct dit_record_output *staging = NULL;

	if (dir == NULL) {
		skip_because("only root may mount a small disk");
	}
	staging = fixture_open(dir);
	for (uint64_t id = 1; id <= 19000; id++) {
		fixture_put_entry(staging, id, bytes, sizeof(bytes));
	}
	assert_true(fixture_publish(staging) > 18u << 20);
	assert_int_equal(fixture_count(dir), 19000);
}

TEST(file_size_limit_is_an_error_and_no_signal)
{
	char *dir = test_scratch();
	pid_t pid = test_fork();

	if (pid == 0) {
		const struct rlimit limit = {10000001, 10000001};
		struct dit_record_output *staging = fixture_open(dir);
		uint64_t bytes = 0;
		sigset_t pending;

		(void)signal(SIGXFSZ, SIG_DFL);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
		    fill_up(staging, 600) != -EFBIG ||
		    fixture_end(staging, &bytes) != -EFBIG) {
			_exit(1);
		}
		_exit(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ) ? 0
		                                                                   : 2);
	}
	assert_int_equal(test_wait(pid), 0);
	assert_directory_holds(dir, "");
}

TEST(failed_rename_leaves_the_directory_as_it_was)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	uint64_t bytes = 0;

	fixture_put_tree(staging, FIXTURE_VARIANT);
	/* A directory of that name cannot be replaced by a file. */
	assert_int_equal(mkdir(fixture_path(dir, "data.mdb"), 0700), 0);
	assert_int_equal(fixture_end(staging, &bytes), -EISDIR);
	assert_directory_holds(dir, "data.mdb ");
}
