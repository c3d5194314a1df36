/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process: its limits, its signals, its user.
 *
 * Signals: the first interrupt ends the work of a program in order. A second one kills
 * the program, which is safe as well. SIGUSR1 asks for a line about the progress.
 *
 * Root works on a database as the owner of its directory.
 *
 * A program that root has started becomes that user before it opens anything in the
 * directory, as slapd does with -u. The owner of the directory can exchange everything in
 * it; so the program does nothing there that he could not do himself. There is no way
 * back, and the user cannot look into the process. In a directory of root's the program
 * stays root, and the library refuses one in which another user can exchange names.
 *
 *     opts.before_open = common_become_user;
 *     opts.before_open_ctx = &options->user;
 *
 * Threads: belongs to the thread that has started none yet.
 */
#ifndef DITKIT_COMMON_PROCESS_H
#define DITKIT_COMMON_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Raise the limit of open files to the hard limit: sorted runs are open files. */
void common_raise_file_limit(void);

/** A program, without its beginning. @return its exit status */
typedef int (*common_main_fn)(int argc, char *argv[]);

/**
 * The beginning of every program: raise a lower limit of the stack to 256 KiB, for all
 * threads, spare address space if there is a limit of it (RLIMIT_AS), then run. The frame
 * of `run` may be larger than the stack was. Then write out standard output.
 *
 * @return what `run` returns; `failed` after a message: the hard limit is lower, or
 * something of standard output is lost
 */
int common_start(const char *program, int failed, common_main_fn run, int argc,
                 char *argv[]);

/**
 * Catch SIGINT, SIGTERM, SIGHUP and SIGPIPE. A signal that is ignored at the start of
 * the program, as by nohup or by a script's "&", stays ignored. A file size limit becomes
 * an error of write() and does not kill the program. A page of a mapped file that the
 * system cannot give ends the program with a message and exit status 1.
 *
 * @return for the `stop` of a library call: 0, or the number of the signal
 */
const volatile sig_atomic_t *common_catch_interrupts(void);

/**
 * Catch the signal that asks for the progress; if it is ignored, it stays ignored.
 *
 * @return 0, or a signal has come since the caller set it to 0
 */
volatile sig_atomic_t *common_catch_requests(void);

struct common_user {
	bool writes;     /* the database will be changed, not only read */
	bool is_verbose; /* say who is become */

	bool was_root; /* root has started the program */
	/* Set where root becomes another user. */
	uid_t uid;
	gid_t gid;
	char name[64];     /* in the user database; empty: it has no such user */
	const char *owned; /* one of the directories; borrowed */
};

/**
 * A dit_before_open_fn: become the owner of these directories. Without root
 * nothing changes.
 *
 * @param ctx          the struct common_user
 * @param directories  of one user, or of root and one user, who then works on all; for a
 *                     file the directory counts in which it lies
 *
 * @return 0; -errno after a message on standard error
 */
int common_become_user(void *ctx, const char *const *directories, size_t n);

#endif
