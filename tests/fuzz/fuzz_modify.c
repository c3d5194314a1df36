/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of a database that may be damaged.
 *
 * The input: a byte of options, a number, so many pieces of damage
 * (changed_database.h), the LDIF. One thread and three end alike, say the same and make
 * the same database. A run that fails leaves the file as it was. One that succeeds leaves
 * a sound database, if it was one.
 */
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"
#include "modify/modify_fixture.h"

#include <stdlib.h>
#include <string.h>

#define NCHANGES_MAX 40

enum {
	FOR_2_7 = 1,
	KEEP_GOING = 2,
	DRY_RUN = 4,
	NO_SCHEMA_CHECK = 8,
	NO_RECORDS = 16, /* the damage is of bytes alone */
	VERBOSE = 32,
	CONTEXT_CSN = 64,
};

/* For OpenLDAP 2.6, for 2.7. */
static struct changed_database dbs[2];

static int modify(struct changed_database *db, unsigned flags, unsigned nthreads)
{
	struct dit_modify_opts opts = modify_opts_of(&db->fixture);
	struct dit_modify_stats stats;
	int r = 0;

	load_fixture_forget(&db->fixture);
	opts.threads = nthreads;
	opts.memory_bytes = 16u << 20;
	opts.no_urls = true;
	opts.keep_going = (flags & KEEP_GOING) != 0;
	opts.is_dry_run = (flags & DRY_RUN) != 0;
	opts.no_schema_check = (flags & NO_SCHEMA_CHECK) != 0;
	opts.is_verbose = (flags & VERBOSE) != 0;
	opts.write_context_csn = (flags & CONTEXT_CSN) != 0;
	r = dit_modify(&opts, &stats);
	fuzz_require(r >= 0 || strlen(db->fixture.reports) > 0);
	fuzz_require(r < 0 || opts.keep_going || stats.nrefused == 0);
	dit_modify_stats_deinit(&stats);
	return r;
}

/* An input of the fuzzer, taken apart. */
struct input {
	struct changed_database *db;
	unsigned flags;
	const uint8_t *changes;
	size_t nchanges;
};

/* @return the result; the reports are those of the fixture */
static int run(const struct input *input, unsigned nthreads, uint64_t *ret_digest)
{
	struct changed_database *db = input->db;
	size_t before_len = 0;
	char *before = NULL;
	int r = 0;

	changed_database_restore(db);
	changed_database_change(db, input->changes, input->nchanges,
	                        (input->flags & NO_RECORDS) != 0
	                                ? CHANGED_FILE
	                                : CHANGED_FILE | CHANGED_RECORDS);
	before = changed_database_bytes(db, &before_len);
	r = modify(db, input->flags, nthreads);
	if (r < 0 || (input->flags & DRY_RUN) != 0) {
		fuzz_require(changed_database_is(db, before, before_len));
	} else if (input->nchanges == 0) {
		fuzz_require(load_fixture_is_sound(
			&db->fixture, (input->flags & NO_SCHEMA_CHECK) != 0));
		*ret_digest = load_fixture_digest(&db->fixture);
	}
	free(before);
	return r;
}

static void run_twice(const struct input *input)
{
	uint64_t digests[2] = {0, 0};
	int r = run(input, 1, &digests[0]);
	char *reports = strdup(input->db->fixture.reports);

	fuzz_require(reports != NULL);
	fuzz_require(run(input, 3, &digests[1]) == r);
	fuzz_require(digests[0] == digests[1]);
	fuzz_require(input->nchanges > 0 ||
	             strcmp(input->db->fixture.reports, reports) == 0);
	free(reports);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input;

	if (size < 2) {
		return 0;
	}
	if (dbs[0].whole == NULL) {
		changed_database_init_with(&dbs[0], DIT_OPENLDAP_2_6, "lastmod off\n");
		changed_database_init_with(&dbs[1], DIT_OPENLDAP_2_7, "lastmod off\n");
	}
	input = (struct input){.db = &dbs[data[0] & FOR_2_7],
	                       .flags = data[0],
	                       .changes = data + 2,
	                       .nchanges = data[1] % NCHANGES_MAX};
	data += 2;
	size -= 2;
	if (input.nchanges > size / CHANGE_BYTES) {
		input.nchanges = size / CHANGE_BYTES;
	}
	load_fixture_write_bytes(&input.db->fixture, data + input.nchanges * CHANGE_BYTES,
	                         size - input.nchanges * CHANGE_BYTES);
	run_twice(&input);
	return 0;
}
