/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places in the table of readers of LMDB 1.0: taken next to a process that has the
 * database open, freed for processes that are gone, and refused where lock.mdb is not as
 * known.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/error.h"
#include "files/fault.h"
#include "locks/lmdb_reader.h"
#include "locks/reader_table.h"
#include "output/store_fixture.h"

#define NCOMMITS 20000
#define NSTATES  2000

/* ---- a database, and a process that has it open ---- */

struct fixture {
	char *dir;
	int lock_fd;
	struct dit_lock_head *head; /* mapped */
	struct dit_lock_place *places;
	size_t bytes;
	pid_t pid; /* of the other process; 0: none */
	int end;   /* closing it ends that process */
	struct dit_reader_table table;
	struct dit_fault fault;
};

static void map_lock_file(struct fixture *f)
{
	struct stat st;
	void *map = NULL;

	assert_int_equal(fstat(f->lock_fd, &st), 0);
	f->bytes = (size_t)st.st_size;
	map = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->lock_fd, 0);
	assert_true(map != MAP_FAILED);
	f->head = map;
	f->places = (struct dit_lock_place *)(f->head + 1);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->dir = fixture_published();
	f->lock_fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR | O_CLOEXEC);
	assert_true(f->lock_fd >= 0);
	f->end = -1;
	map_lock_file(f);
	*state = f;
	return 0;
}

static void end_other(struct fixture *f)
{
	if (f->pid != 0) {
		assert_int_equal(close(f->end), 0);
		assert_int_equal(waitpid(f->pid, NULL, 0), f->pid);
		f->pid = 0;
	}
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dit_reader_table_close(&f->table);
	end_other(f);
	assert_int_equal(munmap(f->head, f->bytes), 0);
	assert_int_equal(close(f->lock_fd), 0);
	test_scratch_remove(f->dir);
	free(f);
	return 0;
}

static void lock_as_lmdb(int fd, short type, off_t at)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	if (fcntl(fd, F_SETLK, &lock) != 0) {
		_exit(1);
	}
}

/* Another process opens the database, as LMDB does. It has a place in the table if
 * @p is_reader. */
static void start_other(struct fixture *f, short type, bool is_reader)
{
	int begun[2];
	int end[2];
	char byte = 0;

	assert_int_equal(pipe(begun), 0);
	assert_int_equal(pipe(end), 0);
	f->pid = fork();
	assert_true(f->pid >= 0);
	if (f->pid == 0) {
		int fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);

		(void)close(end[1]);
		lock_as_lmdb(fd, type, 0);
		if (is_reader) {
			unsigned n = atomic_fetch_add(&f->head->nplaces, 1);

			lock_as_lmdb(fd, F_WRLCK, getpid());
			atomic_store(&f->places[n].transaction, 1);
			atomic_store(&f->places[n].pid, (uint32_t)getpid());
		}
		(void)!write(begun[1], "x", 1);
		(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	assert_int_equal(close(begun[1]), 0);
	assert_int_equal(close(end[0]), 0);
	assert_int_equal(read(begun[0], &byte, 1), 1);
	assert_int_equal(close(begun[0]), 0);
	f->end = end[1];
}

static int open_table(struct fixture *f)
{
	f->fault = (struct dit_fault){""};
	return dit_reader_table_open(&f->table, f->lock_fd, -1, &f->fault);
}

static int enter(struct fixture *f)
{
	f->fault = (struct dit_fault){""};
	return dit_reader_table_enter(&f->table, 1, 0, &f->fault);
}

/* A child that takes a mutex and dies. */
static void die_with_mutex(pthread_mutex_t *mutex)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		_exit(pthread_mutex_lock(mutex));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- opening ---- */

static void a_lock_file_that_nobody_uses_does_not_count(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_table(f), -ENOENT);
	start_other(f, F_WRLCK, false);
	assert_int_equal(open_table(f), DIT_E_BUSY);
	end_other(f);
	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
}

