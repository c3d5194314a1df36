/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a writer sees a reader. A writer begins with the number N of the last transaction,
 * and later gives out again pages that became free before the oldest transaction in the
 * table. A reader puts N into its slot and reads the last number once more. If it still
 * is N, the slot was there before the writer that follows N + 1 has begun; and the
 * writer of N + 1 leaves all pages of N alone. Else it puts the newer number there.
 *
 * The meta page of N is the one that N + 2 writes. So what was read from it is whole if
 * the last number is N afterwards.
 *
 * The locks on bytes are those of an open file (F_OFD_SETLK): LMDB's own, of a process,
 * vanish when the process closes any descriptor of lock.mdb, as a claim does that is
 * refused. Both kinds keep each other out. Ours on the byte of the process is shared, so
 * that two readers of one process can have it; LMDB asks whether an exclusive one could
 * be had.
 */
#include "locks/reader_table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/error.h"
#include "files/files.h"
#include "page/lmdb_format.h"
#include "page/meta_pages.h"

#define RESTS         UINT64_MAX
#define NSLOTS_MAX    65536 /* of a file that is longer, the first ones are used */
#define MUTEX_WAIT_MS 1000  /* at least: it is held for microseconds */
#define BYTE_OF_ALL   0     /* shared by all who have the database open */

/* ---- locks on bytes ---- */

/* Is a byte locked, by another open file? An error counts as yes. */
static bool is_locked(int fd, off_t at)
{
	struct flock lock;

	return dit_byte_find_lock(fd, F_WRLCK, at, 1, &lock) != 0;
}

/* ---- opening ---- */

int dit_reader_table_join(struct dit_reader_table *ret, int lock_fd,
                          const struct dit_page_format *format, struct dit_fault *fault)
{
	bool is_first = dit_byte_lock(lock_fd, F_WRLCK, BYTE_OF_ALL) == 0;
	int r = is_first ? 0 : dit_byte_lock(lock_fd, F_RDLCK, BYTE_OF_ALL);

	*ret = (struct dit_reader_table){.lock_fd = lock_fd,
	                                 .format = format,
	                                 .pid = getpid(),
	                                 .is_first = is_first};
	return r == -EAGAIN ? dit_byte_say_holder(lock_fd, F_RDLCK, fault) : r;
}

/* 0; -ESTALE: its last user has removed or emptied it. */
static int look_at_file(struct dit_reader_table *table, struct dit_fault *fault)
{
	const off_t least = DIT_LOCK_HEAD_BYTES + sizeof(struct dit_lock_slot);
	struct stat st;
	off_t n = 0;

	if (fstat(table->lock_fd, &st) != 0) {
		return -errno;
	}
	if (st.st_nlink == 0 || st.st_size == 0) {
		return -ESTALE;
	}
	if (st.st_size < least) {
		return dit_fault_say(fault, DIT_E_UNSUPPORTED,
		                     DIT_LOCK_NAME
		                     " has %lld bytes, which is too short: stop slapd",
		                     (long long)st.st_size);
	}
	n = (st.st_size - DIT_LOCK_HEAD_BYTES) / (off_t)sizeof(struct dit_lock_slot);
	table->nslots = n < NSLOTS_MAX ? (unsigned)n : NSLOTS_MAX;
	return 0;
}

static size_t map_bytes(const struct dit_reader_table *table)
{
	return DIT_LOCK_HEAD_BYTES + table->nslots * sizeof(struct dit_lock_slot);
}

static int map_file(struct dit_reader_table *table, struct dit_fault *fault)
{
	void *map = mmap(NULL, map_bytes(table), PROT_READ | PROT_WRITE, MAP_SHARED,
	                 table->lock_fd, 0);
	uint32_t known = dit_lock_layout(table->format);

	if (map == MAP_FAILED) {
		return -errno;
	}
	table->map = map;
	dit_lock_parts(&table->parts, map, table->format);
	if (*table->parts.magic != DIT_META_MAGIC || *table->parts.layout != known) {
		return dit_fault_say(fault, DIT_E_UNSUPPORTED,
		                     DIT_LOCK_NAME
		                     " has the layout 0x%08x, and 0x%08x alone is known "
		                     "here: OpenLDAP %swas built otherwise. Stop slapd, "
		                     "or export with its slapcat",
		                     *table->parts.layout, known,
		                     table->format->version == dit_lmdb_09.version
		                             ? ""
		                             : "is newer than 2.7.0, or ");
	}
	return 0;
}

static int make_content(struct dit_reader_table *table, int data_fd,
                        struct dit_fault *fault)
{
	int r = dit_lock_file_begin(table->lock_fd, data_fd, fault);

