/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/lock_field.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/tmp_dir.h"
#include "base/whole_io.h"
#include "store/fault.h"
#include "store/lmdb_error.h"

#define FILE_BYTES 4096 /* the table of readers may begin here; the word comes before */
#define NWORDS     (FILE_BYTES / sizeof(uint64_t))
#define NCOMMITS   5

struct probe {
	char *dir;
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
	char path[4200];
	ssize_t n = 0;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/lock.mdb", probe->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	memset(probe->words, 0, sizeof(probe->words));
	n = dit_read_at(fd, probe->words, sizeof(probe->words), 0);
	/* LMDB's locks on the file go with any descriptor; nobody else is there. */
	(void)close(fd);
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

static int open_probe(struct probe *probe)
{
	int r = 0;

	if (asprintf(&probe->dir, "%s/ditkit-probe-XXXXXX", dit_tmp_dir(NULL)) < 0) {
		probe->dir = NULL;
		return -ENOMEM;
	}
	if (mkdtemp(probe->dir) == NULL) {
		r = -errno;
		free(probe->dir);
		probe->dir = NULL;
		return r;
	}
	r = dit_lmdb_error(mdb_env_create(&probe->env));
	if (r < 0) {
		probe->env = NULL;
		return r;
	}
	return dit_lmdb_error(mdb_env_open(probe->env, probe->dir, MDB_NOSYNC, 0600));
}

static void close_probe(struct probe *probe)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};
	char path[4200];

	if (probe->env != NULL) {
		mdb_env_close(probe->env);
	}
	for (size_t i = 0; probe->dir != NULL && i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", probe->dir, names[i]);
		(void)unlink(path);
	}
	if (probe->dir != NULL) {
		(void)rmdir(probe->dir);
	}
	free(probe->dir);
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
		"be built beside slapd: stop slapd",
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
	r = open_probe(probe);
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
