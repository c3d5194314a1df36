/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of estimate_judge(): a line for each thing that does not fit, with both
 * figures and with what to do; nothing for what fits.
 */
#include <errno.h>

#include "test.h"

#include "estimate_text.h"

#define MIB ((json_int_t)1 << 20)

/** The memory and disk of the machine, in MiB. */
struct supply {
	json_int_t disk;
	json_int_t tmp;
	json_int_t memory;
	json_int_t maxsize;
	const char *tmpdir;
	json_int_t run;
};

/* Where all fits. */
#define PLENTY                                                                           \
 .disk = 1000, .tmp = 1000, .memory = 1000, .maxsize = 1000, .tmpdir = "/proc", .run = 50

static json_t *make_json(const struct supply *supply)
{
	return json_pack("{s:[{s:s, s:I, s:I, s:I, s:I}], s:{s:s, s:I, s:I}, s:{s:I, "
	                 "s:I}}",
	                 "databases", "directory", "/", "bytes", 100 * MIB, "disk_bytes",
	                 100 * MIB, "free_bytes", supply->disk * MIB, "maxsize_bytes",
	                 supply->maxsize * MIB, "temporary", "directory", supply->tmpdir,
	                 "disk_bytes", supply->run * MIB, "free_bytes", supply->tmp * MIB,
	                 "memory", "bytes", 30 * MIB, "available_bytes",
	                 supply->memory * MIB);
}

/* The text about the estimate has as many lines as are counted. */
static void expect(const struct supply *supply, bool may_grow, const char *text)
{
	json_t *json = make_json(supply);
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);
	char got[2048] = "";
	unsigned nlines = 0;
	unsigned n = 0;
	size_t len = 0;

	assert_non_null(json);
	assert_non_null(file);
	assert_true(old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	program_invocation_short_name = "ditadd";
	n = estimate_judge(json, may_grow);
	assert_true(dup2(old, STDERR_FILENO) >= 0);
	(void)close(old);
	rewind(file);
	len = fread(got, 1, sizeof(got) - 1, file);
	got[len] = '\0';
	(void)fclose(file);
	json_decref(json);
	assert_string_equal(got, text);
	for (size_t i = 0; i < len; i++) {
		nlines += got[i] == '\n';
	}
	assert_int_equal(n, nlines);
}

TEST(what_fits_is_not_told)
{
	struct supply supply = {PLENTY};

	expect(&supply, false, "");
	supply.memory = 0; /* the system does not tell */
	expect(&supply, false, "");
}

TEST(a_full_disk)
{
	struct supply supply = {PLENTY};

	supply.disk = 99;
	expect(&supply, false,
	       "ditadd: /: about 100 MiB of disk are needed, 99.0 MiB are free\n");
	/* Temporary files lie there, too. */
	supply.tmpdir = "/";
	supply.disk = supply.tmp = 149;
	expect(&supply, false,
	       "ditadd: /: about 150 MiB of disk are needed, 149 MiB are "
	       "free\n");
}

TEST(a_full_tmpdir)
{
	struct supply supply = {PLENTY};

	supply.tmp = 49;
	expect(&supply, false,
	       "ditadd: /proc: about 50.0 MiB of disk are needed, 49.0 MiB are free: "
	       "give another --tmpdir, or more --memory\n");
	supply.run = 0;
	supply.tmp = 0;
	expect(&supply, false, "");
}

TEST(too_little_memory)
{
	struct supply supply = {PLENTY};

	supply.memory = 29;
	expect(&supply, false,
	       "ditadd: about 30.0 MiB of memory are needed, 29.0 MiB are available: give "
	       "less --memory\n");
}

TEST(a_small_maxsize)
{
	struct supply supply = {PLENTY};

	supply.maxsize = 10;
	expect(&supply, false,
	       "ditadd: /: the database will need about 100 MiB, but maxsize is "
	       "10.0 MiB: configure \"maxsize 157286400\"\n");
	expect(&supply, true, "");
}