/* Whatever its content is. Then it is as a loader makes it. */
static void the_first_process_makes_the_content(void **state)
{
	struct fixture *f = *state;
	int data_fd = open(fixture_path(f->dir, "data.mdb"), O_RDONLY);
	uint64_t transaction = atomic_load(&f->head->transaction);
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	assert_true(data_fd >= 0);
	memset(f->head, 0x55, f->bytes);
	assert_int_equal(dit_reader_table_open(&f->table, f->lock_fd, data_fd, NULL), 0);
	assert_int_equal(f->head->layout, DIT_LOCK_LAYOUT);
	assert_int_equal(atomic_load(&f->head->transaction), transaction);
	assert_int_equal(atomic_load(&f->head->nplaces), 0);
	assert_int_equal(enter(f), 0);
	/* Others may come now, and find the content as it is. */
	assert_int_equal(fcntl(f->lock_fd, F_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_UNLCK);
	dit_reader_table_close(&f->table);
	start_other(f, F_RDLCK, true);
	assert_int_equal(dit_reader_table_open(&f->table, f->lock_fd, data_fd, NULL), 0);
	assert_int_equal(atomic_load(&f->head->nplaces), 2);
	assert_int_equal(close(data_fd), 0);
}

static void a_data_file_without_state_has_no_first_process(void **state)
{
	struct fixture *f = *state;
	int data_fd = open(fixture_path(f->dir, "data.mdb"), O_RDWR);

	assert_int_equal(ftruncate(data_fd, 100), 0);
	assert_int_equal(dit_reader_table_open(&f->table, f->lock_fd, data_fd, NULL),
	                 -EIO);
	assert_int_equal(close(data_fd), 0);
}

/* Its last user has removed or emptied it. */
static void a_lock_file_that_is_gone_does_not_count(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(ftruncate(f->lock_fd, 0), 0);
	assert_int_equal(open_table(f), -ENOENT);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(open_table(f), -ENOENT);
}

static void another_layout_is_refused(void **state)
{
	static const struct {
		uint32_t magic;
		uint32_t layout;
		const char *text;
	} cases[] = {
		{0xbeefc0de, 0x2c2f6003, "0x2c2f6003"}, /* of a later version */
		{0xbeefc0de, 0x2c3f6002, "0x2c3f6002"}, /* mutexes of another size */
		{0xbeefc0df, 0x2c2f6002, "layout"},
	};
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f->head->magic = cases[i].magic;
		f->head->layout = cases[i].layout;
		assert_int_equal(open_table(f), DIT_E_UNSUPPORTED);
		assert_non_null(strstr(f->fault.text, cases[i].text));
		assert_non_null(strstr(f->fault.text, "Stop slapd"));
	}
	assert_int_equal(ftruncate(f->lock_fd, 191), 0);
	assert_int_equal(open_table(f), DIT_E_UNSUPPORTED);
	assert_non_null(strstr(f->fault.text, "191 bytes"));
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* ---- places ---- */

static void a_place_has_process_and_transaction(void **state)
{
	struct fixture *f = *state;
	const struct dit_lock_place *place = &f->places[1];

	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(atomic_load(&f->head->nplaces), 2);
	assert_int_equal(atomic_load(&f->places[0].pid), f->pid);
	assert_int_equal(atomic_load(&place->pid), getpid());
	assert_int_equal(place->thread, (uint64_t)(uintptr_t)pthread_self());
	assert_int_equal(atomic_load(&place->transaction), UINT64_MAX);
	atomic_store(&f->head->transaction, 7);
	assert_int_equal(dit_reader_table_renew(&f->table, 0), 7);
	assert_int_equal(atomic_load(&place->transaction), 7);
	atomic_store(&f->head->transaction, 8);
	assert_int_equal(dit_reader_table_last(&f->table), 8);
	assert_int_equal(atomic_load(&place->transaction), 7);
	dit_reader_table_close(&f->table);
	assert_int_equal(atomic_load(&place->pid), 0);
	assert_int_equal(atomic_load(&f->head->nplaces), 2);
}

/* LMDB asks whether it could lock the byte of the process. */
static void others_see_that_a_reader_lives(void **state)
{
	struct fixture *f = *state;
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = getpid(), .l_len = 1};

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	/* Another descriptor of the same process that is closed takes no lock away. */
	assert_int_equal(close(open(fixture_path(f->dir, "lock.mdb"), O_RDWR)), 0);
	assert_int_equal(fcntl(f->lock_fd, F_GETLK, &lock), 0);
	assert_int_not_equal(lock.l_type, F_UNLCK);
	lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	end_other(f);
	assert_int_equal(fcntl(f->lock_fd, F_GETLK, &lock), 0);
	assert_int_not_equal(lock.l_type, F_UNLCK);
}

