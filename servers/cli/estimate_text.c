/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate_text.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <ditkit/version.h>

#include "figures.h"
#include "page_cache.h"
#include "patterns.h"
#include "run_facts.h"

/* ---- JSON ---- */

static json_t *free_json(const char *directory)
{
	struct statvfs fs;

	return json_number(
		statvfs(directory, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0);
}

static json_t *database_json(const struct dit_estimate_database *db)
{
	json_t *indexes = json_array();

	for (size_t i = 0; i < db->nindexes; i++) {
		const struct dit_estimate_index *index = &db->indexes[i];

		(void)json_array_append_new(
			indexes,
			json_pack("{s:o, s:o, s:o}", "name", json_text(index->name),
		                  "postings", json_number(index->npostings), "bytes",
		                  json_number(index->bytes)));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "directory",
	                 json_text(db->directory), "entries", json_number(db->nentries),
	                 "bytes_before", json_number(db->bytes_before), "bytes",
	                 json_number(db->bytes), "disk_bytes",
	                 json_number(db->disk_bytes), "free_bytes",
	                 free_json(db->directory), "maxsize_bytes",
	                 json_number(db->maxsize_bytes), "indexes", indexes);
}

static json_t *sample_json(const struct dit_estimate *estimate)
{
	return json_pack("{s:o, s:o, s:f, s:b}", "entries",
	                 json_number(estimate->sampled_entries), "bytes",
	                 json_number(estimate->sampled_bytes), "cpu_s",
	                 (double)estimate->sample_cpu_us / 1e6, "is_whole",
	                 (int)estimate->is_whole);
}

/* Wall clock, if no other program runs, by the speed of the sample. */
static json_t *time_json(const struct dit_estimate *estimate, double work)
{
	if (estimate->sampled_bytes == 0) {
		return json_null();
	}
	return json_real(work * (double)estimate->sample_cpu_us / 1e6 /
	                 estimate->threads * (double)estimate->text_bytes /
	                 (double)estimate->sampled_bytes);
}

json_t *estimate_json(const struct dit_estimate *estimate, const char *program,
                      double work)
{
	json_t *databases = json_array();

	for (size_t i = 0; i < estimate->ndatabases; i++) {
		(void)json_array_append_new(databases,
		                            database_json(&estimate->databases[i]));
	}
	return json_pack(
		"{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:{s:o, "
		"s:o, s:o}, s:i, s:o, s:o}",
		"format", 1, "program", program, "version", dit_version(), "sample",
		sample_json(estimate), "entries", json_number(estimate->nentries),
		"refused", json_number(estimate->nrefused), "input_bytes",
		json_number(estimate->bytes_read), "postings",
		json_number(estimate->npostings), "temporary", "bytes",
		json_number(estimate->run_bytes), "directory",
		json_text(estimate->tmpdir), "free_bytes", free_json(estimate->tmpdir),
		"memory", "bytes", json_number(estimate->memory_bytes), "limit_bytes",
		json_number(estimate->memory_limit_bytes), "available_bytes",
		json_number(page_cache_room()), "tool_threads", (int)estimate->threads,
		"wall_s", time_json(estimate, work), "databases", databases);
}

/* ---- printing ---- */

static void print_lines(const json_t *json)
{
	const json_t *sample = json_object_get(json, "sample");
	const struct filler filler = {.out = stdout, .json = json, .row = json};
	bool is_whole = json_is_true(json_object_get(sample, "is_whole"));
	bool has_time = !json_is_null(json_object_get(json, "wall_s"));

	pattern_fill(&filler, is_whole ? "estimate from the whole input:\n\n"
	                               : "estimate from a sample of "
	                                 "{sample.entries:count} entries "
	                                 "({sample.bytes:bytes}):\n\n");
	pattern_fill(
		&filler,
		"  entries    {14 entries:count}   {postings:count} index keys\n"
		"[             {14 refused:count}   records that will be refused\n]");
	pattern_fill_rows(
		filler, json_object_get(json, "databases"),
		"  database   {14 bytes:bytes}   {directory}: {free_bytes:bytes} free, "
		"maxsize {maxsize_bytes:bytes}\n"
		"[             {14 bytes_before:bytes}   in use now\n]");
	pattern_fill(
		&filler,
		"  temporary  {14 temporary.bytes:bytes}   {temporary.directory}: "
		"{temporary.free_bytes:bytes} free\n"
		"  memory     {14 memory.bytes:bytes}   --memory "
		"{memory.limit_bytes:bytes}, {memory.available_bytes:bytes} available\n");
	pattern_fill(&filler, has_time ? "  time       {14 wall_s:seconds}"
	                               : "  time              unknown");
	pattern_fill(&filler, "   {tool_threads} thread{tool_threads:plural}, on an idle "
	                      "machine\n");
}

int estimate_print(const json_t *json, enum estimate_mode mode)
{
	int r = json == NULL ? -1 : 0;

	if (r == 0 && mode == ESTIMATE_JSON) {
		r = json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
		(void)printf("\n");
	} else if (r == 0) {
		print_lines(json);
	}
	if (r == 0 && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
		r = -1;
	}
	if (r < 0) {
		(void)fprintf(stderr, "%s: the estimate could not be written\n",
		              fact_text(json, "program"));
	}
	return r;
}

/* ---- what does not fit ---- */

static bool is_same_disk(const char *x, const char *y)
{
	struct stat a;
	struct stat b;

	return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev;
}

/* Needs of the disk of a directory: of all databases on it and the temporary files. */
static uint64_t needed_there(const json_t *json, const char *directory)
{
	const json_t *databases = json_object_get(json, "databases");
	const json_t *temporary = json_object_get(json, "temporary");
	uint64_t bytes = is_same_disk(directory, fact_text(temporary, "directory"))
	                         ? fact_number(temporary, "bytes")
	                         : 0;

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *db = json_array_get(databases, i);

		if (is_same_disk(directory, fact_text(db, "directory"))) {
			bytes += fact_number(db, "disk_bytes");
		}
	}
	return bytes;
}