	table->is_first = false;
	return r < 0 ? r : dit_byte_lock(table->lock_fd, F_RDLCK, BYTE_OF_ALL);
}

int dit_reader_table_open(struct dit_reader_table *table, int data_fd,
                          struct dit_fault *fault)
{
	int r = table->is_first ? make_content(table, data_fd, fault) : 0;

	r = r < 0 ? r : look_at_file(table, fault);
	r = r < 0 ? r : map_file(table, fault);
	if (r < 0) {
		dit_reader_table_close(table);
	}
	return r;
}

/* The next process that takes the slot changes all of it. A child that was forked leaves
 * the slots of its parent. */
static void leave(struct dit_reader_table *table)
{
	for (; table->nown > 0; table->nown--) {
		struct dit_lock_slot *slot = table->own[table->nown - 1];

		if (atomic_load(&slot->pid) == (uint32_t)getpid()) {
			atomic_store(&slot->transaction, RESTS);
			atomic_store(&slot->pid, 0);
		}
	}
}

/* Another thread may just start a program: until that runs, it has our files. A child
 * that was forked leaves the locks of its parent. */
static void unlock_bytes(const struct dit_reader_table *table)
{
	struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	if (table->format != NULL && table->pid == getpid()) {
		(void)fcntl(table->lock_fd, F_OFD_SETLK, &all);
	}
}

void dit_reader_table_close(struct dit_reader_table *table)
{
	leave(table);
	unlock_bytes(table);
	if (table->map != NULL) {
		(void)munmap(table->map, map_bytes(table));
	}
	*table = (struct dit_reader_table){.map = NULL};
}

/* ---- slots ---- */

/* The slots that were ever used; all after them are free. */
static unsigned nused(const struct dit_reader_table *table)
{
	uint32_t n = atomic_load(table->parts.nslots);

	return n < table->nslots ? n : table->nslots;
}

/*
 * With the mutex held. A process locks its byte before it takes a slot, and takes it
 * with the mutex held; so who has no lock now is gone, with all its slots.
 */
static void free_dead(const struct dit_reader_table *table)
{
	struct dit_lock_slot *slots = table->parts.slots;
	uint32_t own = (uint32_t)getpid();
	uint32_t alive = own; /* slapd has many slots, one after the other */

	for (unsigned i = 0; i < nused(table); i++) {
		uint32_t pid = atomic_load(&slots[i].pid);

		if (pid == 0 || pid == own || pid == alive) {
			continue;
		}
		if (is_locked(table->lock_fd, pid)) {
			alive = pid;
		} else {
			atomic_store(&slots[i].pid, 0);
		}
	}
}

/* With the mutex held. NULL: there is none. */
static struct dit_lock_slot *take_slot(const struct dit_reader_table *table)
{
	struct dit_lock_slot *slots = table->parts.slots;
	unsigned n = nused(table);
	unsigned i = 0;

	while (i < n && atomic_load(&slots[i].pid) != 0) {
		i++;
	}
	if (i == table->nslots) {
		return NULL;
	}
	/* Writers look without the mutex: first the slot, then that it is used. */
	atomic_store(&slots[i].pid, 0);
	atomic_store(&slots[i].transaction, RESTS);
	slots[i].thread = (uint64_t)(uintptr_t)pthread_self();
	if (i == n) {
		atomic_store(table->parts.nslots, n + 1);
	}
	atomic_store(&slots[i].pid, (uint32_t)getpid());
	return &slots[i];
}

/* ---- the mutexes ---- */

/* Tries again and again: ThreadSanitizer does not know that pthread_mutex_timedlock() can
 * take the mutex of a dead process. */
static int try_for_ms(pthread_mutex_t *mutex, uint64_t ms)
{
	const struct timespec pause = {0, 1000000L};
	int r = pthread_mutex_trylock(mutex);

	for (uint64_t i = 0; i < ms && r == EBUSY; i++) {
		(void)nanosleep(&pause, NULL);
		r = pthread_mutex_trylock(mutex);
	}
	return r;
}

/* 0; EOWNERDEAD: it is ours, and was that of a process that died; or an error. */
static int lock_mutex(pthread_mutex_t *mutex, const char *whose, uint64_t wait_ms,
                      struct dit_fault *fault)
{
	int r = try_for_ms(mutex, wait_ms < MUTEX_WAIT_MS ? MUTEX_WAIT_MS : wait_ms);

