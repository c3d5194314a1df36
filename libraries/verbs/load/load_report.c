/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports and failures of a load.
 */
#include "load/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "locks/claim.h"
#include "system/tmp_files.h"

#define MIB ((uint64_t)1 << 20)

static bool is_of_disk(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG || r == -EIO || r == -EROFS;
}

static int fail_at(struct loader *loader, int r, const char *what, const char *directory,
                   const char *advice)
{
	char *text = NULL;
	bool has_place = is_of_disk(r) && strcmp(what, directory) != 0 &&
	                 asprintf(&text, "%s in %s", what, directory) >= 0;

	if (has_place && !dit_load_is_stopped(loader)) {
		dit_job_report(&loader->job, DIT_REPORT_ERROR, "%s: %s%s", text,
		               dit_strerror(r), advice);
	} else {
		r = dit_job_fail(&loader->job, r, what);
	}
	free(has_place ? text : NULL);
	return r;
}

int dit_load_open_fail(const struct dit_job *job, int r, const char *directory,
                       const struct dit_fault *fault)
{
	if (r == DIT_E_BUSY) {
		dit_job_report(job, DIT_REPORT_ERROR,
		               "the database in %s is in use by %s; stop it first",
		               directory, dit_claim_holder(fault));
		return r;
	}
	if (fault->text[0] == '\0') {
		return dit_job_fail(job, r, directory);
	}
	dit_job_report(job, DIT_REPORT_ERROR, "%s: %s", directory, fault->text);
	return r;
}

int dit_load_sort_fail(struct loader *loader, int r)
{
	return fail_at(loader, r, "could not sort index keys",
	               dit_tmp_dir(loader->opts->tmpdir),
	               ": --tmpdir names another directory");
}

int dit_load_input_fail(struct loader *loader, int r)
{
	const char *text = dit_ldif_reader_error(loader->input.reader);

	if (r == DIT_E_STOPPED) {
		return dit_job_fail(&loader->job, r, "load ended");
	}
	if (text == NULL || text[0] == '\0') {
		return dit_job_fail(&loader->job, r, "could not read the input");
	}
	dit_job_report(&loader->job, DIT_REPORT_PLAIN, "%s", text);
	return r;
}

int dit_load_target_fail(struct load_target *target, int r, const char *what)
{
	const struct dit_database *db = target->db;
	uint64_t bytes = target->stats->bytes;
	uint64_t wanted = (bytes + bytes / 2 + MIB - 1) / MIB * MIB;

	if (r == DIT_E_FULL && bytes > 0) {
		dit_job_report(
			&target->loader->job, DIT_REPORT_ERROR,
			"the database needs %llu bytes, but maxsize is %llu: configure "
			"\"maxsize %llu\" or give --grow",
			(unsigned long long)bytes,
			(unsigned long long)db->data.maxsize_bytes,
			(unsigned long long)wanted);
		return r;
	}
	if (r == DIT_E_FULL) {
		dit_job_report(
			&target->loader->job, DIT_REPORT_ERROR,
			"the database in %s is full, maxsize is %llu: configure more, or "
			"give --grow",
			db->data.directory, (unsigned long long)db->data.maxsize_bytes);
		return r;
	}
	return fail_at(target->loader, r, what, db->data.directory, "");
}
