/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More entries for a database that holds some, and that may be damaged.
 *
 * The input: a byte of options, a number of changes, the changes (changed_database.h),
 * the LDIF. A load that fails leaves the file as it was. One that succeeds leaves a sound
 * database, if it was one.
 */
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#define NCHANGES_MAX 40

enum {
	KEEP_GOING = 1,
	THREADS = 2,
	GROW = 4,
	QUICK = 8,
	IS_LMDB_10 = 16, /* the database is OpenLDAP 2.7's */
	NO_RECORDS = 32, /* the changes are of bytes alone */
};

/* For OpenLDAP 2.6, for 2.7; and the one that counts. */
static struct changed_database dbs[2];
static struct changed_database *db;

static int load(unsigned flags)
{
	struct dit_load_opts opts = load_fixture_opts(&db->fixture);
	int r = 0;

	load_fixture_forget(&db->fixture);
	opts.threads = (flags & THREADS) != 0 ? 3 : 1;
	opts.memory_bytes = 16u << 20;
	opts.no_urls = true;
	opts.keep_going = (flags & KEEP_GOING) != 0;
	opts.may_grow = (flags & GROW) != 0;
	opts.is_quick = (flags & QUICK) != 0;
	r = load_fixture_run(&opts);
	fuzz_require(r >= 0 || strlen(db->fixture.reports) > 0);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nchanges = 0;
	size_t before_len = 0;
	char *before = NULL;
	unsigned flags = 0;
	int r = 0;

	if (size < 2) {
		return 0;
	}
	flags = data[0];
	db = &dbs[(flags & IS_LMDB_10) != 0];
	if (db->whole == NULL) {
		changed_database_init(db, (flags & IS_LMDB_10) != 0 ? DIT_OPENLDAP_2_7
		                                                    : DIT_OPENLDAP_2_6);
	}
	nchanges = data[1] % NCHANGES_MAX;
	data += 2;
	size -= 2;
	if (nchanges > size / CHANGE_BYTES) {
		nchanges = size / CHANGE_BYTES;
	}
	changed_database_restore(db);
	changed_database_change(db, data, nchanges,
	                        (flags & NO_RECORDS) != 0
	                                ? CHANGED_FILE
	                                : CHANGED_FILE | CHANGED_RECORDS);
	load_fixture_write_bytes(&db->fixture, data + nchanges * CHANGE_BYTES,
	                         size - nchanges * CHANGE_BYTES);
	before = changed_database_bytes(db, &before_len);
	r = load(flags);
	if (r < 0) {
		fuzz_require(changed_database_is(db, before, before_len));
	} else if (nchanges == 0) {
		fuzz_require(load_fixture_is_sound(&db->fixture, false));
	}
	free(before);
	return 0;
}
