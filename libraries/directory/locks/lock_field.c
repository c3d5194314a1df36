/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/lock_field.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "files/fault.h"
#include "files/files.h"
#include "files/lmdb_error.h"
#include "locks/private_dir.h"
#include "system/file_io.h"

#define FILE_BYTES 4096 /* the table of readers may begin here; the word comes before */
#define NWORDS     (FILE_BYTES / sizeof(uint64_t))
#define NCOMMITS   5

struct probe {
	int data_fd; /* neither file has a name */
	int lock_fd;
	MDB_env *env;
	uint64_t words[NWORDS];
	bool is_out[NWORDS]; /* is not the place */
};

static int commit_once(struct probe *probe, uint64_t *ret_id)
{
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_envinfo info;
	MDB_val key = {1, (void *)"k"};
	int r = dit_lmdb_error(mdb_txn_begin(probe->env, NULL, 0, &txn));

	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, NULL, 0, &dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_put(txn, dbi, &key, &key, 0));
	}
	if (r < 0) {
		mdb_txn_abort(txn);
		return r;
	}
	r = dit_lmdb_error(mdb_txn_commit(txn));
	if (r == 0) {
		r = dit_lmdb_error(mdb_env_info(probe->env, &info));
	}
	*ret_id = r == 0 ? info.me_last_txnid : 0;
	return r;
}

static int read_words(struct probe *probe)
{
	ssize_t n = 0;

	memset(probe->words, 0, sizeof(probe->words));
	n = dit_read_at(probe->lock_fd, probe->words, sizeof(probe->words), 0);
	return n < 0 ? (int)n : 0;
}

/* @return 0; the first words are the layout */
static int watch(struct probe *probe)
{
	int r = 0;

	for (unsigned i = 0; i < NCOMMITS && r == 0; i++) {
		uint64_t id = 0;

		r = commit_once(probe, &id);
		if (r == 0) {
			r = read_words(probe);
		}
		for (size_t k = 0; r == 0 && k < NWORDS; k++) {
			probe->is_out[k] |= probe->words[k] != id;
		}
	}
	return r;
}

static int open_probe(struct probe *probe, struct dit_fault *fault)
{
	int r = 0;

	probe->data_fd = memfd_create(DIT_DATA_NAME, MFD_CLOEXEC);
	probe->lock_fd = memfd_create(DIT_LOCK_NAME, MFD_CLOEXEC);
	if (probe->data_fd < 0 || probe->lock_fd < 0) {
		return -errno;
	}
	r = dit_lmdb_error(mdb_env_create(&probe->env));
	if (r < 0) {
		probe->env = NULL;
		return r;
	}
	return dit_env_open_private(probe->env, probe->data_fd, probe->lock_fd,
	                            MDB_NOSYNC, fault);
}

static void close_probe(struct probe *probe)
{
	if (probe->env != NULL) {
		mdb_env_close(probe->env);
	}
	if (probe->lock_fd >= 0) {
		(void)close(probe->lock_fd);
	}
	if (probe->data_fd >= 0) {
		(void)close(probe->data_fd);
	}
}

/* The only word that is left. */
static bool find_word(const struct probe *probe, size_t *ret)
{
	size_t n = 0;

	for (size_t k = 0; k < NWORDS; k++) {
		if (!probe->is_out[k]) {
			*ret = k;
			n++;
		}
	}
	return n == 1;
}

static int say_unknown(struct dit_fault *fault, const char *why)
{
	return dit_fault_say(
		fault, DIT_E_UNSUPPORTED,
		"the layout of lock.mdb is not known (%s), so indexes cannot "
		"be built next to slapd: stop slapd",
		why);
}

static int map_word(struct dit_lock_field *ret, const struct probe *probe, size_t word,
                    int lock_fd, uint64_t transaction, struct dit_fault *fault)
{
	void *map =
		mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, lock_fd, 0);

	if (map == MAP_FAILED) {
		return -errno;
	}
	*ret = (struct dit_lock_field){.place = (_Atomic uint64_t *)map + word,
	                               .map = map,
	                               .map_bytes = FILE_BYTES};
	if (memcmp(map, probe->words, sizeof(uint64_t)) != 0) {
		dit_lock_field_close(ret);
		return say_unknown(fault, "it was made by another liblmdb");
	}
	if (dit_lock_field_get(ret) != transaction) {
		dit_lock_field_close(ret);
		return say_unknown(fault, "it does not have the last transaction");
	}
	return 0;
}

int dit_lock_field_open(struct dit_lock_field *ret, int lock_fd, uint64_t transaction,
                        struct dit_fault *fault)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	size_t word = 0;
	int r = 0;

	*ret = (struct dit_lock_field){.place = NULL};
	if (probe == NULL) {
		return -ENOMEM;
	}
	r = open_probe(probe, fault);
	if (r == 0) {
		r = watch(probe);
	}
	if (r == 0 && !find_word(probe, &word)) {
		r = say_unknown(fault, "no word of it goes along with transactions");
	}
	if (r == 0) {
		r = map_word(ret, probe, word, lock_fd, transaction, fault);
	}
	close_probe(probe);
	free(probe);
	return r;
}

void dit_lock_field_close(struct dit_lock_field *field)
{
	if (field->map != NULL) {
		(void)munmap(field->map, field->map_bytes);
	}
	*field = (struct dit_lock_field){.place = NULL};
}

void dit_lock_field_set(const struct dit_lock_field *field, uint64_t transaction)
{
	atomic_store_explicit(field->place, transaction, memory_order_release);
}

uint64_t dit_lock_field_get(const struct dit_lock_field *field)
{
	return atomic_load_explicit(field->place, memory_order_acquire);
}
