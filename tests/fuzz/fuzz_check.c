/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small database with some bytes of its records changed, checked in full by one thread
 * and by three: structure and content.
 *
 * The input is a list of changes (changed_database.h).
 */
#include "bulk/check.h"
#include "fuzz/changed_database.h"

#include <stdlib.h>
#include <string.h>

#define NCHANGES_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct changed_database db;

/* ---- checks ---- */

static void look_at(void *ctx, const struct dit_check_finding *finding)
{
	uint64_t *digest = ctx;

	for (const char *p = finding->text; *p != '\0'; p++) {
		*digest = *digest * 31 + (unsigned char)*p;
	}
	*digest += strlen(finding->kind);
	*digest += finding->dn == NULL ? 0 : strlen(finding->dn);
}

static uint64_t check(unsigned nthreads, int *ret)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	uint64_t digest = 0;

	opts.conf = db.fixture.conf;
	opts.threads = nthreads;
	opts.memory_bytes = 16 << 20;
	opts.found = look_at;
	opts.found_ctx = &digest;
	*ret = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nchanges = size / CHANGE_BYTES;
	uint64_t one = 0;
	int r = 0;
	int r3 = 0;

	if (db.whole == NULL) {
		changed_database_init(&db, DIT_OPENLDAP_2_6);
	}
	nchanges = nchanges > NCHANGES_MAX ? NCHANGES_MAX : nchanges;
	changed_database_restore(&db);
	changed_database_change(&db, data, nchanges, CHANGED_RECORDS | CHANGED_FILE);
	one = check(1, &r);
	fuzz_require(check(3, &r3) == one && r3 == r);
	return 0;
}
