/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where mutexes have another size than known the file stays empty. A slapd that has
 * waited does not start with an empty file, nor with one whose layout is not its own; the
 * next one makes a new file.
 */
#include "locks/lock_file.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

#define LOCK_FILE_BYTES 8192 /* with room for LMDB's 126 readers (storage.md 1.1) */
#define MUTEX_BYTES     40

/* ---- the layouts ---- */

struct layout {
	uint32_t word;
	unsigned transaction; /* where it is */
	unsigned nslots;
	unsigned readers;
};

static const struct layout layout_09 = {.word = 0x00010001,
                                        .transaction = 48,
                                        .nslots = 56,
                                        .readers = 8};
static const struct layout layout_10 = {.word = 0x2c2f6002,
                                        .transaction = 8,
                                        .nslots = 16,
                                        .readers = 24};

static const struct layout *layout_of(const struct dit_page_format *format)
{
	return format->version == dit_lmdb_09.version ? &layout_09 : &layout_10;
}

uint32_t dit_lock_layout(const struct dit_page_format *format)
{
	return sizeof(pthread_mutex_t) == MUTEX_BYTES ? layout_of(format)->word : 0;
}

void dit_lock_parts(struct dit_lock_parts *ret, void *file,
                    const struct dit_page_format *format)
{
	const struct layout *layout = layout_of(format);
	char *bytes = file;

	*ret = (struct dit_lock_parts){
		.magic = file,
		.layout = (void *)(bytes + sizeof(uint32_t)),
		.transaction = (void *)(bytes + layout->transaction),
		.nslots = (void *)(bytes + layout->nslots),
		.readers = (void *)(bytes + layout->readers),
		.writers = (void *)(bytes + DIT_LOCK_HEAD_BYTES / 2),
		.slots = (void *)(bytes + DIT_LOCK_HEAD_BYTES),
	};
}

/* ---- the content ---- */

static int init_mutexes(const struct dit_lock_parts *parts)
{
	pthread_mutexattr_t attr;
	int r = pthread_mutexattr_init(&attr);

	if (r != 0) {
		return -r;
	}
	r = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	r = r ?: pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	r = r ?: pthread_mutex_init(parts->readers, &attr);
	r = r ?: pthread_mutex_init(parts->writers, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	return -r;
}

static int write_content(int lock_fd, int data_fd)
{
	_Alignas(struct dit_lock_slot) char bytes[LOCK_FILE_BYTES] = {0};
	const struct dit_page_format *format =
		dit_meta_version(data_fd) == dit_lmdb_10.version ? &dit_lmdb_10
								 : &dit_lmdb_09;
	struct dit_lock_parts parts;
	struct dit_metas metas;
	int r = dit_lock_layout(format) == 0 ? DIT_E_UNSUPPORTED
	                                     : dit_metas_read(data_fd, format, &metas);

	if (r < 0) {
		return r;
	}
	dit_lock_parts(&parts, bytes, format);
	*parts.magic = DIT_META_MAGIC;
	*parts.layout = dit_lock_layout(format);
	atomic_init(parts.transaction, dit_metas_newest(&metas)->transaction);
	r = init_mutexes(&parts);
	return r < 0 ? r : dit_write_at(lock_fd, bytes, sizeof(bytes), 0);
}

void dit_lock_file_set_up(const struct dit_claim *claim, int data_fd)
{
	if (ftruncate(claim->lock_fd, 0) == 0 &&
	    write_content(claim->lock_fd, data_fd) < 0 &&
	    ftruncate(claim->lock_fd, 0) != 0) {
		/* Nothing better can be done: slapd makes the file again if it is the
		 * first. */
	}
}

int dit_lock_file_begin(int lock_fd, int data_fd, struct dit_fault *fault)
{
	int r = write_content(lock_fd, data_fd);

	return r != DIT_E_UNSUPPORTED
	               ? r
	               : dit_fault_say(fault, r,
	                               "lock.mdb cannot be made on this machine, where "
	                               "mutexes have %zu bytes",
	                               sizeof(pthread_mutex_t));
}
