/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One database of a load, from its configuration to the published file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "indexing/index_setup.h"
#include "job/release_rules.h"
#include "load/loader.h"
#include "page/lmdb_format.h"
#include "page/meta_pages.h"

/* ---- its output, and what that holds ---- */

#define FIXED_DBS 8 /* ad2i dn2i id2e id2v, ixck of 2.6, the unnamed one, and room */

static int look_around(struct load_target *target, const struct dit_fault *fault)
{
	int r = 0;

	if (target->output->stored.last_id > DIT_DN_TREE_ID_MAX) {
		return dit_job_say(
			&target->loader->job, DIT_E_TOOLONG,
			"the database in %s has the entry ID %lu, and no ID is "
			"left below %u: export the database and load it again",
			target->db->data.directory, target->output->stored.last_id,
			DIT_DN_TREE_ID_MAX + 1);
	}
	r = dit_ad_numbers_read(&target->numbers, target->output,
	                        target->loader->job.chosen.settings->schema);
	return r < 0 ? dit_job_fail(&target->loader->job, r, target->db->data.directory)
	             : dit_indexes_add(&target->loader->job, target->indexes,
	                               &target->output->base, target->db->data.directory,
	                               fault);
}

/* Both lists of makers have one order. */
_Static_assert((int)DIT_LOAD_WRITER_DEFAULT == (int)DIT_WRITER_DEFAULT &&
                       (int)DIT_LOAD_WRITER_PAGES == (int)DIT_WRITER_PAGES &&
                       (int)DIT_LOAD_WRITER_APPEND == (int)DIT_WRITER_APPEND,
               "the makers of pages");

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

/* The index set is made, and learns what is stored. 0; 1: with only_if_empty, the
 * database holds entries; an error, reported */
