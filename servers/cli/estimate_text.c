/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <ditkit/version.h>
#include <jansson.h>

#include "figures.h"
#include "page_cache.h"
#include "run_facts.h"

/* ---- time ---- */

double estimate_seconds(const struct estimate_view *view)
{
	const struct dit_estimate *estimate = view->estimate;

	if (estimate->sampled_bytes == 0) {
		return -1;
	}
	return view->work * (double)estimate->sample_cpu_us / 1e6 / estimate->threads *
	       (double)estimate->text_bytes / (double)estimate->sampled_bytes;
}

/* ---- what there is ---- */

static uint64_t free_bytes(const char *directory)
{
	struct statvfs fs;

	return statvfs(directory, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
}

static bool is_same_disk(const char *x, const char *y)
{
	struct stat a;
	struct stat b;

	return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev;
}

static const struct estimate_supply *supply_of(const struct estimate_view *view)
{
	static const struct estimate_supply system = {.disk = free_bytes,
	                                              .memory = page_cache_room,
	                                              .is_same_disk = is_same_disk};

	return view->supply == NULL ? &system : view->supply;
}

/* Needs of the disk of a directory: of all databases on it and the temporary files. */
static uint64_t needed_there(const struct estimate_view *view, const char *directory)
{
	const struct estimate_supply *supply = supply_of(view);
	const struct dit_estimate *estimate = view->estimate;
	uint64_t bytes = supply->is_same_disk(directory, estimate->tmpdir)
	                         ? estimate->run_bytes
	                         : 0;

	for (size_t i = 0; i < estimate->ndatabases; i++) {
		if (supply->is_same_disk(directory, estimate->databases[i].directory)) {
			bytes += estimate->databases[i].disk_bytes;
		}
	}
	return bytes;
}

/* ---- lines ---- */

#define ROW "  %-10s %14s   "

static void print_databases(const struct dit_estimate *estimate)
{
	for (size_t i = 0; i < estimate->ndatabases; i++) {
		const struct dit_estimate_database *db = &estimate->databases[i];

		(void)printf(ROW "%s: %s free, maxsize %s\n", "database",
		             figure_bytes(db->bytes).text, db->directory,
		             figure_bytes(free_bytes(db->directory)).text,
		             figure_bytes(db->maxsize_bytes).text);
		if (db->bytes_before > 0) {
			(void)printf(ROW "in use now\n", "",
			             figure_bytes(db->bytes_before).text);
		}
	}
}

static void print_sample(const struct dit_estimate *estimate)
{
	if (estimate->is_whole) {
		(void)printf("estimate from the whole input:\n\n");
		return;
	}
	(void)printf("estimate from a sample of %s entries (%s):\n\n",
	             figure_count(estimate->sampled_entries).text,
	             figure_bytes(estimate->sampled_bytes).text);
}

static void print_lines(const struct estimate_view *view)
{
	const struct dit_estimate *estimate = view->estimate;
	double seconds = estimate_seconds(view);

	print_sample(estimate);
	(void)printf(ROW "%s index keys\n", "entries",
	             figure_count(estimate->nentries).text,
	             figure_count(estimate->npostings).text);
	if (estimate->nrefused > 0) {
		(void)printf(ROW "records that will be refused\n", "",
		             figure_count(estimate->nrefused).text);
	}
	print_databases(estimate);
	(void)printf(ROW "%s: %s free\n", "temporary",
	             figure_bytes(estimate->run_bytes).text, estimate->tmpdir,
	             figure_bytes(free_bytes(estimate->tmpdir)).text);
	(void)printf(ROW "--memory %s, %s available\n", "memory",
	             figure_bytes(estimate->memory_bytes).text,
	             figure_bytes(estimate->memory_limit_bytes).text,
	             figure_bytes(page_cache_room()).text);
	(void)printf(ROW "%u thread%s, on an idle machine\n", "time",
	             seconds < 0 ? "unknown" : figure_seconds(seconds).text,
	             estimate->threads, estimate->threads == 1 ? "" : "s");
}

/* ---- JSON ---- */

static json_int_t whole(uint64_t n)
{
	return (json_int_t)n;
}

static json_t *index_object(const struct dit_estimate_index *index)
{
	return json_pack("{s:o, s:I, s:I, s:I}", "name", json_text(index->name),
	                 "postings", whole(index->npostings), "keys", whole(index->nkeys),
	                 "bytes", whole(index->bytes));
}

static json_t *database_object(const struct dit_estimate_database *db)
{
	json_t *indexes = json_array();

	for (size_t i = 0; i < db->nindexes; i++) {
		(void)json_array_append_new(indexes, index_object(&db->indexes[i]));
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "directory",
	                 json_text(db->directory), "entries", whole(db->nentries),
	                 "bytes_before", whole(db->bytes_before), "bytes",
	                 whole(db->bytes), "disk_bytes", whole(db->disk_bytes),
	                 "free_bytes", whole(free_bytes(db->directory)), "maxsize_bytes",
	                 whole(db->maxsize_bytes), "indexes", indexes);
}

static json_t *sample_object(const struct dit_estimate *estimate)
{
	return json_pack("{s:I, s:I, s:f, s:b}", "entries",
	                 whole(estimate->sampled_entries), "bytes",
	                 whole(estimate->sampled_bytes), "cpu_s",
	                 (double)estimate->sample_cpu_us / 1e6, "is_whole",
	                 estimate->is_whole ? 1 : 0);
}

static json_t *whole_object(const struct estimate_view *view)
{
	const struct dit_estimate *estimate = view->estimate;
	double seconds = estimate_seconds(view);
	json_t *databases = json_array();

	for (size_t i = 0; i < estimate->ndatabases; i++) {
		(void)json_array_append_new(databases,
		                            database_object(&estimate->databases[i]));
	}
	return json_pack(
		"{s:i, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:{s:I, s:o, s:I}, s:{s:I, "
		"s:I, s:I}, s:i, s:o, s:o}",
		"format", 1, "program", view->program, "version", dit_version(), "sample",
		sample_object(estimate), "entries", whole(estimate->nentries), "refused",
		whole(estimate->nrefused), "input_bytes", whole(estimate->bytes_read),
		"postings", whole(estimate->npostings), "temporary", "bytes",
		whole(estimate->run_bytes), "directory", json_text(estimate->tmpdir),
		"free_bytes", whole(free_bytes(estimate->tmpdir)), "memory", "bytes",
		whole(estimate->memory_bytes), "limit_bytes",
		whole(estimate->memory_limit_bytes), "available_bytes",
		whole(page_cache_room()), "tool_threads", (int)estimate->threads,
		"wall_s", seconds < 0 ? json_null() : json_real(seconds), "databases",
		databases);
}

static int print_json(const struct estimate_view *view)
{
	json_t *json = whole_object(view);
	int r = json == NULL ? -1
	                     : json_dumpf(json, stdout,
	                                  JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	json_decref(json);
	(void)printf("\n");
	return r;
}

int estimate_print(const struct estimate_view *view, enum estimate_mode mode)
{
	int r = 0;

	if (mode == ESTIMATE_JSON) {
		r = print_json(view);
	} else {
		print_lines(view);
	}
	if (r == 0 && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
		r = -1;
	}
	if (r < 0) {
		(void)fprintf(stderr, "%s: the estimate could not be written\n",
		              view->program);
	}
	return r;
}

/* ---- what does not fit ---- */

static unsigned long long enough_mib(uint64_t bytes)
{
	return (unsigned long long)(bytes + bytes / 2 + (1u << 20) - 1) >> 20 << 20;
}

static unsigned judge_maxsize(const struct estimate_view *view,
                              const struct dit_estimate_database *db, const char *kind)
{
	if (view->may_grow || db->bytes <= db->maxsize_bytes) {
		return 0;
	}
	(void)fprintf(stderr,
	              "%s: %s%s: the database will need about %s, but maxsize is %s: "
	              "configure \"maxsize %llu\"\n",
	              view->program, kind, db->directory, figure_bytes(db->bytes).text,
	              figure_bytes(db->maxsize_bytes).text, enough_mib(db->bytes));
	return 1;
}

static unsigned judge_disk(const struct estimate_view *view, const char *directory,
                           const char *kind, const char *hint)
{
	uint64_t need = needed_there(view, directory);
	uint64_t room = supply_of(view)->disk(directory);

	if (need <= room) {
		return 0;
	}
	(void)fprintf(stderr, "%s: %s%s: about %s of disk are needed, %s are free%s\n",
	              view->program, kind, directory, figure_bytes(need).text,
	              figure_bytes(room).text, hint);
	return 1;
}

unsigned estimate_judge(const struct estimate_view *view, const char *kind)
{
	const struct dit_estimate *estimate = view->estimate;
	const struct estimate_supply *supply = supply_of(view);
	uint64_t room = supply->memory();
	bool is_told = false;
	unsigned n = 0;

	for (size_t i = 0; i < estimate->ndatabases; i++) {
		const struct dit_estimate_database *db = &estimate->databases[i];

		n += judge_maxsize(view, db, kind);
		n += judge_disk(view, db->directory, kind, "");
		is_told =
			is_told || supply->is_same_disk(db->directory, estimate->tmpdir);
	}
	if (!is_told && estimate->run_bytes > 0) {
		n += judge_disk(view, estimate->tmpdir, kind,
		                ": give another --tmpdir, or more --memory");
	}
	if (room > 0 && estimate->memory_bytes > room) {
		(void)fprintf(
			stderr,
			"%s: %sabout %s of memory are needed, %s are available: give "
			"less --memory\n",
			view->program, kind, figure_bytes(estimate->memory_bytes).text,
			figure_bytes(room).text);
		n++;
	}
	return n;
}