static void two_readers_of_a_process_have_two_places(void **state)
{
	struct fixture *f = *state;
	struct dit_reader_table second;
	int fd = -1;

	start_other(f, F_RDLCK, false);
	fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(dit_reader_table_open(&second, fd, -1, NULL), 0);
	assert_int_equal(dit_reader_table_enter(&second, 1, 0, NULL), 0);
	assert_ptr_not_equal(f->table.own[0], second.own[0]);
	assert_int_equal(atomic_load(&f->head->nplaces), 2);
	dit_reader_table_close(&second);
	assert_int_equal(close(fd), 0);
	assert_int_equal(atomic_load(&f->places[0].pid), getpid());
}

static void places_of_the_dead_are_freed(void **state)
{
	struct fixture *f = *state;
	pid_t dead = 0;

	start_other(f, F_RDLCK, true);
	dead = f->pid;
	end_other(f);
	assert_int_equal(atomic_load(&f->places[0].pid), dead);
	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(atomic_load(&f->places[0].pid), getpid());
	assert_int_equal(atomic_load(&f->places[1].pid), f->pid);
	assert_int_equal(atomic_load(&f->head->nplaces), 2);
}

static void a_full_table_is_told(void **state)
{
	struct fixture *f = *state;

	/* Room for two, whatever the number of places says. */
	assert_int_equal(ftruncate(f->lock_fd, 128 + 2 * 64), 0);
	start_other(f, F_RDLCK, true);
	atomic_store(&f->places[1].pid, (uint32_t)f->pid);
	atomic_store(&f->head->nplaces, 4000000000u);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), MDB_READERS_FULL);
	atomic_store(&f->places[1].pid, 0);
	assert_int_equal(enter(f), 0);
	assert_ptr_equal(f->table.own[0],
	                 (struct dit_lock_place *)(f->table.head + 1) + 1);
	dit_reader_table_close(&f->table);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* One for each state; all or none. */
static void a_table_has_several_places(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(ftruncate(f->lock_fd, 128 + 3 * 64), 0);
	f->table.nplaces = 3;
	assert_int_equal(dit_reader_table_enter(&f->table, 3, 0, NULL), MDB_READERS_FULL);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(atomic_load(&f->places[i].pid), 0);
	}
	assert_int_equal(dit_reader_table_enter(&f->table, 2, 0, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		atomic_store(&f->head->transaction, 7 + i);
		assert_int_equal(dit_reader_table_renew(&f->table, i), 7 + i);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&f->places[1 + i].pid), getpid());
		assert_int_equal(atomic_load(&f->places[1 + i].transaction), 7 + i);
	}
	dit_reader_table_close(&f->table);
	assert_int_equal(atomic_load(&f->places[1].pid), 0);
	assert_int_equal(atomic_load(&f->places[2].pid), 0);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* Its own number is locked by who cannot be it. */
static void a_process_with_our_number_is_told(void **state)
{
	struct fixture *f = *state;
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = getpid(), .l_len = 1};
	int fd = -1;

	start_other(f, F_RDLCK, false);
	fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), -EAGAIN);
	assert_non_null(strstr(f->fault.text, "container"));
	assert_int_equal(close(fd), 0);
	assert_int_equal(enter(f), 0);
}

