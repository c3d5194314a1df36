/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate_text.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <ditkit/version.h>

#include "arguments.h"
#include "patterns.h"
#include "run_facts.h"

/* ---- JSON ---- */

static json_t *free_json(const char *directory)
{
	struct statvfs fs;

	return json_number(
		statvfs(directory, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0);
}

/* Memory that can be had without pushing anything out; 0: not known. */
static uint64_t available_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[256];

	if (file == NULL) {
		return 0;
	}
	while (fgets(line, sizeof(line), file) != NULL &&
	       sscanf(line, "MemAvailable: %lu", &kib) != 1) {
	}
	(void)fclose(file);
	return kib << 10;
}

static json_t *database_json(const void *databases, size_t i)
{
	const struct dit_estimate_database *db =
		&((const struct dit_estimate_database *)databases)[i];

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "directory",
	                 json_text(db->directory), "entries", json_number(db->nentries),
	                 "bytes_before", json_number(db->bytes_before), "bytes",
	                 json_number(db->bytes), "disk_bytes",
	                 json_number(db->disk_bytes), "free_bytes",
	                 free_json(db->directory), "maxsize_bytes",
	                 json_number(db->maxsize_bytes));
}

/* Wall clock, if no other program runs; threads share the work. */
static json_t *time_json(const struct dit_estimate *estimate)
{
	return estimate->sampled_entries == 0
	               ? json_null()
	               : json_real((double)estimate->cpu_us / 1e6 / estimate->threads);
}

static json_t *make_json(const struct dit_estimate *estimate)
{
	return json_pack(
		"{s:i, s:s, s:s, s:{s:o, s:o, s:b}, s:o, s:o, s:o, s:o, s:{s:o, s:o, "
		"s:o}, s:{s:o, s:o, s:o}, s:i, s:o, s:o}",
		"format", 2, "program", program_invocation_short_name, "version",
		dit_version(), "sample", "entries",
		json_number(estimate->sampled_entries), "bytes",
		json_number(estimate->sampled_bytes), "is_whole", (int)estimate->is_whole,
		"entries", json_number(estimate->nentries), "refused",
		json_number(estimate->nrefused), "input_bytes",
		json_number(estimate->bytes_read), "postings",
		json_number(estimate->npostings), "temporary", "disk_bytes",
		json_number(estimate->run_bytes), "directory",
		json_text(estimate->tmpdir), "free_bytes", free_json(estimate->tmpdir),
		"memory", "bytes", json_number(estimate->memory_bytes), "limit_bytes",
		json_number(estimate->memory_limit_bytes), "available_bytes",
		json_number(available_bytes()), "tool_threads", (int)estimate->threads,
		"wall_s", time_json(estimate), "databases",
		json_list(estimate->ndatabases, database_json, estimate->databases));
}

/* ---- what does not fit ---- */

static bool is_same_disk(const json_t *x, const json_t *y)
{
	struct stat a;
	struct stat b;

	return stat(fact_text(x, "directory"), &a) == 0 &&
	       stat(fact_text(y, "directory"), &b) == 0 && a.st_dev == b.st_dev;
}

/* A place needs what all of them need on its disk, and is told if no earlier one was. */
static int judge_disk(const json_t *places, size_t number, const char *hint)
{
	const json_t *place = json_array_get(places, number);
	uint64_t room = fact_number(place, "free_bytes");
	uint64_t need = 0;

	for (size_t i = 0; i < json_array_size(places); i++) {
		const json_t *other = json_array_get(places, i);

		if (is_same_disk(place, other)) {
			if (i < number) {
				return 0;
			}
			need += fact_number(other, "disk_bytes");
		}
	}
	if (need <= room) {
		return 0;
	}
	return common_say(1, "%s: about %s of disk are needed, %s are free%s",
	                  fact_text(place, "directory"), figure_bytes(need).text,
	                  figure_bytes(room).text, hint);
}

static int judge_maxsize(const json_t *db)
{
	uint64_t bytes = fact_number(db, "bytes");
	uint64_t maxsize = fact_number(db, "maxsize_bytes");

	if (bytes <= maxsize) {
		return 0;
	}
	return common_say(1,
	                  "%s: the database will need about %s, but maxsize is %s: "
	                  "configure \"maxsize %lu\"",
	                  fact_text(db, "directory"), figure_bytes(bytes).text,
	                  figure_bytes(maxsize).text,
	                  (bytes + bytes / 2 + (1u << 20) - 1) >> 20 << 20);
}

static int judge_memory(const json_t *memory)
{
	uint64_t need = fact_number(memory, "bytes");
	uint64_t room = fact_number(memory, "available_bytes");

	if (room == 0 || need <= room) { /* 0: the system does not tell */
		return 0;
	}
	return common_say(1,
	                  "about %s of memory are needed, %s are available: give less "
	                  "--memory",
	                  figure_bytes(need).text, figure_bytes(room).text);
}

unsigned estimate_judge(const json_t *json, bool may_grow)
{
	const json_t *databases = json_object_get(json, "databases");
	size_t ndatabases = json_array_size(databases);
	json_t *places = json_copy((json_t *)databases);
	unsigned n = 0;

	(void)json_array_append(places, json_object_get(json, "temporary"));
	for (size_t i = 0; i < ndatabases && !may_grow; i++) {
		n += judge_maxsize(json_array_get(databases, i));
	}
	for (size_t i = 0; i <= ndatabases; i++) {
		n += judge_disk(places, i,
		                i < ndatabases
		                        ? ""
		                        : ": give another --tmpdir, or more --memory");
	}
	json_decref(places);
	return n + judge_memory(json_object_get(json, "memory"));
}

int estimate_tell(const struct dit_estimate *estimate, enum estimate_mode mode,
                  bool may_grow)
{
	json_t *json = make_json(estimate);
	const struct filler lines = {.out = stdout, .json = json, .row = json};
	unsigned n = 1;

	if (json == NULL) {
		return common_say(-1, "no memory for the estimate");
	}
	if (mode == ESTIMATE_JSON) {
		(void)json_print(stdout, json_incref(json),
		                 JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	} else {
		pattern_fill(&lines, estimate_txt);
	}
	if (common_flush_output() == 0) {
		n = estimate_judge(json, may_grow);
	}
	json_decref(json);
	return n == 0 ? 0 : -1;
}
