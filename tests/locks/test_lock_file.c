/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of lock.mdb when a claim on a database ends: what its first process makes,
 * so that a slapd that waits can go on with it.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "files/files.h"
#include "locks/claim.h"
#include "locks/lock_file.h"
#include "output/store_fixture.h"
#include "page/meta_pages.h"

#define LOCK_BYTES 8192

/* As slapd 2.5.13 and 2.7.0 leave it on this kind of machine. */
static const uint32_t head_words[][2] = {{0xbeefc0de, 0x00010001},
                                         {0xbeefc0de, 0x2c2f6002}};

static uint64_t last_transaction(const char *dir)
{
	int fd = open(fixture_path(dir, "data.mdb"), O_RDONLY);
	struct dit_metas metas;

	assert_true(fd >= 0);
	assert_int_equal(dit_metas_read(fd,
	                                fixture_is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09,
	                                &metas),
	                 0);
	assert_int_equal(close(fd), 0);
	/* This is how LMDB finds the page that counts. */
	assert_int_equal(dit_metas_newest(&metas)->transaction & 1, metas.newest);
	return dit_metas_newest(&metas)->transaction;
}

/* Another process can lock what lies there. */
static void assert_mutex(void *place)
{
	pthread_mutex_t *mutex = place;
	pid_t pid = test_fork();

	if (pid == 0) {
		/* It dies with the mutex locked. */
		_exit(pthread_mutex_lock(mutex));
	}
	assert_int_equal(test_wait(pid), 0);
	assert_int_equal(pthread_mutex_lock(mutex), EOWNERDEAD);
	assert_int_equal(pthread_mutex_consistent(mutex), 0);
	assert_int_equal(pthread_mutex_unlock(mutex), 0);
}

static void assert_set_up(const char *dir)
{
	int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);
	uint64_t transaction = last_transaction(dir);
	struct stat st;
	char *map = NULL;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, LOCK_BYTES);
	map = mmap(NULL, LOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_memory_equal(map, head_words[fixture_is_lmdb_10], sizeof(head_words[0]));
	assert_memory_equal(map + (fixture_is_lmdb_10 ? 8 : 48), &transaction,
	                    sizeof(transaction));
	for (size_t i = 128; i < LOCK_BYTES; i++) {
		assert_int_equal(map[i], 0);
	}
	assert_mutex(map + (fixture_is_lmdb_10 ? 24 : 8));
	assert_mutex(map + 64);
	assert_int_equal(munmap(map, LOCK_BYTES), 0);
	assert_int_equal(close(fd), 0);
}

static void spoil(const char *dir, off_t len)
{
	char bytes[LOCK_BYTES];
	int fd = open(fixture_path(dir, "lock.mdb"), O_RDWR | O_TRUNC);

	memset(bytes, 0x55, sizeof(bytes));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, (size_t)len), len);
	assert_int_equal(close(fd), 0);
}

static off_t size_of(const char *dir)
{
	struct stat st;

	return stat(fixture_path(dir, "lock.mdb"), &st) == 0 ? st.st_size : -1;
}

static struct dit_claim take(const char *dir)
{
	struct dit_claim claim;

	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	return claim;
}

/* A database without records, which a new one may replace. */
static char *make_empty(void)
{
	char *dir = test_scratch();

	(void)fixture_publish(fixture_open(dir));
	return dir;
}

/* Whatever was in it before, also of another generation of LMDB. */
TEST(a_new_database_has_it)
{
	char *dir = make_empty();
	struct dit_record_output *staging = NULL;
	struct dit_output_opts opts = fixture_opts(dir);
	uint64_t n = 0;

	assert_set_up(dir);
	spoil(dir, LOCK_BYTES);
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_int_equal(fixture_end(staging, &n), 0);
	assert_set_up(dir);
}

TEST(the_old_database_has_it_when_a_load_is_given_up)
{
	char *dir = make_empty();
	struct dit_record_output *staging = NULL;
	struct dit_output_opts opts = fixture_opts(dir);

	spoil(dir, LOCK_BYTES);
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	fixture_abandon(staging);
	assert_set_up(dir);

	/* One that was not there is not there afterwards. */
	assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_int_equal(size_of(dir), 0);
	fixture_abandon(staging);
	assert_int_equal(size_of(dir), -1);
}

/* A process that is killed after the rename leaves nothing of the old file's state. */
TEST(it_is_empty_before_the_file_is_in_place)
{
	char *dir = make_empty();
	struct dit_record_output *staging = NULL;
	struct dit_output_opts opts = fixture_opts(dir);

	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_PREPARE), 0);
	assert_int_equal(size_of(dir), LOCK_BYTES);
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(size_of(dir), 0);
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_END), 0);
	assert_set_up(dir);
}

/* Then a slapd that waits fails once, as it must not trust the file. */
TEST(it_is_empty_where_the_data_file_cannot_be_read)
{
	char *dir = fixture_published();
	struct dit_claim claim = take(dir);
	int data_fd = open(fixture_path(dir, "data.mdb"), O_RDWR);

	assert_true(data_fd >= 0);
	assert_int_equal(ftruncate(data_fd, 100), 0);
	dit_lock_file_set_up(&claim, data_fd);
	assert_int_equal(size_of(dir), 0);
	dit_claim_drop(&claim, DIT_CLAIM_PUBLISHED);
	assert_int_equal(close(data_fd), 0);
}

/* As a program that another thread starts, which has the files until it runs. */
TEST(a_claim_ends_though_a_child_has_its_files)
{
	char *dir = test_scratch();
	struct dit_claim claim = take(dir);
	pid_t pid = test_fork();

	if (pid == 0) {
		(void)alarm(60);
		(void)pause();
		_exit(0);
	}
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	claim = take(dir);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

MAIN_OF_BOTH_LMDB
