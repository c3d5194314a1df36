/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which user works on a database: --user, else the owner of the database directory.
 *
 * A program that root has started becomes that user before it opens anything in the
 * directory, as slapd does with -u. Whoever owns the directory can exchange everything
 * in it; then nothing is gained by it that the user could not do himself. There is no way
 * back, and the user cannot look into the process.
 *
 *     common_user_read(&options->user, "ditadd", text)        --user
 *     opts.before_open = common_become_user;
 *     opts.before_open_ctx = &options->user;
 *
 * Threads: belongs to the thread that has started none yet.
 */
#ifndef DITKIT_COMMON_USER_H
#define DITKIT_COMMON_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct common_user {
	const char *program; /* in messages */
	bool writes;         /* the database will be changed, not only read */
	bool is_verbose;     /* say who is become */

	bool was_root; /* root has started the program */
	/* Of --user, or found. */
	bool is_given;
	uid_t uid;
	gid_t gid;
	char name[64]; /* in the user database; empty: it has no such user */
};

/**
 * USER or USER:GROUP, names or numbers. A user that the user database does not have needs
 * a group. USER root stays root.
 *
 * @return 0; -1 after a message on standard error
 */
int common_user_read(struct common_user *user, const char *text);

/**
 * A dit_before_open_fn: become the user that works on these directories. Without root
 * nothing changes.
 *
 * @param ctx          the struct common_user
 * @param directories  all of one owner, unless --user was given; of a file the directory
 *                     counts that the file lies in
 *
 * @return 0; -errno after a message on standard error
 */
int common_become_user(void *ctx, const char *const *directories, size_t n);

#endif