	if (r == EBUSY) {
		return dit_fault_say(fault, -ETIMEDOUT,
		                     "a process holds the mutex of %s "
		                     "in " DIT_LOCK_NAME " and does not go on",
		                     whose);
	}
	return r == 0 || r == EOWNERDEAD
	               ? r
	               : dit_fault_say(fault, -r,
	                               "the mutex of %s in " DIT_LOCK_NAME
	                               " cannot be locked: %s. Start slapd again",
	                               whose, dit_errno_text(r));
}

/* A process that died with the mutex held has at most left a slot half taken, which is
 * free, or is freed as those of other dead processes. */
static int lock_table(const struct dit_reader_table *table, uint64_t wait_ms,
                      struct dit_fault *fault)
{
	pthread_mutex_t *mutex = table->parts.readers;
	int r = lock_mutex(mutex, "the table of readers", wait_ms, fault);

	return r == EOWNERDEAD ? -pthread_mutex_consistent(mutex) : r;
}

static void unlock_table(const struct dit_reader_table *table)
{
	(void)pthread_mutex_unlock(table->parts.readers);
}

/* ---- slots of our own ---- */

static int take_slots(struct dit_reader_table *table, unsigned n)
{
	while (table->nown < n) {
		struct dit_lock_slot *slot = take_slot(table);

		if (slot == NULL) {
			leave(table);
			return DIT_LMDB_READERS_FULL;
		}
		table->own[table->nown++] = slot;
	}
	return 0;
}

int dit_reader_table_enter(struct dit_reader_table *table, unsigned n, uint64_t wait_ms,
                           struct dit_fault *fault)
{
	int r = dit_byte_lock(table->lock_fd, F_RDLCK, getpid());

	assert(table->nown == 0 && n <= DIT_READER_OWN_MAX);
	if (r == -EAGAIN) {
		return dit_fault_say(
			fault, r,
			"a process of another container reads the database and has the same process ID, %ld: run the command again",
			(long)getpid());
	}
	r = r ?: lock_table(table, wait_ms, fault);
	if (r < 0) {
		return r;
	}
	free_dead(table);
	r = take_slots(table, n);
	unlock_table(table);
	return r;
}

/* All of these are in one order for all processes: our slot is written before the last
 * number is read again. */
uint64_t dit_reader_table_renew(struct dit_reader_table *table, unsigned number)
{
	uint64_t last = 0;

	assert(number < table->nown);
	do {
		last = dit_reader_table_last(table);
		atomic_store(&table->own[number]->transaction, last);
	} while (dit_reader_table_last(table) != last);
	return last;
}

uint64_t dit_reader_table_last(const struct dit_reader_table *table)
{
	return atomic_load(table->parts.transaction);
}

/* ---- writers ---- */

static int recover(const struct dit_reader_table *table, int data_fd)
{
	struct dit_metas metas;
	int r = dit_metas_read(data_fd, table->format, &metas);

	if (r == 0) {
		dit_reader_table_set_last(table, dit_metas_newest(&metas)->transaction);
		r = -pthread_mutex_consistent(table->parts.writers);
	}
	return r;
}

int dit_reader_table_lock(struct dit_reader_table *table, int data_fd, uint64_t wait_ms,
                          struct dit_fault *fault)
{
	int r = lock_mutex(table->parts.writers, "writers", wait_ms, fault);

	if (r == EOWNERDEAD) {
		r = recover(table, data_fd);
		if (r < 0) {
			dit_reader_table_unlock(table);
		}
	}
	return r;
}

void dit_reader_table_unlock(const struct dit_reader_table *table)
{
	(void)pthread_mutex_unlock(table->parts.writers);
}

void dit_reader_table_set_last(const struct dit_reader_table *table, uint64_t transaction)
{
	atomic_store(table->parts.transaction, transaction);
}

int dit_reader_table_mend(const struct dit_reader_table *table, int data_fd)
{
	int r = pthread_mutex_trylock(table->parts.writers);
	bool is_ours = r == 0 || r == EOWNERDEAD;

	r = r == EOWNERDEAD ? recover(table, data_fd) : 0;
	if (is_ours) {
		dit_reader_table_unlock(table);
	}
	return r;
}

/* A reader that comes now takes the last transaction, which is not older. */
int dit_reader_table_oldest(const struct dit_reader_table *table, uint64_t *ret,
                            struct dit_fault *fault)
{
	const struct dit_lock_slot *slots = table->parts.slots;
	int r = lock_table(table, 0, fault);

	if (r < 0) {
		return r;
	}
	free_dead(table);
	unlock_table(table);
	for (unsigned i = 0; i < nused(table); i++) {
		uint64_t transaction = atomic_load(&slots[i].transaction);

		if (atomic_load(&slots[i].pid) != 0 && transaction < *ret) {
			*ret = transaction;
		}
	}
	return 0;
}
