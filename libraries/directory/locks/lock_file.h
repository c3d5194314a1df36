/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of lock.mdb, as liblmdb has them where it is built for 64 bits,
 * little-endian, with mutexes of 40 bytes:
 *
 *   LMDB 0.9  LMDB 1.0   bytes  what
 *          0         0       4  de c0 ef be, as in data.mdb
 *          4         4       4  the layout: 01 00 01 00, or 02 60 2f 2c
 *         48         8       8  number of the last transaction
 *         56        16       4  how many slots of readers were ever used
 *          8        24      40  the mutex of the table of readers
 *         64        64      40  the mutex of writers
 *        128       128  64 * n  the slots of readers; n is 126, or "maxreaders"
 *
 * A slot has the number of the transaction that is read (8 bytes; ff ff ... for a reader
 * that rests), of the process (4; 0: the slot is free), 4 unused bytes, and of the
 * thread (8). Both mutexes are those of <pthread.h>: robust, shared between processes.
 *
 * The layout has a version. In 0.9 it also has flags, and in 1.0 a number that liblmdb
 * makes of the sizes and kinds of all these. LMDB 0.9.24 to 0.9.33 and 1.0.1 have the two
 * layouts of the table. Any other one is refused (reader_table.h).
 *
 * The number of the last transaction leads to the meta page that counts: its lowest bit
 * is the page's number.
 *
 * The first process that opens the database makes the content. A claim (claim.h) makes it
 * when it ends: a slapd that waits for the claim takes the file for that of a running
 * environment and makes no content, so without this content it would fail to start.
 *
 * Threads: as the claim.
 */
#ifndef DITKIT_LOCK_FILE_H
#define DITKIT_LOCK_FILE_H

#include <pthread.h>
#include <stdint.h>

#include "locks/claim.h"
#include "page/page_format.h"

/* Before the slots of readers. */
#define DIT_LOCK_HEAD_BYTES 128

struct dit_lock_slot {
	_Alignas(64) _Atomic uint64_t transaction;
	_Atomic uint32_t pid;
	uint64_t thread;
};

/** The parts of a mapped lock.mdb. All point into it. */
struct dit_lock_parts {
	uint32_t *magic;
	uint32_t *layout;
	_Atomic uint64_t *transaction;
	_Atomic uint32_t *nslots;
	pthread_mutex_t *readers; /* to take a slot, or free that of another process */
	pthread_mutex_t *writers;
	struct dit_lock_slot *slots;
};

/** The parts of a file that belongs to a data.mdb of this format. */
void dit_lock_parts(struct dit_lock_parts *ret, void *file,
                    const struct dit_page_format *format);

/** The layout of such a file. 0: mutexes of this machine have another size, so none is
 * known */
uint32_t dit_lock_layout(const struct dit_page_format *format);

/**
 * When a claim ends: make the content for a database of either format. If that fails,
 * lock.mdb is empty, since a process that waits would trust the state of an older
 * database. The open of this process fails, and the next open makes the content.
 *
 * @param data_fd  the data.mdb that is in place now; negative: none
 */
void dit_lock_file_set_up(const struct dit_claim *claim, int data_fd);

/**
 * Make the content, whatever was there. For the first process that opens a database; it
 * keeps others away until then.
 *
 * @return 0; DIT_E_UNSUPPORTED, with a fault: mutexes have another size here; -errno;
 *         what dit_metas_read() returns
 */
int dit_lock_file_begin(int lock_fd, int data_fd, struct dit_fault *fault);

#endif
