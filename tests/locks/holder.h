/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another process that has a database open as LMDB has: it shares the lock on byte 0 of
 * lock.mdb, and has mapped so much of data.mdb as its maxsize says. It also has what the
 * process has mapped that starts it.
 */
#ifndef DITKIT_HOLDER_H
#define DITKIT_HOLDER_H

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "test.h"

struct holder_opts {
	const char *dir;
	uint64_t map_bytes;  /* 0: it maps nothing until it is told */
	bool is_late;        /* it opens the database when it is told to */
	bool is_reader;      /* it has the lock on the byte of its number */
	bool is_hidden;      /* only root may look at its maps */
	bool is_of_file;     /* the lock is that of an open file, as ours for LMDB 1.0 */
	void (*begin)(void); /* in the process; may be NULL */
};

struct holder {
	pid_t pid;
	int line; /* a byte: map so many times 64 KiB; 0: end */
	int begun;
};

static inline void holder_must(bool is_fine)
{
	if (!is_fine) {
		_exit(12);
	}
}

static inline int holder_file(const char *dir, const char *name)
{
	char *path = test_text("%s/%s", dir, name);

	return open(path, O_RDWR);
}

static inline void holder_lock(int fd, int cmd, short type, off_t at)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	holder_must(fcntl(fd, cmd, &lock) == 0);
}

static inline void holder_open(const struct holder_opts *opts)
{
	int fd = holder_file(opts->dir, "lock.mdb");

	holder_lock(fd, opts->is_of_file ? F_OFD_SETLK : F_SETLK, F_RDLCK, 0);
	if (opts->is_reader) {
		holder_lock(fd, F_SETLK, F_WRLCK, getpid());
	}
	if (opts->is_hidden) {
		holder_must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
	}
	if (opts->begin != NULL) {
		opts->begin();
	}
}

static inline void holder_map(const char *dir, uint64_t bytes)
{
	int fd = holder_file(dir, "data.mdb");

	holder_must(bytes == 0 ||
	            mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
	(void)close(fd);
}

static inline void holder_live(const struct holder_opts *opts, int line, int begun)
{
	uint64_t bytes = opts->map_bytes;
	unsigned char order = 0;

	if (opts->is_late) {
		holder_must(write(begun, "x", 1) == 1 && read(line, &order, 1) == 1);
	}
	holder_open(opts);
	do {
		holder_map(opts->dir, bytes);
		holder_must(write(begun, "x", 1) == 1 && read(line, &order, 1) == 1);
		bytes += (uint64_t)order << 16;
	} while (order != 0);
	_exit(0);
}

/* Until it has done what it was told. */
static inline void holder_wait(const struct holder *holder)
{
	char byte = 0;

	assert_int_equal(read(holder->begun, &byte, 1), 1);
}

static inline void holder_tell(const struct holder *holder, unsigned char order)
{
	assert_int_equal(write(holder->line, &order, 1), 1);
	if (order != 0) {
		holder_wait(holder);
	}
}

static inline struct holder holder_start(const struct holder_opts *opts)
{
	struct holder holder;
	int line[2];
	int begun[2];

	assert_int_equal(pipe2(line, O_CLOEXEC), 0);
	assert_int_equal(pipe2(begun, O_CLOEXEC), 0);
	holder = (struct holder){.pid = fork(), .line = line[1], .begun = begun[0]};
	assert_true(holder.pid >= 0);
	if (holder.pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		holder_live(opts, line[0], begun[1]);
	}
	(void)close(line[0]);
	(void)close(begun[1]);
	holder_wait(&holder);
	return holder;
}

static inline void holder_end(const struct holder *holder)
{
	holder_tell(holder, 0);
	(void)close(holder->line);
	(void)close(holder->begun);
	assert_int_equal(test_wait(holder->pid), 0);
}

#endif
