/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole loads: the input is an LDIF after a byte of options. One thread and three, by
 * both writers, end alike, say the same and make the same database. It is whole, or there
 * is none.
 */
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEEP_GOING = 1,
	QUICK = 2,
	NO_SCHEMA_CHECK = 4,
	CHECK_VALUES = 8,
	STRICT = 16,
	BYTE_KEYS = 32,
	FOR_2_7 = 64,
	EXPLAIN = 128,
	/* QUICK switches CHECK_VALUES off, so both are free to mean something else. */
	OVERLAYS = QUICK | CHECK_VALUES,
};

static struct load_fixture fixture;

static void remove_fixture(void)
{
	load_fixture_deinit(&fixture);
}

static void forget(void)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};
	char path[4300];

	for (int i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", fixture.database, names[i]);
		fuzz_require(unlink(path) == 0 || errno == ENOENT);
	}
	load_fixture_forget(&fixture);
}

static int load(unsigned flags, unsigned nthreads, enum dit_load_writer writer)
{
	struct dit_load_opts opts = load_fixture_opts(&fixture);
	int r = 0;

	opts.threads = nthreads;
	opts.memory_bytes = nthreads == 1 ? 16u << 20 : DIT_LOAD_MEMORY_MIN;
	opts.batch_records = nthreads == 1 ? 0 : 2;
	opts.writer = writer;
	opts.no_urls = true;
	opts.keep_going = (flags & KEEP_GOING) != 0;
	opts.is_quick = (flags & QUICK) != 0;
	opts.no_schema_check = (flags & NO_SCHEMA_CHECK) != 0;
	opts.check_values = (flags & CHECK_VALUES) != 0;
	opts.is_strict = (flags & STRICT) != 0;
	opts.byte_keys = (flags & BYTE_KEYS) != 0;
	opts.explain = (flags & EXPLAIN) != 0;
	opts.with_memberof = (flags & OVERLAYS) == OVERLAYS;
	opts.with_unique = opts.with_memberof;
	forget();
	r = load_fixture_run(&opts);
	fuzz_require(r >= 0 || load_fixture_is_empty(&fixture));
	fuzz_require(r >= 0 || strlen(fixture.reports) > 0);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned flags = 0;
	uint64_t digest = 0;
	char *reports = NULL;
	int r = 0;

	if (size == 0) {
		return 0;
	}
	if (fixture.dir == NULL) {
		load_fixture_init(&fixture,
		                  "lastmod off\nmultival description 2,1\n"
		                  "index description eq,sub,approx\nsortvals sn\n"
		                  "moduleload memberof\noverlay memberof\n"
		                  "memberof-group-oc person\nmemberof-member-ad seeAlso\n"
		                  "memberof-dangling drop\n"
		                  "moduleload unique\noverlay unique\n"
		                  "unique_uri ldap:///?description?sub\n");
		(void)atexit(remove_fixture);
	}
	flags = data[0];
	fixture.openldap = (flags & FOR_2_7) != 0 ? DIT_OPENLDAP_2_7 : DIT_OPENLDAP_2_6;
	load_fixture_write_bytes(&fixture, data + 1, size - 1);
	r = load(flags, 1, DIT_LOAD_WRITER_PAGES);
	/* The structure, and the content that a schema check has passed. */
	fuzz_require(r < 0 ||
	             load_fixture_is_sound(&fixture, (flags & NO_SCHEMA_CHECK) != 0));
	digest = load_fixture_digest(&fixture);
	reports = strdup(fixture.reports);
	fuzz_require(reports != NULL);
	fuzz_require(load(flags, 3, DIT_LOAD_WRITER_PAGES) == r);
	fuzz_require(load_fixture_digest(&fixture) == digest);
	fuzz_require(strcmp(fixture.reports, reports) == 0);
	if ((flags & FOR_2_7) == 0) {
		fuzz_require(load(flags, 1, DIT_LOAD_WRITER_APPEND) == r);
		fuzz_require(load_fixture_digest(&fixture) == digest);
	}
	free(reports);
	return 0;
}
