/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places in the table of readers: taken next to a process that has the database open,
 * freed for processes that are gone, and refused where lock.mdb is not as known. Of LMDB
 * 0.9 and of 1.0. test_lmdb_reader.c has liblmdb in the other process.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/error.h"
#include "files/fault.h"
#include "files/files.h"
#include "locks/lmdb_reader.h"
#include "locks/reader_table.h"
#include "output/store_fixture.h"

#define NCOMMITS 20000
#define NSTATES  2000

/* ---- a database, and a process that has it open ---- */

struct fixture {
	const struct dit_page_format *format;
	char *dir;
	int lock_fd;
	int data_fd;
	void *map; /* of lock.mdb */
	struct dit_lock_parts parts;
	struct dit_lock_slot *slots;
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
	f->map = map;
	dit_lock_parts(&f->parts, map, f->format);
	f->slots = f->parts.slots;
}

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	f->format = fixture_is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09;
	f->dir = fixture_published();
	f->data_fd = open(fixture_path(f->dir, "data.mdb"), O_RDONLY);
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
	assert_int_equal(munmap(f->map, f->bytes), 0);
	assert_int_equal(close(f->data_fd), 0);
	assert_int_equal(close(f->lock_fd), 0);
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

/* Another process opens the database, as LMDB does. It has a slot in the table if
 * @p is_reader. */
