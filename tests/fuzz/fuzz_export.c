/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports of a damaged database, of LMDB 0.9 or 1.0. The input is a byte of options, then
 * a list of changes (changed_database.h). One thread and three write the same.
 */
#include "export/export.h"
#include "fuzz/changed_database.h"
#include "fuzz/fuzz_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCHANGES_MAX 40

enum {
	FOR_2_7 = 1,
	KEEP_GOING = 2,
	NO_INDEX = 4,
	NO_WRAP = 8,
	FILTER_SHIFT = 4,
	NFILTERS = 8,
};

static const char *const filters[NFILTERS] = {
	NULL,
	"(cn=person number 3)",
	"(&(objectClass=person)(!(sn=x)))",
	"(telephoneNumber=*55*)",
	"(|(uidNumber=7)(seeAlso=uid=u1,ou=dept 1,dc=x))",
	"(uid=u1*)",
	"(uidNumber>=12)",
	"(cn=*)",
};

static struct changed_database dbs[2];

static void ignore(void *ctx, const struct dit_report *report)
{
	*(uint64_t *)ctx += strlen(report->text);
}

/* @return the text, to be freed; NULL: the export failed */
static char *export_as(const struct changed_database *db, unsigned flags,
                       unsigned nthreads, size_t *ret_len)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	char output[4300];
	uint64_t nbytes = 0;
	char *text = NULL;

	(void)snprintf(output, sizeof(output), "%s/output", db->fixture.dir);
	fuzz_require(unlink(output) == 0 || errno == ENOENT);
	opts.conf = db->fixture.conf;
	opts.openldap = db->fixture.openldap;
	opts.output = output;
	opts.threads = nthreads;
	opts.keep_going = (flags & KEEP_GOING) != 0;
	opts.no_index = (flags & NO_INDEX) != 0;
	opts.wrap =
		(flags & NO_WRAP) != 0 ? DIT_EXPORT_WRAP_NONE : DIT_EXPORT_WRAP_DEFAULT;
	opts.filter = filters[flags >> FILTER_SHIFT & (NFILTERS - 1)];
	opts.report = ignore;
	opts.report_ctx = &nbytes;
	if (dit_export(&opts, &stats) < 0) {
		/* Files below /dev are written in place. */
		fuzz_require(nbytes > 0 && (access(output, F_OK) < 0 ||
		                            strncmp(output, "/dev/", 5) == 0));
		return NULL;
	}
	text = fuzz_read_file(output, ret_len);
	fuzz_require(stats.nbytes == *ret_len);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct changed_database *db = NULL;
	size_t nchanges = 0;
	size_t len1 = 0;
	size_t len3 = 0;
	char *text1 = NULL;
	char *text3 = NULL;

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
	changed_database_restore(db);
	changed_database_change(db, data + 1, nchanges, CHANGED_RECORDS | CHANGED_FILE);
	text1 = export_as(db, data[0], 1, &len1);
	text3 = export_as(db, data[0], 3, &len3);
	fuzz_require((text1 == NULL) == (text3 == NULL) && len1 == len3);
	fuzz_require(text1 == NULL || memcmp(text1, text3, len1) == 0);
	free(text1);
	free(text3);
	return 0;
}
