/* SPDX-License-Identifier: BSD-2-Clause */
/*
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