static void start_other(struct fixture *f, short type, bool is_reader)
{
	int begun[2];
	int end[2];
	char byte = 0;

	assert_int_equal(pipe(begun), 0);
	assert_int_equal(pipe(end), 0);
	f->pid = test_fork();
	if (f->pid == 0) {
		int fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);

		(void)close(end[1]);
		lock_as_lmdb(fd, type, 0);
		if (is_reader) {
			unsigned n = atomic_fetch_add(f->parts.nslots, 1);

			lock_as_lmdb(fd, F_WRLCK, getpid());
			atomic_store(&f->slots[n].transaction, 1);
			atomic_store(&f->slots[n].pid, (uint32_t)getpid());
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

static int open_at(struct fixture *f, struct dit_reader_table *table, int lock_fd)
{
	int r = dit_reader_table_join(table, lock_fd, f->format, &f->fault);

	return r < 0 ? r : dit_reader_table_open(table, f->data_fd, &f->fault);
}

static int open_table(struct fixture *f)
{
	f->fault = (struct dit_fault){""};
	return open_at(f, &f->table, f->lock_fd);
}

static int enter(struct fixture *f)
{
	f->fault = (struct dit_fault){""};
	return dit_reader_table_enter(&f->table, 1, 0, &f->fault);
}

/* A child that takes a mutex and dies. */
static void die_with_mutex(pthread_mutex_t *mutex)
{
	pid_t pid = test_fork();

	if (pid == 0) {
		_exit(pthread_mutex_lock(mutex));
	}
	assert_int_equal(test_wait(pid), 0);
}

/* ---- opening ---- */

FIXTURE_TEST(a_process_that_keeps_others_away_is_told)
{
	struct fixture *f = *state;
	char name[40];

	start_other(f, F_WRLCK, false);
	(void)snprintf(name, sizeof(name), "process %d", (int)f->pid);
	assert_int_equal(open_table(f), DIT_E_BUSY);
	assert_non_null(strstr(f->fault.text, name));
	end_other(f);
	assert_int_equal(open_table(f), 0);
	assert_string_equal(f->fault.text, "");
}

/* So long nobody else can open it. */
FIXTURE_TEST(the_first_process_keeps_others_away_until_it_is_open)
{
	struct fixture *f = *state;
	struct dit_reader_table second;
	int fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);

	assert_int_equal(dit_reader_table_join(&f->table, f->lock_fd, f->format, NULL),
	                 0);
	assert_true(f->table.is_first);
	assert_int_equal(open_at(f, &second, fd), DIT_E_BUSY);
	assert_int_equal(dit_reader_table_open(&f->table, f->data_fd, NULL), 0);
	assert_int_equal(dit_reader_table_join(&second, fd, f->format, NULL), 0);
	assert_false(second.is_first);
	assert_int_equal(close(fd), 0);
}

/* Whatever its content is. Then it is as a loader makes it. */
FIXTURE_TEST(the_first_process_makes_the_content)
{
	struct fixture *f = *state;
	uint64_t transaction = atomic_load(f->parts.transaction);
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	memset(f->map, 0x55, f->bytes);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(*f->parts.layout, dit_lock_layout(f->format));
	assert_int_equal(atomic_load(f->parts.transaction), transaction);
	assert_int_equal(atomic_load(f->parts.nslots), 0);
	assert_int_equal(enter(f), 0);
	/* Others may come now, and find the content as it is. */
	assert_int_equal(fcntl(f->lock_fd, F_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_UNLCK);
	dit_reader_table_close(&f->table);
	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(atomic_load(f->parts.nslots), 2);
}

FIXTURE_TEST(a_data_file_without_state_has_no_first_process)
{
	struct fixture *f = *state;

	assert_int_equal(truncate(fixture_path(f->dir, "data.mdb"), 100), 0);
	assert_int_equal(open_table(f), -ENODATA);
}

/* Its last user has removed or emptied it. */
FIXTURE_TEST(a_lock_file_that_is_gone_does_not_count)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(ftruncate(f->lock_fd, 0), 0);
	assert_int_equal(open_table(f), -ESTALE);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(open_table(f), -ESTALE);
}

FIXTURE_TEST(another_layout_is_refused)
{
	static const struct {
		uint32_t layout_09;
		uint32_t layout_10;
		uint32_t magic;
	} cases[] = {
		{0x00010002, 0x2c2f6003, 0xbeefc0de}, /* of a later version */
		{0x00000001, 0x2c3f6002, 0xbeefc0de}, /* no locks of processes; mutexes */
		{0x2c2f6002, 0x00010001, 0xbeefc0de}, /* of the other generation */
		{0x00010001, 0x2c2f6002, 0xbeefc0df},
	};
	struct fixture *f = *state;
	char text[20];

	start_other(f, F_RDLCK, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*f->parts.magic = cases[i].magic;
		*f->parts.layout =
			fixture_is_lmdb_10 ? cases[i].layout_10 : cases[i].layout_09;
		assert_int_equal(open_table(f), DIT_E_UNSUPPORTED);
		(void)snprintf(text, sizeof(text), "0x%08x,", *f->parts.layout);
		assert_non_null(strstr(f->fault.text, text));
		assert_non_null(strstr(f->fault.text, "Stop slapd"));
	}
	assert_int_equal(ftruncate(f->lock_fd, 191), 0);
	assert_int_equal(open_table(f), DIT_E_UNSUPPORTED);
	assert_non_null(strstr(f->fault.text, "191 bytes"));
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* ---- slots ---- */

FIXTURE_TEST(a_slot_has_process_and_transaction)
{
	struct fixture *f = *state;
	const struct dit_lock_slot *slot = &f->slots[1];

	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(atomic_load(f->parts.nslots), 2);
	assert_int_equal(atomic_load(&f->slots[0].pid), f->pid);
	assert_int_equal(atomic_load(&slot->pid), getpid());
	assert_int_equal(slot->thread, (uint64_t)(uintptr_t)pthread_self());
	assert_int_equal(atomic_load(&slot->transaction), UINT64_MAX);
	atomic_store(f->parts.transaction, 7);
	assert_int_equal(dit_reader_table_renew(&f->table, 0), 7);
	assert_int_equal(atomic_load(&slot->transaction), 7);
	atomic_store(f->parts.transaction, 8);
	assert_int_equal(dit_reader_table_last(&f->table), 8);
	assert_int_equal(atomic_load(&slot->transaction), 7);
	dit_reader_table_close(&f->table);
	assert_int_equal(atomic_load(&slot->pid), 0);
	assert_int_equal(atomic_load(f->parts.nslots), 2);
}

/* LMDB asks whether it could lock the byte of the process. */
FIXTURE_TEST(others_see_that_a_reader_lives)
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

FIXTURE_TEST(two_readers_of_a_process_have_two_slots)
{
	struct fixture *f = *state;
	struct dit_reader_table second;
	int fd = -1;

	start_other(f, F_RDLCK, false);
	fd = open(fixture_path(f->dir, "lock.mdb"), O_RDWR);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(open_at(f, &second, fd), 0);
	assert_int_equal(dit_reader_table_enter(&second, 1, 0, NULL), 0);
	assert_ptr_not_equal(f->table.own[0], second.own[0]);
	assert_int_equal(atomic_load(f->parts.nslots), 2);
	dit_reader_table_close(&second);
	assert_int_equal(close(fd), 0);
	assert_int_equal(atomic_load(&f->slots[0].pid), getpid());
}

FIXTURE_TEST(slots_of_the_dead_are_freed)
{
	struct fixture *f = *state;
	pid_t dead = 0;

	start_other(f, F_RDLCK, true);
	dead = f->pid;
	end_other(f);
	assert_int_equal(atomic_load(&f->slots[0].pid), dead);
	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(atomic_load(&f->slots[0].pid), getpid());
	assert_int_equal(atomic_load(&f->slots[1].pid), f->pid);
	assert_int_equal(atomic_load(f->parts.nslots), 2);
}

FIXTURE_TEST(a_full_table_is_told)
{
	struct fixture *f = *state;

	/* Room for two, whatever the number of slots says. */
	assert_int_equal(ftruncate(f->lock_fd, 128 + 2 * 64), 0);
	start_other(f, F_RDLCK, true);
	atomic_store(&f->slots[1].pid, (uint32_t)f->pid);
	atomic_store(f->parts.nslots, 4000000000u);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), DIT_LMDB_READERS_FULL);
	atomic_store(&f->slots[1].pid, 0);
	assert_int_equal(enter(f), 0);
	assert_ptr_equal(f->table.own[0], f->table.parts.slots + 1);
	dit_reader_table_close(&f->table);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* One for each state; all or none. */
FIXTURE_TEST(a_table_has_several_slots)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(ftruncate(f->lock_fd, 128 + 3 * 64), 0);
	f->table.nslots = 3;
	assert_int_equal(dit_reader_table_enter(&f->table, 3, 0, NULL),
	                 DIT_LMDB_READERS_FULL);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(atomic_load(&f->slots[i].pid), 0);
	}
	assert_int_equal(dit_reader_table_enter(&f->table, 2, 0, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		atomic_store(f->parts.transaction, 7 + i);
		assert_int_equal(dit_reader_table_renew(&f->table, i), 7 + i);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&f->slots[1 + i].pid), getpid());
		assert_int_equal(atomic_load(&f->slots[1 + i].transaction), 7 + i);
	}
	dit_reader_table_close(&f->table);
	assert_int_equal(atomic_load(&f->slots[1].pid), 0);
	assert_int_equal(atomic_load(&f->slots[2].pid), 0);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* Its own number is locked by who cannot be it. */