/* ---- the mutex ---- */

static void the_mutex_of_a_dead_process_is_recovered(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	die_with_mutex(&f->head->readers);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(pthread_mutex_lock(&f->head->readers), 0);
	assert_int_equal(pthread_mutex_unlock(&f->head->readers), 0);
}

static void a_mutex_that_nobody_recovered_is_told(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	die_with_mutex(&f->head->readers);
	assert_int_equal(pthread_mutex_lock(&f->head->readers), EOWNERDEAD);
	assert_int_equal(pthread_mutex_unlock(&f->head->readers), 0);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), -ENOTRECOVERABLE);
	assert_non_null(strstr(f->fault.text, "Start slapd again"));
	assert_int_equal(f->table.nown, 0);
}

static void nobody_waits_for_ever(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(pthread_mutex_lock(&f->head->readers), 0);
	assert_int_equal(enter(f), -ETIMEDOUT);
	assert_non_null(strstr(f->fault.text, "does not go on"));
	assert_int_equal(pthread_mutex_unlock(&f->head->readers), 0);
	assert_int_equal(enter(f), 0);
}

/* ---- writers ---- */

static int lock_writers(struct fixture *f, int data_fd)
{
	f->fault = (struct dit_fault){""};
	return dit_reader_table_lock(&f->table, data_fd, 0, &f->fault);
}

/* Its owner died before it had written a meta page, or between that and its number. */
static void the_write_lock_of_a_dead_process_is_recovered(void **state)
{
	struct fixture *f = *state;
	int data_fd = open(fixture_path(f->dir, "data.mdb"), O_RDONLY);
	uint64_t transaction = atomic_load(&f->head->transaction);

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	for (uint64_t before = 0; before < 2; before++) {
		dit_reader_table_set_last(&f->table, transaction - before);
		die_with_mutex(&f->head->writers);
		assert_int_equal(lock_writers(f, data_fd), 0);
		assert_int_equal(dit_reader_table_last(&f->table), transaction);
		dit_reader_table_unlock(&f->table);
		assert_int_equal(lock_writers(f, data_fd), 0);
		dit_reader_table_unlock(&f->table);
	}
	/* The meta pages cannot be read: nobody may go on. */
	die_with_mutex(&f->head->writers);
	assert_int_equal(truncate(fixture_path(f->dir, "data.mdb"), 100), 0);
	assert_int_equal(lock_writers(f, data_fd), -EIO);
	assert_int_equal(lock_writers(f, data_fd), -ENOTRECOVERABLE);
	assert_non_null(strstr(f->fault.text, "the mutex of writers"));
	assert_int_equal(close(data_fd), 0);
}

static void nobody_waits_for_the_write_lock_for_ever(void **state)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(pthread_mutex_lock(&f->head->writers), 0);
	assert_int_equal(lock_writers(f, -1), -ETIMEDOUT);
	assert_non_null(strstr(f->fault.text, "the mutex of writers in lock.mdb and "
	                                      "does not go on"));
	assert_int_equal(pthread_mutex_unlock(&f->head->writers), 0);
	assert_int_equal(lock_writers(f, -1), 0);
	dit_reader_table_unlock(&f->table);
}

/* Readers that rest, and those of dead processes, do not count. */
static void the_oldest_reader_is_found(void **state)
{
	struct fixture *f = *state;
	uint64_t oldest = 20;

	start_other(f, F_RDLCK, true);
	end_other(f);
	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(dit_reader_table_enter(&f->table, 2, 0, NULL), 0);
	atomic_store(&f->head->transaction, 15);
	assert_int_equal(dit_reader_table_renew(&f->table, 1), 15);
	atomic_store(&f->places[1].transaction, UINT64_MAX);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 15);
	atomic_store(&f->places[1].transaction, 12);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 12);
	end_other(f);
	start_other(f, F_RDLCK, false);
	oldest = 20;
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 15);
	assert_int_equal(atomic_load(&f->places[1].pid), 0);
	oldest = 14;
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 14);
	assert_int_equal(pthread_mutex_lock(&f->head->readers), 0);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), -ETIMEDOUT);
	assert_int_equal(pthread_mutex_unlock(&f->head->readers), 0);
}

