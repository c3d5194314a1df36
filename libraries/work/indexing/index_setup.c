/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/index_setup.h"

#include "base/error.h"

int dit_indexes_make(const struct dit_job *job, const struct dit_index_spec *specs,
                     size_t nspecs, bool byte_keys, struct dit_index_set **ret)
{
	int r = dit_index_set_new(ret, job->chosen.settings, specs, nspecs, !byte_keys);

	return dit_job_fail(job, r, "could not prepare the indexes");
}

/* As of dit_indexes_add(). */
struct adding {
	const struct dit_job *job;
	struct dit_index_set *indexes;
	struct dit_output *output;
	const char *directory;
	const struct dit_fault *fault;
};

static int adopt_index(const struct adding *adding, size_t number)
{
	const struct dit_index_db *db = dit_index_set_db(adding->indexes, number);
	struct dit_output_stored_index stored = {0};
	int r = dit_output_find_index(adding->output, db->name, &stored);

	if (r > 0) {
		r = dit_index_set_stored(adding->indexes, number, stored.is_integerkey,
		                         stored.key_len);
	}
	if (r == DIT_E_INVALID) {
		dit_job_report(adding->job, DIT_REPORT_ERROR,
		               "index database \"%s\" in %s is stored with integer "
		               "keys, and keys of this configuration cannot be added "
		               "to them",
		               db->name, adding->directory);
		return r;
	}
	if (adding->fault->text[0] != '\0') {
		return dit_job_open_fail(adding->job, r, adding->directory,
		                         adding->fault);
	}
	return dit_job_fail(adding->job, r, db->name);
}

/* Integers have as many bytes as index_intlen says; small pages take no long keys. */
static int check_key_length(const struct adding *adding, size_t number)
{
	size_t len = dit_index_set_longest_key(adding->indexes, number);

	if (len <= adding->output->key_max) {
		return 0;
	}
	dit_job_report(adding->job, DIT_REPORT_ERROR,
	               "index database \"%s\" in %s: keys of %zu bytes are too long for "
	               "the page size, %zu bytes are possible",
	               dit_index_set_db(adding->indexes, number)->name, adding->directory,
	               len, adding->output->key_max);
	return DIT_E_CONFIG;
}

int dit_indexes_add(const struct dit_job *job, struct dit_index_set *indexes,
                    struct dit_output *output, const char *directory,
                    const struct dit_fault *fault)
{
	const struct adding adding = {job, indexes, output, directory, fault};
	size_t ndbs = dit_index_set_ndbs(indexes);
	int r = 0;

	for (size_t i = 0; i < ndbs && r == 0; i++) {
		r = adopt_index(&adding, i);
		r = r ?: check_key_length(&adding, i);
	}
	for (size_t i = 0; i < ndbs && r == 0; i++) {
		const struct dit_index_db *db = dit_index_set_db(indexes, i);
		struct dit_output_index index = {.name = db->name,
		                                 .is_integerkey = db->is_integerkey};

		r = dit_job_fail(job, dit_output_add_index(output, &index), db->name);
	}
	return r;
}