FIXTURE_TEST(a_process_with_our_number_is_told)
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

FIXTURE_TEST(the_mutex_of_a_dead_process_is_recovered)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	die_with_mutex(f->parts.readers);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(pthread_mutex_lock(f->parts.readers), 0);
	assert_int_equal(pthread_mutex_unlock(f->parts.readers), 0);
}

FIXTURE_TEST(a_mutex_that_nobody_recovered_is_told)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	die_with_mutex(f->parts.readers);
	assert_int_equal(pthread_mutex_lock(f->parts.readers), EOWNERDEAD);
	assert_int_equal(pthread_mutex_unlock(f->parts.readers), 0);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), -ENOTRECOVERABLE);
	assert_non_null(strstr(f->fault.text, "Start slapd again"));
	assert_int_equal(f->table.nown, 0);
}

FIXTURE_TEST(nobody_waits_for_ever)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(pthread_mutex_lock(f->parts.readers), 0);
	assert_int_equal(enter(f), -ETIMEDOUT);
	assert_non_null(strstr(f->fault.text, "does not go on"));
	assert_int_equal(pthread_mutex_unlock(f->parts.readers), 0);
	assert_int_equal(enter(f), 0);
}

/* ---- writers ---- */

static int lock_writers(struct fixture *f)
{
	f->fault = (struct dit_fault){""};
	return dit_reader_table_lock(&f->table, f->data_fd, 0, &f->fault);
}

