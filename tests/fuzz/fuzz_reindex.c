/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indexes of a damaged database, rebuilt. The input is a byte of options, then a list
 * of changes (changed_database.h): of records; of a database of LMDB
 * 1.0 also of bytes of the file. One thread and three make the same database. A run that
 * fails leaves the file as it was.
 */
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"
#include "reindex/reindex.h"

#include <stdlib.h>
#include <string.h>

#define NCHANGES_MAX 40

enum {
	FOR_2_7 = 1,
	KEEP_GOING = 2,
	ONLINE = 4,
	BYTE_KEYS = 8,
	DROP = 16,
	SOME = 32,
};

static struct changed_database dbs[2];

static void ignore(void *ctx, const struct dit_report *report)
{
	*(uint64_t *)ctx += strlen(report->text);
}

static int reindex(const struct changed_database *db, unsigned flags, unsigned nthreads)
{
	static const char *const attrs[] = {"cn", "uidNumber"};
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;
	uint64_t nbytes = 0;
	int r = 0;

	opts.conf = db->fixture.conf;
	opts.tmpdir = db->fixture.tmpdir;
	opts.openldap = db->fixture.openldap;
	opts.threads = nthreads;
	opts.memory_bytes = 16u << 20;
	opts.keep_going = (flags & KEEP_GOING) != 0;
	opts.online = (flags & ONLINE) != 0;
	opts.byte_keys = (flags & BYTE_KEYS) != 0;
	opts.drop_unconfigured = (flags & DROP) != 0;
	if ((flags & SOME) != 0) {
		opts.attrs = attrs;
		opts.nattrs = sizeof(attrs) / sizeof(attrs[0]);
	}
	opts.report = ignore;
	opts.report_ctx = &nbytes;
	r = dit_reindex(&opts, &stats);
	dit_reindex_stats_deinit(&stats);
	fuzz_require(r >= 0 || nbytes > 0);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct changed_database *db = NULL;
	size_t nchanges = 0;
	size_t before_len = 0;
	char *before = NULL;
	uint64_t digest = 0;
	int r = 0;

	if (size == 0) {
		return 0;
	}
	if (dbs[0].whole == NULL) {
		changed_database_init(&dbs[0], DIT_OPENLDAP_2_6);
		changed_database_init(&dbs[1], DIT_OPENLDAP_2_7);
	}
	db = &dbs[data[0] & FOR_2_7];
	nchanges = (size - 1) / CHANGE_BYTES;
	nchanges = nchanges > NCHANGES_MAX ? NCHANGES_MAX : nchanges;
	for (unsigned nthreads = 1; nthreads <= 3; nthreads += 2) {
		int now = 0;

		changed_database_restore(db);
		changed_database_change(db, data + 1, nchanges,
		                        db == &dbs[0] ? CHANGED_RECORDS : CHANGED_FILE);
		before = changed_database_bytes(db, &before_len);
		now = reindex(db, data[0], nthreads);
		if (now < 0) {
			fuzz_require(changed_database_is(db, before, before_len));
		} else if (nthreads == 1) {
			digest = load_fixture_digest_of(db->fixture.database);
		} else {
			fuzz_require(load_fixture_digest_of(db->fixture.database) ==
			             digest);
		}
		fuzz_require(nthreads == 1 || now == r);
		r = now;
		free(before);
	}
	return 0;
}