/* ---- next to a writer ---- */

struct writer {
	struct dit_lock_head *head;
	const struct dit_lock_place *place;
	_Atomic uint64_t given_out; /* pages that were free before this transaction */
	atomic_bool is_enough;
};

/* As LMDB's writers: pages that became free before the oldest reader are given out. */
static void *commit_often(void *ctx)
{
	struct writer *writer = ctx;

	while (!atomic_load(&writer->is_enough)) {
		uint64_t oldest = atomic_load(&writer->head->transaction);
		uint64_t next = oldest + 1;

		if (atomic_load(&writer->place->pid) != 0 &&
		    atomic_load(&writer->place->transaction) < oldest) {
			oldest = atomic_load(&writer->place->transaction);
		}
		if (oldest > atomic_load(&writer->given_out) && oldest != UINT64_MAX) {
			atomic_store(&writer->given_out, oldest);
		}
		atomic_store(&writer->head->transaction, next);
	}
	return NULL;
}

static void no_page_of_a_reader_is_given_out(void **state)
{
	struct fixture *f = *state;
	struct writer writer = {.head = f->head, .place = &f->places[0]};
	pthread_t thread;
	unsigned n = 0;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(pthread_create(&thread, NULL, commit_often, &writer), 0);
	while (n < NSTATES || atomic_load(&f->head->transaction) < NCOMMITS) {
		uint64_t state_read = dit_reader_table_renew(&f->table, 0);

		for (unsigned i = 0; i < 50; i++) {
			assert_true(atomic_load(&writer.given_out) <= state_read);
		}
		n++;
	}
	atomic_store(&writer.is_enough, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- a reader ---- */

struct commits {
	struct fixture *f;
	unsigned n; /* that come while a state is looked at */
	unsigned nlooks;
};

static int look(void *ctx, int data_fd, uint64_t txn_id)
{
	struct commits *commits = ctx;

	assert_true(data_fd >= 0);
	assert_int_equal(atomic_load(&commits->f->places[0].transaction), txn_id);
	if (commits->nlooks++ >= commits->n) {
		return 0;
	}
	atomic_fetch_add(&commits->f->head->transaction, 1);
	return DIT_E_CORRUPT; /* in a state that was overwritten: does not count */
}

static void a_state_that_was_overtaken_is_looked_at_again(void **state)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = {
		.n = 4, .is_lmdb_10 = true, .fault = &f->fault};
	struct commits commits = {.f = f, .n = 3};
	struct dit_lmdb_reader *reader = NULL;

	atomic_store(&f->head->transaction, 10);
	start_other(f, F_RDLCK, false);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, look, &commits), 0);
	assert_int_equal(commits.nlooks, 4);
	assert_int_equal(reader->txn_id, 13);
	assert_int_equal(atomic_load(&f->head->nplaces), 1);
	dit_lmdb_reader_close(reader);
	assert_int_equal(atomic_load(&f->places[0].pid), 0);

	commits = (struct commits){.f = f, .n = UINT32_MAX};
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, look, &commits),
	                 -EAGAIN);
	assert_null(reader);
	assert_int_equal(atomic_load(&f->places[0].pid), 0);
}

/* Each spare transaction has a place of its own, where it rests until it is renewed. */
static void spare_transactions_see_later_states(void **state)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = {
		.n = 6, .nspare = 2, .is_lmdb_10 = true};
	struct dit_lmdb_reader *reader = NULL;
	uint64_t txn_id = 0;

	atomic_store(&f->head->transaction, 10);
	start_other(f, F_RDLCK, false);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&f->places[1 + i].pid), getpid());
		assert_int_equal(atomic_load(&f->places[1 + i].transaction), UINT64_MAX);
		atomic_fetch_add(&f->head->transaction, 1);
		assert_int_equal(dit_lmdb_reader_renew(reader, 4 + i, &txn_id), 0);
		assert_int_equal(txn_id, 11 + i);
		assert_int_equal(atomic_load(&f->places[1 + i].transaction), 11 + i);
	}
	assert_int_equal(reader->txn_id, 10);
	assert_int_equal(atomic_load(&f->places[0].transaction), 10);
	dit_lmdb_reader_close(reader);
}