/* Its owner died before it had written a meta page, or between that and its number. */
FIXTURE_TEST(the_write_lock_of_a_dead_process_is_recovered)
{
	struct fixture *f = *state;
	uint64_t transaction = atomic_load(f->parts.transaction);

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	for (uint64_t before = 0; before < 2; before++) {
		dit_reader_table_set_last(&f->table, transaction - before);
		die_with_mutex(f->parts.writers);
		assert_int_equal(lock_writers(f), 0);
		assert_int_equal(dit_reader_table_last(&f->table), transaction);
		dit_reader_table_unlock(&f->table);
		assert_int_equal(lock_writers(f), 0);
		dit_reader_table_unlock(&f->table);
	}
	/* The meta pages cannot be read: nobody may go on. */
	die_with_mutex(f->parts.writers);
	assert_int_equal(truncate(fixture_path(f->dir, "data.mdb"), 100), 0);
	assert_int_equal(lock_writers(f), -ENODATA);
	assert_int_equal(lock_writers(f), -ENOTRECOVERABLE);
	assert_non_null(strstr(f->fault.text, "the mutex of writers"));
}

FIXTURE_TEST(nobody_waits_for_the_write_lock_for_ever)
{
	struct fixture *f = *state;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(pthread_mutex_lock(f->parts.writers), 0);
	assert_int_equal(lock_writers(f), -ETIMEDOUT);
	assert_non_null(strstr(f->fault.text, "the mutex of writers in lock.mdb and "
	                                      "does not go on"));
	assert_int_equal(pthread_mutex_unlock(f->parts.writers), 0);
	assert_int_equal(lock_writers(f), 0);
	dit_reader_table_unlock(&f->table);
}

/* Readers that rest, and those of dead processes, do not count. */
FIXTURE_TEST(the_oldest_reader_is_found)
{
	struct fixture *f = *state;
	uint64_t oldest = 20;

	start_other(f, F_RDLCK, true);
	end_other(f);
	start_other(f, F_RDLCK, true);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(dit_reader_table_enter(&f->table, 2, 0, NULL), 0);
	atomic_store(f->parts.transaction, 15);
	assert_int_equal(dit_reader_table_renew(&f->table, 1), 15);
	atomic_store(&f->slots[1].transaction, UINT64_MAX);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 15);
	atomic_store(&f->slots[1].transaction, 12);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 12);
	end_other(f);
	start_other(f, F_RDLCK, false);
	oldest = 20;
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 15);
	assert_int_equal(atomic_load(&f->slots[1].pid), 0);
	oldest = 14;
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), 0);
	assert_int_equal(oldest, 14);
	assert_int_equal(pthread_mutex_lock(f->parts.readers), 0);
	assert_int_equal(dit_reader_table_oldest(&f->table, &oldest, NULL), -ETIMEDOUT);
	assert_int_equal(pthread_mutex_unlock(f->parts.readers), 0);
}

/* ---- next to a writer ---- */

struct writer {
	_Atomic uint64_t *transaction; /* the last one */
	const struct dit_lock_slot *slot;
	_Atomic uint64_t given_out; /* pages that were free before this transaction */
	atomic_bool is_enough;
};

/* As LMDB's writers: pages that became free before the oldest reader are given out. */
static void *commit_often(void *ctx)
{
	struct writer *writer = ctx;

	while (!atomic_load(&writer->is_enough)) {
		uint64_t oldest = atomic_load(writer->transaction);
		uint64_t next = oldest + 1;

		if (atomic_load(&writer->slot->pid) != 0 &&
		    atomic_load(&writer->slot->transaction) < oldest) {
			oldest = atomic_load(&writer->slot->transaction);
		}
		if (oldest > atomic_load(&writer->given_out) && oldest != UINT64_MAX) {
			atomic_store(&writer->given_out, oldest);
		}
		atomic_store(writer->transaction, next);
	}
	return NULL;
}

