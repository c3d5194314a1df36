/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "locks/claim.h"

#define NATTEMPTS 100
#define PAUSE_NS  10000000L

struct holders {
	long *pids; /* owned; 0: a process that is not seen here */
	size_t n;
	size_t size;
};

/* ---- the keeper ---- */

struct order {
	long pid;
	char file[DIT_PROCESS_FILE_BYTES];
};

struct answer {
	uint64_t bytes;
	int error;
};

static void keep(const void *ctx, int fd)
{
	struct order order;

	(void)ctx;
	while (recv(fd, &order, sizeof(order), MSG_WAITALL) == sizeof(order)) {
		struct answer answer = {.bytes = 0};

		order.file[sizeof(order.file) - 1] = '\0';
		answer.error = dit_process_mapped(order.pid, order.file, &answer.bytes);
		(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
	}
}

int dit_mapped_keeper_start(struct dit_keeper *ret)
{
	return dit_keeper_start(ret, -1, keep, NULL);
}

static int ask(const struct dit_mapped_opts *opts, long pid, const char *file,
               uint64_t *ret)
{
	struct order order = {.pid = pid};
	struct answer answer = {.bytes = 0};
	int r = 0;

	if (opts->keeper == NULL || opts->keeper->pid == 0) {
		return dit_process_mapped(pid, file, ret);
	}
	memcpy(order.file, file, sizeof(order.file));
	r = dit_keeper_ask(opts->keeper, &order, sizeof(order), &answer, sizeof(answer));
	*ret = answer.bytes;
	return r < 0 ? r : answer.error;
}

/* ---- who ---- */

static int add(struct holders *holders, long pid)
{
	for (size_t i = 0; i < holders->n; i++) {
		if (holders->pids[i] == pid) {
			return 0;
		}
	}
	if (pid == getpid()) {
		return 0;
	}
	return DIT_APPEND(holders->pids, holders->size, holders->n, pid);
}

/* All who have read, each with the byte of its number; and one who has the database
 * open. A lock has the number -1 if it is that of an open file, 0 if the process is not
 * seen here. */
static int ask_locks(const struct dit_mapped_opts *opts, struct holders *holders)
{
	struct flock lock;
	off_t from = 0;
	int r = dit_byte_find_lock(opts->lock_fd, F_WRLCK, 0, 1, &lock);

	while (r > 0) {
		from = from == 0 ? 1 : lock.l_start + lock.l_len;
		r = lock.l_pid < 0 ? 0 : add(holders, lock.l_pid);
		if (r == 0 && lock.l_len > 0) { /* 0: all that follows */
			r = dit_byte_find_lock(opts->lock_fd, F_WRLCK, from, 0, &lock);
		}
	}
	return r;
}

/* A line: "1: POSIX  ADVISORY  READ 12 fe:00:1234 0 0". Is it of lock.mdb? */
static int take_lock(const char *line, const char *const files[2],
                     struct holders *holders)
{
	char file[DIT_PROCESS_FILE_BYTES];
	long pid = 0;

	if (sscanf(line, "%*s POSIX %*s %*s %ld %47s", &pid, file) == 2 && pid > 0 &&
	    (strcmp(file, files[0]) == 0 || strcmp(file, files[1]) == 0)) {
		return add(holders, pid);
	}
	return 0;
}

/*
 * All who are seen here. The device is that of data.mdb's mappings, or what stat(2) has:
 * file systems differ in which of the two they show.
 */
static int read_locks(const struct dit_mapped_opts *opts, const char *data_file,
                      struct holders *holders)
{
	char names[2][DIT_PROCESS_FILE_BYTES];
	const char *const files[2] = {names[0], names[1]};
	char line[256];
	struct stat st;
	FILE *file = NULL;
	int r = 0;

	if (fstat(opts->lock_fd, &st) != 0) {
		return -errno;
	}
	file = fopen("/proc/locks", "re");
	if (file == NULL) {
		return -errno;
	}
	(void)snprintf(names[0], sizeof(names[0]), "%.*s:%lu",
	               (int)strcspn(data_file, " "), data_file, st.st_ino);
	(void)snprintf(names[1], sizeof(names[1]), "%02x:%02x:%lu", major(st.st_dev),
	               minor(st.st_dev), st.st_ino);
	while (r == 0 && fgets(line, sizeof(line), file) != NULL) {
		r = take_lock(line, files, holders);
	}
	(void)fclose(file);
	return r;
}

/* ---- how much ---- */

static void not_known(struct dit_mapped *mapped, long pid, int error)
{
	mapped->bytes = 0;
	mapped->error = error;
	if (pid == 0) {
		(void)strcpy(mapped->who, "a process of another container");
	} else {
		dit_process_name(pid, mapped->who);
	}
}

/* 1; 0: it has mapped nothing yet, or is gone. */
static int add_process(const struct dit_mapped_opts *opts, long pid, const char *file,
                       struct dit_mapped *mapped)
{
	const struct dit_mapped_conf *conf = &opts->conf;
	uint64_t bytes = 0;
	int r = 0;

	if (pid == 0) {
		not_known(mapped, pid, -ESRCH);
		return 1;
	}
	r = ask(opts, pid, file, &bytes);
	if (r == -ENOENT || r == -ESRCH || (r == 0 && bytes == 0)) {
		not_known(mapped, pid, r == 0 ? -EAGAIN : r);
		return 0;
	}
	if (r == 0 && opts->is_encrypted) {
		r = -ENOTSUP;
	}
	if (r < 0 &&
	    dit_process_has_conf(pid, conf->path, conf->changed_us, conf->read_us)) {
		bytes = conf->map_bytes;
		r = 0;
	}
	if (r < 0) {
		not_known(mapped, pid, r);
	} else if (bytes < mapped->bytes) {
		mapped->bytes = bytes;
		dit_process_name(pid, mapped->who);
	}
	return 1;
}

static int look(const struct dit_mapped_opts *opts, const char *file,
                struct dit_mapped *ret)
{
	struct holders holders = {.n = 0};
	int r = ask_locks(opts, &holders);

	*ret = (struct dit_mapped){.bytes = UINT64_MAX};
	r = r ?: read_locks(opts, file, &holders);
	r = r == 0 ? 1 : r;
	for (size_t i = 0; i < holders.n && r == 1 && ret->error == 0; i++) {
		r = add_process(opts, holders.pids[i], file, ret);
	}
	free(holders.pids);
	return r;
}

int dit_mapped_find(const struct dit_mapped_opts *opts, struct dit_mapped *ret)
{
	const struct timespec pause = {0, PAUSE_NS};
	char file[DIT_PROCESS_FILE_BYTES] = "";
	int r = dit_process_file(opts->data_fd, file);

	r = r ?: look(opts, file, ret);
	for (unsigned i = 1; i < NATTEMPTS && r == 0; i++) {
		(void)nanosleep(&pause, NULL);
		r = look(opts, file, ret);
	}
	return r < 0 ? r : 0;
}

/* ---- words ---- */

/* How much is mapped; and the way out, besides stopping slapd. */
static const char *const words[][2] = {
	{"may not be looked at here",
         "start ditindex as root, in a container with CAP_SYS_PTRACE"},
	{"cannot be looked at here", "start ditindex where its processes are seen"},
	{"is not known, as it is encrypted and slapd was started with another configuration",
         "start slapd again with the absolute path of this configuration"},
	{"is nothing so far", "try again"},
};

static const char *const *choose_words(int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return words[0];
	case -ENOTSUP:
		return words[2];
	case -EAGAIN:
		return words[3];
	default:
		return words[1];
	}
}

int dit_mapped_say(const struct dit_mapped *mapped, struct dit_fault *fault, int r)
{
	const char *const *way = choose_words(mapped->error);

	if (mapped->error != 0) {
		return dit_fault_say(
			fault, r,
			"data.mdb has to grow and is open in %s; how much of it is mapped there %s: %s, or stop slapd and leave --online out",
			mapped->who, way[0], way[1]);
	}
	return dit_fault_say(fault, r,
	                     "data.mdb is open in %s, which has mapped %lu bytes of it, "
	                     "too little for the old indexes and the new ones: %s",
	                     mapped->who, mapped->bytes,
	                     strncmp(mapped->who, "slapd,", 6) == 0
	                             ? "start it again with a larger maxsize"
	                             : "wait until it has ended");
}
