/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by lmdb_reader.c (opening and closing; LMDB 0.9, by way of liblmdb) and
 * lmdb_reader_10.c (LMDB 1.0, by way of reader_table.h).
 *
 * Threads: as lmdb_reader.h says.
 */
#ifndef DITKIT_LMDB_READER_IMPL_H
#define DITKIT_LMDB_READER_IMPL_H

#include "locks/lmdb_reader.h"

/** To see one state while others commit. */
#define DIT_LMDB_READER_ATTEMPTS 1000

/** As the functions of lmdb_reader.h, of one format. */
struct dit_lmdb_reader_ops {
	int (*renew)(struct dit_lmdb_reader *reader, unsigned number,
	             uint64_t *ret_txn_id);
	int (*lock)(struct dit_lmdb_reader *reader, uint64_t wait_ms,
	            struct dit_fault *fault);
	void (*unlock)(struct dit_lmdb_reader *reader);
	/* @param ret  has the newest state that counts */
	int (*find_oldest)(const struct dit_lmdb_reader *reader, uint64_t *ret,
	                   struct dit_fault *fault);
	int (*find_last)(struct dit_lmdb_reader *reader, struct dit_fault *fault);
	uint64_t (*get_last)(const struct dit_lmdb_reader *reader);
	void (*set_last)(const struct dit_lmdb_reader *reader, uint64_t txn_id);
};

/** The caller's function. */
struct dit_lmdb_reader_looking {
	dit_lmdb_reader_look_fn look; /* may be NULL */
	void *ctx;
};

/** Let it look at the reader's state. */
int dit_lmdb_reader_look(const struct dit_lmdb_reader *reader,
                         const struct dit_lmdb_reader_looking *looking);

/** The descriptor of a new lock.mdb, which is as data.mdb is; -EEXIST; -errno */
int dit_lmdb_reader_make_lock_file(int dir_fd, int data_fd);

/** Wait for a moment. 0; MDB_READERS_FULL: @p wait_ms are over */
int dit_lmdb_reader_wait(uint64_t wait_ms, uint64_t *waited_ms);

/** Open one of LMDB 1.0. After an error it is closed with dit_lmdb_reader_close(). */
int dit_lmdb_reader_open_10(struct dit_lmdb_reader *reader, const char *directory,
                            const struct dit_lmdb_reader_opts *opts,
                            const struct dit_lmdb_reader_looking *looking);

#endif