FIXTURE_TEST(no_page_of_a_reader_is_given_out)
{
	struct fixture *f = *state;
	struct writer writer = {.transaction = f->parts.transaction,
	                        .slot = &f->slots[0]};
	pthread_t thread;
	unsigned n = 0;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	assert_int_equal(pthread_create(&thread, NULL, commit_often, &writer), 0);
	while (n < NSTATES || atomic_load(f->parts.transaction) < NCOMMITS) {
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

/* When lock.mdb is opened, another data.mdb takes the place of the one that is there. */
static char comes[4200];
static const char *goes; /* NULL: none does */

__typeof__(dit_file_open) __real_dit_file_open;
__typeof__(dit_file_open) __wrap_dit_file_open;

int __wrap_dit_file_open(int dir_fd, const char *name, int flags, struct dit_fault *fault)
{
	if (goes != NULL && strcmp(name, "lock.mdb") == 0) {
		assert_int_equal(rename(comes, goes), 0);
		goes = NULL;
	}
	return __real_dit_file_open(dir_fd, name, flags, fault);
}

static bool is_file(int fd, const struct stat *wanted)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == wanted->st_ino;
}

static struct dit_lmdb_reader_opts opts_of(struct fixture *f)
{
	return (struct dit_lmdb_reader_opts){.format = f->format, .fault = &f->fault};
}

/* Commits while the meta pages are read: the state of the first has them still. */
static struct fixture *others; /* whose commits */
static unsigned ncommits;      /* that come, one with each call */
static unsigned nreads;

__typeof__(dit_metas_read) __real_dit_metas_read;
__typeof__(dit_metas_read) __wrap_dit_metas_read;

int __wrap_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret)
{
	int r = __real_dit_metas_read(fd, format, ret);

	if (others == NULL || atomic_load(&others->slots[0].pid) != (uint32_t)getpid() ||
	    nreads++ >= ncommits) {
		return r;
	}
	assert_int_equal(atomic_load(&others->slots[0].transaction),
	                 atomic_load(others->parts.transaction));
	atomic_fetch_add(others->parts.transaction, 1);
	return -EIO; /* of a page that was overwritten: does not count */
}

FIXTURE_TEST(a_state_that_was_overtaken_is_read_again)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;
	uint64_t last = atomic_load(f->parts.transaction);

	start_other(f, F_RDLCK, false);
	others = f;
	nreads = 0;
	ncommits = 1;
	atomic_store(f->parts.transaction, last - 1);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	assert_int_equal(nreads, 2);
	assert_int_equal(dit_metas_newest(&reader->metas)->transaction, last);
	assert_int_equal(atomic_load(f->parts.nslots), 1);
	dit_lmdb_reader_close(reader);
	assert_int_equal(atomic_load(&f->slots[0].pid), 0);

	ncommits = UINT32_MAX;
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), -EAGAIN);
	others = NULL;
	assert_null(reader);
	assert_int_equal(atomic_load(&f->slots[0].pid), 0);
}

/* Each spare state has a slot of its own, where it rests until it is renewed. */
FIXTURE_TEST(spare_states_are_later_ones)
{
	struct fixture *f = *state;
	struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;
	uint64_t last = atomic_load(f->parts.transaction);
	struct dit_metas metas;

	opts.nspare = 2;
	start_other(f, F_RDLCK, false);
	/* The meta page of the last but one is there, too. */
	atomic_store(f->parts.transaction, last - 1);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	assert_int_equal(dit_metas_newest(&reader->metas)->transaction, last - 1);
	atomic_store(f->parts.transaction, last);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&f->slots[1 + i].pid), getpid());
		assert_int_equal(atomic_load(&f->slots[1 + i].transaction), UINT64_MAX);
		assert_int_equal(dit_lmdb_reader_renew(reader, i, &metas), 0);
		assert_int_equal(dit_metas_newest(&metas)->transaction, last);
		assert_int_equal(atomic_load(&f->slots[1 + i].transaction), last);
	}
	assert_int_equal(atomic_load(&f->slots[0].transaction), last - 1);
	atomic_store(f->parts.transaction, last + 1);
	assert_int_equal(dit_lmdb_reader_renew(reader, 0, &metas), -ESTALE);
	dit_lmdb_reader_close(reader);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(atomic_load(&f->slots[i].pid), 0);
	}
}

