/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target's output (output/record_output.h): opened, and what it holds taken over.
 */
#include "load/loader.h"

#include "indexing/index_setup.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define FIXED_DBS 8 /* ad2i dn2i id2e id2v, ixck of 2.6, the unnamed one, and room */

static int look_around(struct load_target *target, const struct dit_fault *fault)
{
	int r = 0;

	if (target->output->stored.last_id > DIT_DN_TABLE_MAX) {
		dit_job_report(&target->loader->job, DIT_REPORT_ERROR,
		               "the database in %s has the entry ID %llu, and no ID is "
		               "left below %u: export the database and load it again",
		               target->db->data.directory,
		               (unsigned long long)target->output->stored.last_id,
		               DIT_DN_TABLE_MAX + 1);
		return DIT_E_TOOLONG;
	}
	r = dit_ad_numbers_read(&target->numbers, target->output,
	                        target->loader->job.chosen.settings->schema);
	return r < 0 ? dit_job_fail(&target->loader->job, r, target->db->data.directory)
	             : dit_indexes_add(&target->loader->job, target->indexes,
	                               &target->output->base, target->db->data.directory,
	                               fault);
}

static enum dit_output_writer writer_of(const struct dit_load_opts *opts)
{
	switch (opts->writer) {
	case DIT_LOAD_WRITER_PAGES:
		return DIT_WRITER_PAGES;
	case DIT_LOAD_WRITER_APPEND:
		return DIT_WRITER_APPEND;
	case DIT_LOAD_WRITER_DEFAULT:
		break;
	}
	return DIT_WRITER_DEFAULT;
}

static void note_writer(struct load_target *target)
{
	const struct dit_record_output *output = target->output;
	const struct loader *loader = target->loader;

	target->stats->is_unknown_format = output->is_unknown_format;
	if (output->is_append) {
		target->stats->writer = DIT_LOAD_WRITER_APPEND;
	} else if (!output->is_merged) {
		target->stats->writer = DIT_LOAD_WRITER_PAGES;
	}
	if (output->is_unknown_format && loader->opts->is_verbose) {
		dit_job_report(
			&target->loader->job, DIT_REPORT_PLAIN,
			"%s: this liblmdb has another file format than the one that "
			"ditkit knows: liblmdb writes all pages",
			target->db->data.directory);
	}
}

uint64_t dit_load_stored_bytes(const struct load_target *target)
{
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/data.mdb", target->db->data.directory);

	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) < 0) {
		return 0;
	}
	return (uint64_t)(st.st_blocks * 512 < st.st_size ? st.st_blocks * 512
	                                                  : st.st_size);
}

static bool holds_entries(const struct dit_record_output *output)
{
	return output->stored.last_id > 0 || output->stored.has_root_entry;
}

int dit_load_store_open(struct load_target *target)
{
	struct loader *loader = target->loader;
	const struct dit_database *db = target->db;
	struct dit_fault fault = {""};
	struct dit_output_opts opts = {
		.directory = db->data.directory,
		.mode = db->data.mode,
		.ndbs = (unsigned)dit_index_set_ndbs(target->indexes) + FIXED_DBS,
		.maxsize_bytes = db->data.maxsize_bytes,
		.expected_bytes =
			dit_ldif_reader_size(loader->input.reader) * LOAD_EXPANSION,
		.list_max = dit_settings_list_max(loader->job.chosen.settings),
		.writer = writer_of(loader->opts),
		.page_bytes = db->data.page_bytes,
		.has_ixck = loader->reading.rules.has_ixck,
		.is_lmdb_10 = loader->reading.rules.has_lmdb_10,
		.may_grow = loader->opts->may_grow,
		.is_prepared = loader->opts->is_prepared,
		.replaces = loader->opts->replaces,
		.shared = dit_job_shared(&loader->job, target->seal),
		.fault = &fault,
	};
	int r = dit_output_open(&target->output, &opts);

	if (r < 0) {
		return dit_job_open_fail(&loader->job, r, db->data.directory, &fault);
	}
	if (loader->opts->only_if_empty && holds_entries(target->output)) {
		/* Another load has filled it since the look. */
		target->look.has_entries = true;
		return dit_load_look_is_unneeded(loader) ? 1 : 0;
	}
	note_writer(target);
	if (target->output->stored.last_id > 0) {
		target->stored_bytes = dit_load_stored_bytes(target);
	}
	if (target->split_rules != NULL) {
		target->split_rules->record_max = target->output->base.key_max;
	}
	return look_around(target, &fault);
}
