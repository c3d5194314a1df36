/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small database with some bytes of its records changed, checked in full by one thread
 * and by three: structure and content. Both find the same; but of two trees that have one
 * page the second one to come is told (walk/walk.h), so what is found below such a page
 * may differ.
 *
 * The input is a list of changes (changed_database.h).
 */
#include "check/check.h"
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#define NCHANGES_MAX 40

static struct changed_database db;

/* ---- checks ---- */

struct seen {
	uint64_t digest; /* of all findings */
	bool has_shared; /* a page has two owners */
	int r;
};

static void look_at(void *ctx, const struct dit_check_finding *finding)
{
	struct seen *seen = ctx;

	for (const char *p = finding->text; *p != '\0'; p++) {
		seen->digest = seen->digest * 31 + (unsigned char)*p;
	}
	seen->digest += strlen(finding->kind);
	seen->digest += finding->dn == NULL ? 0 : strlen(finding->dn);
	seen->has_shared |= strcmp(finding->kind, "page-twice") == 0;
}

static struct seen check(unsigned nthreads)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	struct seen seen = {.digest = 0};

	opts.conf = db.fixture.conf;
	opts.threads = nthreads;
	opts.memory_bytes = 16 << 20;
	opts.found = look_at;
	opts.found_ctx = &seen;
	seen.r = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nchanges = size / CHANGE_BYTES;
	struct seen one;
	struct seen three;

	if (db.whole == NULL) {
		changed_database_init(&db, DIT_OPENLDAP_2_6);
	}
	nchanges = nchanges > NCHANGES_MAX ? NCHANGES_MAX : nchanges;
	changed_database_restore(&db);
	changed_database_change(&db, data, nchanges, CHANGED_RECORDS | CHANGED_FILE);
	one = check(1);
	three = check(3);
	/* Damage is found, and is no failure of the check. */
	fuzz_require(one.r == 0 && three.r == 0 && three.has_shared == one.has_shared);
	fuzz_require(one.has_shared || three.digest == one.digest);
	return 0;
}