static int open_output(struct load_target *target)
{
	struct loader *loader = target->loader;
	const struct dit_database *db = target->db;
	struct dit_fault fault = {""};
	struct dit_output_opts opts = {
		.directory = db->data.directory,
		.mode = db->data.mode,
		.ndbs = (unsigned)dit_index_set_ndbs(target->indexes) + FIXED_DBS,
		.maxsize_bytes = db->data.maxsize_bytes,
		.list_max = dit_settings_list_max(loader->job.chosen.settings),
		.writer = (enum dit_output_writer)loader->opts->writer,
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

/* ---- before the first round ---- */

static int make_builders(struct load_target *target)
{
	struct loader *loader = target->loader;
	struct dit_builders_opts opts = {
		.indexes = target->indexes,
		.shared = dit_job_shared(&loader->job, target->seal),
		.memory_bytes = loader->budget.postings_bytes,
		.wide_memory_bytes = loader->budget.tree_bytes,
		.list_max = dit_settings_list_max(loader->job.chosen.settings),
	};
	int r = dit_builders_new(&target->builders, &opts);

	return dit_job_fail(&loader->job, r, opts.shared.tmpdir);
}

/* Make the objects that main fills while entries come. */
static int make_objects(struct load_target *target)
{
	struct dit_job *job = &target->loader->job;
	size_t bytes = target->loader->budget.tree_bytes;
	const struct dit_shared shared = dit_job_shared(job, target->seal);
	int r = dit_dn_tree_new(&target->tree, target->output,
	                        dit_dn_depth(target->db->suffix_norm), bytes, &shared);

	r = r
	            ?: dit_entries_new(&target->entries, target->output, &target->numbers,
	                               bytes / 8, &shared);
	return dit_job_fail(job, r, shared.tmpdir);
}

/* A wrong page size stops slapd whether the file is there or not (storage-2.7.md 2.4). */
static int check_page_size(const struct load_target *target)
{
	unsigned n = target->db->data.page_bytes;

	if (n == 0 || dit_meta_is_size(&dit_lmdb_10, n)) {
		return 0;
	}
	dit_job_report(&target->loader->job, DIT_REPORT_DIAGNOSTIC,
	               "mdb_db_open: database \"%.*s\": mdb_env_set_pagesize failed: "
	               "Invalid argument (22).",
	               DIT_SPAN_ARGS(target->db->suffix));
	dit_job_say_not_opened(&target->loader->job, target->db, EINVAL,
	                       target->number == 0);
	return DIT_E_CONFIG;
}

/*
 * slapd would not start with more indexes. In its words; which index it names there
 * depends on where its memory lies.
 */
static int check_index_limit(const struct load_target *target)
{
	struct loader *loader = target->loader;
	size_t n = dit_index_set_ndbs(target->indexes);
	const struct dit_chosen *chosen = &loader->job.chosen;
	size_t limit = dit_index_limit(chosen->openldap, chosen->patch);

	if (n <= limit) {
		return 0;
	}
	dit_job_report(&loader->job, DIT_REPORT_DIAGNOSTIC,
	               "mdb_attr_dbs: database \"%.*s\": mdb_dbi_open(%s) failed: "
	               "MDB_DBS_FULL: Environment maxdbs limit reached (%d).",
	               DIT_SPAN_ARGS(target->db->suffix),
	               dit_index_set_db(target->indexes, limit)->name, DIT_LMDB_DBS_FULL);
	dit_job_say_not_opened(&loader->job, target->db, DIT_LMDB_DBS_FULL,
	                       target->number == 0);
	return dit_job_say(
		&loader->job, DIT_E_CONFIG,
		"database \"%.*s\" has %zu indexes, slapd %s.%u opens %zu at most",
		DIT_SPAN_ARGS(target->db->suffix), n, dit_openldap_name(chosen->openldap),
		chosen->patch, limit);
}

int dit_load_target_prepare(struct load_target *target)
{
	struct loader *loader = target->loader;
	int r = dit_split_rules_make(target->db, &target->split_rules);

	if (r < 0) {
		return dit_job_fail(&loader->job, r, "could not start the load");
	}
	r = dit_indexes_make(&loader->job, target->db->indexes, target->db->nindexes,
	                     loader->opts->byte_keys, &target->indexes);
	if (r == 0 && !loader->opts->is_dry_run) {
		r = check_page_size(target);
		r = r ?: check_index_limit(target);
		r = r ?: open_output(target);
		r = r ?: make_objects(target);
	}
	/* Builders depend on the indexes' formats, and those on what is stored. */
	return r == 0 ? make_builders(target) : r;
}

/* ---- after the last round ---- */

static int make_index_writer(struct load_target *target)
{
	struct dit_index_writer_opts opts = {
		.builders = target->builders,
		.output = &target->output->base,
		.ndbs = dit_index_set_ndbs(target->indexes),
		.shared = dit_job_shared(&target->loader->job, target->seal),
		.nprocessors = dit_processor_count(),
		.counts_lists = target->loader->opts->counts_lists,
		.since_us = target->loader->job.start_us,
	};

	return dit_index_writer_new(&target->index_writer, &opts);
}

/* No more keys are made. */
static int seal(struct load_target *target)
{
	int r = dit_builders_finish(target->builders);

	if (r < 0) {
		return dit_load_sort_fail(target->loader, r);
	}
	r = dit_entries_end_batches(target->entries);
	return dit_load_target_fail(target, r, target->db->data.directory);
}

static void run_index_work(void *ctx, unsigned member)
{
	dit_index_writer_work(ctx, member);
}

/* The members merge the keys from here on; meanwhile main writes dn2i and ad2i. */
static int write_tree(struct load_target *target)
{
	struct loader *loader = target->loader;
	int r = make_index_writer(target);

	if (r < 0) {
		return dit_load_target_fail(target, r, "could not write the indexes");
	}
	if (loader->job.nthreads > 1) {
		dit_pipeline_begin_work(loader->pipeline, run_index_work,
		                        target->index_writer);
	}
	r = dit_ad_numbers_write(&target->numbers, target->output);
	r = r < 0 ? r : dit_dn_tree_write(target->tree);
	return dit_load_target_fail(target, r, "could not write the tree");
}

/* Wait until they are written. */
static int write_indexes(struct load_target *target)
{
	struct dit_load_database_stats *stats = target->stats;
	int r = 0;

	dit_pipeline_end_work(target->loader->pipeline);
	r = dit_index_writer_end(target->index_writer);
	r = r < 0 ? r
	          : dit_index_writer_stats(target->index_writer, target->indexes,
	                                   &stats->indexes, &stats->nindexes);
	if (r < 0) {
		return dit_load_target_fail(target, r, "could not write the indexes");
	}
	target->loader->stats->run_bytes += dit_builders_run_bytes(target->builders) +
	                                    dit_sorter_run_bytes(target->tree->records);
	return 0;
}

/* The records that an output takes last: late entries, values of id2v, contextCSN. */
static int write_late(struct load_target *target)
{
	int r = dit_output_begin_changes(target->output);

	r = r < 0 ? r : dit_entries_write_late(target->entries);
	if (r < 0) {
		return dit_load_target_fail(target, r, target->db->data.directory);
	}
	target->loader->stats->run_bytes += dit_entries_run_bytes(target->entries);
	return target->number == 0 ? dit_load_csn_rewrite(target) : 0;
}

int dit_load_target_finish(struct load_target *target)
{
	struct loader *loader = target->loader;
	/* The chosen database is the first. */
	int r = target->number == 0 ? dit_load_csn_write(target) : 0;

	r = r < 0 ? r : seal(target);
	if (r < 0) {
		return r;
	}
	dit_job_tell(&loader->job, DIT_LOAD_NAMES);
	r = write_tree(target);
	if (r < 0) {
		return r;
	}
	dit_job_end_phase(&loader->job, DIT_LOAD_NAMES);
	dit_job_tell(&loader->job, DIT_LOAD_INDEXES);
	r = write_indexes(target);
	r = r < 0 ? r : write_late(target);
	dit_job_end_phase(&loader->job, DIT_LOAD_INDEXES);
	return r;
}

/* ---- release ---- */

void dit_load_target_deinit(struct load_target *target)
{
	dit_index_writer_free(target->index_writer);
	dit_output_abandon(dit_output_of(target->output));
	dit_builders_free(target->builders);
	dit_entries_free(target->entries);
	dit_dn_tree_free(target->tree);
	dit_ad_numbers_deinit(&target->numbers);
	dit_load_look_deinit(&target->look);
	dit_data_seal_close(target->seal);
	dit_index_set_free(target->indexes);
	free(target->split_rules);
}