FIXTURE_TEST(a_reader_may_be_the_first_process)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;
	uint64_t transaction = atomic_load(f->parts.transaction);

	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	assert_int_equal(dit_metas_newest(&reader->metas)->transaction, transaction);
	dit_lmdb_reader_close(reader);
	assert_directory_holds(f->dir, "data.mdb lock.mdb ");
	/* No database: no lock.mdb. */
	assert_int_equal(unlink(fixture_path(f->dir, "data.mdb")), 0);
	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), -ENOENT);
	assert_directory_holds(f->dir, "");
}

/* With LMDB 0.9 a reader waits for a loader as long as it runs; and finds what it has
 * put in place. */
FIXTURE_TEST(a_reader_waits_for_a_loader)
{
	struct fixture *f = *state;
	char *other = fixture_published();
	char path[4200];
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;
	struct stat st;
	pid_t pid = 0;

	assert_int_equal(stat(fixture_path(other, "data.mdb"), &st), 0);
	start_other(f, F_WRLCK, false);
	if (fixture_is_lmdb_10) {
		assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts),
		                 DIT_E_BUSY);
		end_other(f);
	}
	(void)snprintf(path, sizeof(path), "%s", fixture_path(other, "data.mdb"));
	pid = test_fork();
	if (pid == 0) {
		(void)usleep(fixture_is_lmdb_10 ? 0 : 1200000);
		(void)rename(path, fixture_path(f->dir, "data.mdb"));
		_exit(f->pid == 0 ? 0 : kill(f->pid, SIGKILL));
	}
	if (fixture_is_lmdb_10) {
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	assert_string_equal(f->fault.text, "");
	assert_true(is_file(reader->data_fd, &st));
	dit_lmdb_reader_close(reader);
	if (!fixture_is_lmdb_10) {
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

/* It was put in place after ours was opened, and before the processes were joined. */
FIXTURE_TEST(an_exchanged_data_file_is_opened_again)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;
	char *other = fixture_published();
	struct stat st;

	assert_int_equal(stat(fixture_path(other, "data.mdb"), &st), 0);
	(void)snprintf(comes, sizeof(comes), "%s", fixture_path(other, "data.mdb"));
	goes = fixture_path(f->dir, "data.mdb");
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	assert_null(goes);
	assert_true(is_file(reader->data_fd, &st));
	dit_lmdb_reader_close(reader);
}

FIXTURE_TEST(a_reader_waits_for_a_slot)
{
	struct fixture *f = *state;
	struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;

	opts.wait_ms = 40;
	assert_int_equal(ftruncate(f->lock_fd, 128 + 64), 0);
	start_other(f, F_RDLCK, true);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts),
	                 DIT_LMDB_READERS_FULL);
	atomic_store(&f->slots[0].pid, 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), 0);
	dit_lmdb_reader_close(reader);
	assert_int_equal(ftruncate(f->lock_fd, (off_t)f->bytes), 0);
}

/* A child that ends as a program does closes what it has inherited. */
FIXTURE_TEST(a_child_leaves_the_slots_of_its_parent)
{
	struct fixture *f = *state;
	pid_t pid = 0;

	start_other(f, F_RDLCK, false);
	assert_int_equal(open_table(f), 0);
	assert_int_equal(enter(f), 0);
	pid = test_fork();
	if (pid == 0) {
		dit_reader_table_close(&f->table);
		_exit(0);
	}
	assert_int_equal(test_wait(pid), 0);
	assert_int_equal(atomic_load(&f->slots[0].pid), getpid());
}

FIXTURE_TEST(errors_of_files_are_told)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;

	assert_int_equal(dit_lmdb_reader_open(&reader, "/nonexistent", &opts), -ENOENT);
	start_other(f, F_RDLCK, false);
	assert_int_equal(truncate(fixture_path(f->dir, "data.mdb"), 3 * 4096), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), DIT_E_CORRUPT);
	end_other(f);
}

FIXTURE_TEST(a_lock_file_that_is_a_link_is_not_opened)
{
	struct fixture *f = *state;
	const struct dit_lmdb_reader_opts opts = opts_of(f);
	struct dit_lmdb_reader *reader = NULL;

	assert_int_equal(unlink(fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(symlink("data.mdb", fixture_path(f->dir, "lock.mdb")), 0);
	assert_int_equal(dit_lmdb_reader_open(&reader, f->dir, &opts), -ELOOP);
}

MAIN_OF_BOTH_LMDB
