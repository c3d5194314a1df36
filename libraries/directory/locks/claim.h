/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims: one process alone may write a database directory.
 *
 *   dit_claim_take();  build, rename;  dit_claim_drop()
 *
 * A claim is two locks, which both vanish with the process:
 *
 *   flock on the directory itself      keeps other loaders out
 *   fcntl write lock on DIR/lock.mdb   keeps out everything that uses LMDB
 *
 * The latter is that of an open file (F_OFD_SETLK), which stays when another thread that
 * wanted to read closes its lock.mdb (reader_table.c). LMDB's own locks are those of a
 * process. Both kinds keep each other out, in one process, too.
 *
 * LMDB holds a shared fcntl lock on byte 0 of lock.mdb as long as an environment is open,
 * so the write lock is refused while slapd or a tool runs (DIT_E_BUSY). A program that
 * starts while we hold it waits inside mdb_env_open() for the claim to be dropped. LMDB
 * takes that lock before it opens data.mdb for writing: a slapd that waited finds the
 * finished database, never the file that the rename has replaced.
 *
 * Limits: LMDB's locks of a process are lost when it closes any descriptor of the file,
 * as that of a claim that is refused.
 *
 * Threads: a claim belongs to one thread at a time.
 */
#ifndef DITKIT_CLAIM_H
#define DITKIT_CLAIM_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>

#include "files/fault.h"

struct dit_claim {
	int dir_fd;          /* the directory, under flock */
	int lock_fd;         /* its lock.mdb, write-locked; -1: of the directory alone */
	bool made_lock_file; /* there was none */
};

/**
 * @param dir_fd  the open directory; belongs to the claim from now on, and is closed if
 *                there is none
 * @param mode    of a lock.mdb that has to be made (umask applies); as root it gets the
 *                owner of the directory, so that slapd can open it
 * @param fault   may be NULL
 *
 * @return 0; DIT_E_BUSY, with a fault that is the name and number of the process, if the
 *         system tells them; -errno, with a fault if lock.mdb is a link or no regular
 *         file. Nothing is changed then.
 */
int dit_claim_take(struct dit_claim *ret, int dir_fd, mode_t mode,
                   struct dit_fault *fault);

/* ---- locks on bytes of lock.mdb ---- */

/** Lock a byte for this open file (F_RDLCK, F_WRLCK), or let it go. 0; -EAGAIN: another
 * open file keeps us from it; -errno */
int dit_byte_lock(int lock_fd, short type, off_t at);
/** The lock that keeps us from one on these bytes; with a @p len of 0 up to the end. 1;
 * 0: there is none; -errno */
int dit_byte_find_lock(int lock_fd, short type, off_t at, off_t len, struct flock *ret);
/** The process that keeps us from such a lock on byte 0, if the system names it: none in
 * another container. As below */
int dit_byte_say_holder(int lock_fd, short type, struct dit_fault *fault);

/** "NAME, process NUMBER", or nothing if the number is no process's. DIT_E_BUSY */
int dit_claim_say_process(long number, struct dit_fault *fault);

/** The process that has the database, after DIT_E_BUSY; static, or the fault's text. */
static inline const char *dit_claim_holder(const struct dit_fault *fault)
{
	return fault->text[0] == '\0' ? "slapd or another tool" : fault->text;
}

/** Lock the directory alone: other loaders are kept out, users of the database are not.
 * As above */
int dit_claim_take_directory(struct dit_claim *ret, int dir_fd);

enum dit_claim_end {
	DIT_CLAIM_UNUSED,    /* nothing was done: lock.mdb is as it was before */
	DIT_CLAIM_PUBLISHED, /* lock.mdb is in order (lock_file.h) and stays */
};

/** Let go. A lock.mdb that was made by dit_claim_take() is removed again unless
 * published. */
void dit_claim_drop(struct dit_claim *claim, enum dit_claim_end end);

#endif