static void a_reader_may_be_the_first_process(void **state)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = {
		.n = 1, .is_lmdb_10 = true, .may_be_first = true};
	struct dit_lmdb_reader *reader = NULL;
	uint64_t transaction = atomic_load(&f->head->transaction);

	/* A loader keeps others away. */
	start_other(f, F_WRLCK, false);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL),
	                 DIT_E_BUSY);
	end_other(f);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL), 0);
	assert_int_equal(reader->txn_id, transaction);
	dit_lmdb_reader_close(reader);
	assert_directory_holds(f->dir, "data.mdb lock.mdb ");
	/* No database: no lock.mdb. */
	assert_int_equal(unlink(fixture_path(f->dir, "data.mdb")), 0);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL),
	                 -ENOENT);
	assert_directory_holds(f->dir, "");
}

static void a_reader_waits_for_a_place(void **state)
{
	struct fixture *f = *state;
	struct dit_lmdb_reader_opts opts = {.n = 1, .is_lmdb_10 = true, .wait_ms = 40};
	struct dit_lmdb_reader *reader = NULL;

	assert_int_equal(ftruncate(f->lock_fd, 128 + 64), 0);
	start_other(f, F_RDLCK, true);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL),
	                 MDB_READERS_FULL);
	atomic_store(&f->places[0].pid, 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL), 0);
	dit_lmdb_reader_close(reader);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

static void errors_of_files_are_told(void **state)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = {
		.n = 1, .is_lmdb_10 = true, .fault = &f->fault};
	struct dit_lmdb_reader *reader = NULL;

	assert_int_equal(dit_lmdb_reader_open(&reader, "/nonexistent", &opts, NULL, NULL),
	                 -ENOENT);
	start_other(f, F_RDLCK, false);
	assert_int_equal(truncate(fixture_path(f->dir, "data.mdb"), 3 * 4096), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL),
	                 DIT_E_CORRUPT);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(symlink("data.mdb", fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts, NULL, NULL),
	                 -ELOOP);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_lock_file_that_nobody_uses_does_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(the_first_process_makes_the_content, setup, teardown),
		cmocka_unit_test_setup_teardown(a_data_file_without_state_has_no_first_process, setup, teardown),
		cmocka_unit_test_setup_teardown(a_lock_file_that_is_gone_does_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(another_layout_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_place_has_process_and_transaction, setup, teardown),
		cmocka_unit_test_setup_teardown(others_see_that_a_reader_lives, setup, teardown),
		cmocka_unit_test_setup_teardown(two_readers_of_a_process_have_two_places, setup, teardown),
		cmocka_unit_test_setup_teardown(places_of_the_dead_are_freed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_table_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(a_table_has_several_places, setup, teardown),
		cmocka_unit_test_setup_teardown(a_process_with_our_number_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(the_mutex_of_a_dead_process_is_recovered, setup, teardown),
		cmocka_unit_test_setup_teardown(a_mutex_that_nobody_recovered_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_waits_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(the_write_lock_of_a_dead_process_is_recovered, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_waits_for_the_write_lock_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(the_oldest_reader_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(no_page_of_a_reader_is_given_out, setup, teardown),
		cmocka_unit_test_setup_teardown(a_state_that_was_overtaken_is_looked_at_again, setup, teardown),
		cmocka_unit_test_setup_teardown(spare_transactions_see_later_states, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_may_be_the_first_process, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_waits_for_a_place, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_of_files_are_told, setup, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, fixture_use_lmdb_10, NULL);
}
