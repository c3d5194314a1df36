/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No page is sealed twice with other bytes by one transaction (page/page_seal.h): number
 * and transaction are all that makes two encryptions different. Linked with
 * --wrap=dit_page_seal.
 *
 * Threads: any.
 */
#ifndef DITKIT_TEST_SEAL_WATCH_H
#define DITKIT_TEST_SEAL_WATCH_H

#include <pthread.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "page/page_seal.h"

#define SEAL_WATCH_MAX (1u << 18)

__typeof__(dit_page_seal) __real_dit_page_seal;
__typeof__(dit_page_seal) __wrap_dit_page_seal;

/* Pages that this process has sealed. */
static struct {
	pthread_mutex_t lock;
	struct {
		uint64_t number;
		uint64_t transaction; /* 0: a free place */
		uint64_t hash;
	} list[SEAL_WATCH_MAX];
	size_t n;
} seal_watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** A commit that failed may be made again, with the same number. */
static inline void seal_watch_forget(void)
{
	memset(seal_watch.list, 0, sizeof(seal_watch.list));
	seal_watch.n = 0;
}

static inline void seal_watch_note(const char *unit, size_t len)
{
	uint64_t at[2]; /* number and transaction */
	uint64_t hash = XXH3_64bits(unit, len);
	size_t i = 0;

	memcpy(at, unit, sizeof(at));
	for (i = XXH3_64bits(at, sizeof(at)) % SEAL_WATCH_MAX;
	     seal_watch.list[i].transaction != 0; i = (i + 1) % SEAL_WATCH_MAX) {
		if (seal_watch.list[i].number == at[0] &&
		    seal_watch.list[i].transaction == at[1]) {
			break;
		}
	}
	if (seal_watch.list[i].transaction != 0 && seal_watch.list[i].hash != hash) {
		(void)fprintf(stderr, "page %llu was sealed twice by transaction %llu\n",
		              (unsigned long long)at[0], (unsigned long long)at[1]);
		abort();
	}
	seal_watch.n += seal_watch.list[i].transaction == 0;
	assert_true(seal_watch.n < SEAL_WATCH_MAX / 2);
	seal_watch.list[i].number = at[0];
	seal_watch.list[i].transaction = at[1];
	seal_watch.list[i].hash = hash;
}

int __wrap_dit_page_seal(const struct dit_page_format *format, char *unit, size_t len)
{
	(void)pthread_mutex_lock(&seal_watch.lock);
	seal_watch_note(unit, len);
	(void)pthread_mutex_unlock(&seal_watch.lock);
	return __real_dit_page_seal(format, unit, len);
}

#endif