static unsigned judge_maxsize(const json_t *json, const json_t *db, const char *kind)
{
	uint64_t bytes = fact_number(db, "bytes");
	uint64_t maxsize = fact_number(db, "maxsize_bytes");

	if (bytes <= maxsize) {
		return 0;
	}
	(void)fprintf(stderr,
	              "%s: %s%s: the database will need about %s, but maxsize is %s: "
	              "configure \"maxsize %llu\"\n",
	              fact_text(json, "program"), kind, fact_text(db, "directory"),
	              figure_bytes(bytes).text, figure_bytes(maxsize).text,
	              (unsigned long long)(bytes + bytes / 2 + (1u << 20) - 1) >>
	                      20 << 20);
	return 1;
}

/* @param place  a database, or the temporary files */
static unsigned judge_disk(const json_t *json, const json_t *place, const char *kind,
                           const char *hint)
{
	const char *directory = fact_text(place, "directory");
	uint64_t need = needed_there(json, directory);
	uint64_t room = fact_number(place, "free_bytes");

	if (need <= room) {
		return 0;
	}
	(void)fprintf(stderr, "%s: %s%s: about %s of disk are needed, %s are free%s\n",
	              fact_text(json, "program"), kind, directory,
	              figure_bytes(need).text, figure_bytes(room).text, hint);
	return 1;
}

static unsigned judge_memory(const json_t *json, const char *kind)
{
	const json_t *memory = json_object_get(json, "memory");
	uint64_t need = fact_number(memory, "bytes");
	uint64_t room = fact_number(memory, "available_bytes");

	if (room == 0 || need <= room) {
		return 0;
	}
	(void)fprintf(stderr,
	              "%s: %sabout %s of memory are needed, %s are available: give "
	              "less --memory\n",
	              fact_text(json, "program"), kind, figure_bytes(need).text,
	              figure_bytes(room).text);
	return 1;
}

unsigned estimate_judge(const json_t *json, bool may_grow, const char *kind)
{
	const json_t *databases = json_object_get(json, "databases");
	const json_t *temporary = json_object_get(json, "temporary");
	const char *tmpdir = fact_text(temporary, "directory");
	bool is_told = false;
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *db = json_array_get(databases, i);

		n += may_grow ? 0 : judge_maxsize(json, db, kind);
		n += judge_disk(json, db, kind, "");
		is_told = is_told || is_same_disk(fact_text(db, "directory"), tmpdir);
	}
	if (!is_told && fact_number(temporary, "bytes") > 0) {
		n += judge_disk(json, temporary, kind,
		                ": give another --tmpdir, or more --memory");
	}
	return n + judge_memory(json, kind);
}
