/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A split from beginning to end:
 *
 *   configuration ─▶ schema;  map;  files of the shards
 *   each input   ─▶ its part ─▶ batch ─▶ record ─▶ DN ─▶ shards ─▶ text
 *   all files appear, or none
 *
 * A reader reads one input. So a part of a plain file is its bytes, and a packed file
 * belongs to one part as a whole.
 */
#include "split/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cut.h"
#include "base/version.h"
#include "job/job.h"
#include "job/release_rules.h"
#include "ldif/ldif_parse.h"
#include "ldif/ldif_reader.h"
#include "split/split_impl.h"

#define BATCH_BYTES   ((size_t)256 << 10)
#define BATCH_RECORDS 8192
#define ARENA_BYTES   65536
#define TOLD_MAX      10 /* records without a line of the map */

struct split {
	const struct dit_split_opts *opts;
	struct dit_split_stats *stats;
	struct dit_job job;
	struct dit_ldif_dialect dialect;
	struct dit_file_rules files;
	struct dit_split_map *map;
	struct dit_split_output output;
	struct dit_arena arena; /* of one record */
	struct dit_ldif_batch batch;
	uint64_t total; /* bytes of this part, about; 0: not known */

	/* The input that is read. */
	struct dit_ldif_reader *reader;
	const char *path; /* NULL: standard input */
	uint64_t size;    /* of all of its parts; 0: not known */
	uint64_t read;    /* bytes of those before it */
	bool has_before;  /* the next one is known */
	uint64_t nbefore; /* lines before the part */
};

static const uint32_t first_shard = 0;

static const char *name_of(const char *path)
{
	return path == NULL ? "standard input" : path;
}

/* ---- what the output depends on ---- */

static int check_opts(const struct split *split)
{
	const struct dit_split_opts *opts = split->opts;
	const struct dit_job_range compression = {"compression", opts->compression,
	                                          DIT_EXPORT_PLAIN, DIT_EXPORT_ZSTD};

	if (opts->part >= opts->nparts) {
		return dit_job_say(&split->job, -EINVAL,
		                   "there is no part %u of %u: parts are counted from 0",
		                   opts->part, opts->nparts);
	}
	if (opts->map == NULL || opts->output == NULL || *opts->output == '\0') {
		return dit_job_say(&split->job, -EINVAL, "%s is missing",
		                   opts->map == NULL ? "the map"
		                                     : "the directory for the shards");
	}
	return dit_job_check(&split->job, &compression, 1);
}

static int read_settings(struct split *split)
{
	struct dit_job *job = &split->job;
	int r = dit_job_read(job);

	if (r == 0 && (job->opts.suffix != NULL || job->opts.database >= 0)) {
		r = dit_job_choose(job);
	}
	if (r == 0) {
		split->dialect =
			dit_release_rules(job->chosen.openldap, job->chosen.patch)
				.entries.ldif;
	}
	return r;
}

static int read_map(struct split *split)
{
	const char *path = split->opts->map;
	struct dit_fault fault = {""};
	uint64_t line = 0;
	int r = dit_split_map_read(&split->map, path, split->job.chosen.settings->schema,
	                           &line, &fault);

	return r == 0 ? 0
	       : r == DIT_E_CONFIG
	               ? dit_job_say(&split->job, r, "%s:%lu: %s", path, line, fault.text)
	               : dit_job_say(&split->job, r, "%s: %s", path,
	                             r == -ENOTSUP ? "no regular file" : dit_strerror(r));
}

static int fail_on_output(const struct split *split, int r)
{
	const struct dit_split_output *output = &split->output;

	return r == DIT_E_STOPPED || output->failed == NULL
	               ? dit_job_fail(&split->job, r, "could not write the shards")
	               : dit_job_say(&split->job, r, "%s: %s", output->failed,
	                             output->why[0] == '\0' ? dit_strerror(r)
	                                                    : output->why);
}

/* ---- the DN of a record ---- */

/*
 * Most records begin with a line like "dn: uid=a,ou=b", whole and plain. A line that is
 * folded, encoded or has a control character is given to ldif_parse.h, alone. If a record
 * begins with something else, all of its lines are.
 */

/* The line at the front, its folds and last LF included. */
static struct dit_span logical_line(struct dit_span text)
{
	const char *end = text.data + text.len;
	const char *at = text.data;

	do {
		const char *lf = memchr(at, '\n', (size_t)(end - at));

		at = lf == NULL ? end : lf + 1;
	} while (at < end && *at == ' ');
	return (struct dit_span){text.data, (size_t)(at - text.data)};
}

/* The value of a "dn:" line that can stand as it is; data NULL: look closer. */
static struct dit_span plain_value(struct dit_span line)
{
	static const struct dit_span none = {NULL, 0};

	line.len -= line.len > 0 && line.data[line.len - 1] == '\n' ? 1 : 0;
	line.len -= line.len > 0 && line.data[line.len - 1] == '\r' ? 1 : 0;
	if (!dit_cut_prefix(&line, DIT_SPAN("dn:"))) {
		return none;
	}
	(void)dit_cut_spaces(&line);
	if (line.len == 0 || line.data[0] == ':' || line.data[0] == '<') {
		return none;
	}
	for (size_t i = 0; i < line.len; i++) {
		if ((unsigned char)line.data[i] < ' ') {
			return none;
		}
	}
	return line;
}

/* @return 1; 0: no line of the text has a DN; negative */
static int parse(struct split *split, struct dit_span text,
                 const struct dit_file_rules *files, struct dit_span *ret)
{
	struct dit_notes notes;
	struct dit_ldif_lines lines = {.nlines = 0};
	int r = 0;

	dit_notes_init(&notes, &split->arena);
	r = dit_ldif_parse(&split->dialect, text, files, &notes, &lines);
	for (size_t i = 0; i < lines.nlines && r == 0; i++) {
		const struct dit_ldif_line *line = &lines.lines[i];

		if (line->name.data != NULL && !line->is_damaged &&
		    dit_span_eq_nocase(line->name, DIT_SPAN("dn"))) {
			*ret = line->value;
			r = 1;
		}
	}
	return r;
}

/*
 * @param ret  the DN as written; points into the record or the arena
 *
 * @return 1; 0: no line has a DN that can be read; -ENOMEM; DIT_E_STOPPED
 */
static int find_dn(struct split *split, struct dit_span record, struct dit_span *ret)
{
	static const struct dit_file_rules none = {.refuse_all = true};
	struct dit_span rest = record;
	struct dit_span line = logical_line(rest);
	struct dit_span value = {NULL, 0};
	int r = 0;

	while (line.len > 0 && line.data[0] == '#') {
		dit_cut(&rest, line.len);
		line = logical_line(rest);
	}
	value = plain_value(line);
	if (value.data != NULL) {
		*ret = value;
		return 1;
	}
	if (dit_cut_prefix(&(struct dit_span){line.data, line.len}, DIT_SPAN("dn:"))) {
		r = parse(split, line, &split->files, ret);
	}
	return r == 0 ? parse(split, record, &none, ret) : r;
}

/* ---- records ---- */

/* A record without a line of the map. */
static void tell_unmatched(struct split *split, const struct dit_ldif_record *record,
                           struct dit_span dn)
{
	uint64_t line = record->file_line;

	if (split->stats->nunmatched++ >= TOLD_MAX) {
		return;
	}
	/* The first one of an input counts the lines before the part. */
	if (!split->has_before) {
		split->has_before =
			dit_ldif_reader_count_before(split->reader, &split->nbefore) == 0;
	}
	line += strcmp(record->file, name_of(split->path)) == 0 ? split->nbefore : 0;
	dit_job_report(&split->job, DIT_REPORT_ERROR,
	               "%s:%lu: no line of %s matches \"%.*s\"", record->file, line,
	               split->opts->map, DIT_SPAN_ARGS(dn));
}

/* @return 0; negative, reported */
static int put_record(struct split *split, const struct dit_ldif_record *record)
{
	struct dit_split_shards shards = {NULL, 0};
	struct dit_span dn = {NULL, 0};
	int r = 0;

	split->stats->nrecords++;
	dit_arena_reset(&split->arena);
	r = find_dn(split, record->text, &dn);
	if (r > 0) {
		r = dit_split_map_find(split->map, dn, &shards);
	} else if (r == 0) {
		r = DIT_E_INVALID;
	}
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		split->stats->nunnamed++;
		shards = (struct dit_split_shards){&first_shard, 1};
	} else if (r < 0) {
		return dit_job_fail(&split->job, r, "could not read a record");
	} else if (shards.n == 0) {
		tell_unmatched(split, record, dn);
		return 0;
	}
	r = dit_split_output_put(&split->output, record->text, &shards);
	return r < 0 ? fail_on_output(split, r) : 0;
}

/* ---- inputs ---- */

static int fail_on_input(const struct split *split, int r)
{
	return dit_job_input_fail(&split->job, split->reader, r, name_of(split->path));
}

/* The part of the input that is open. @return 1; 0: nothing of it; negative, reported */
static int take_part(struct split *split, size_t number)
{
	const struct dit_split_opts *opts = split->opts;
	struct stat st;
	int r = 0;

	if (opts->nparts == 1) {
		return 1;
	}
	if (split->path == NULL || stat(split->path, &st) < 0 || !S_ISREG(st.st_mode)) {
		return dit_job_say(
			&split->job, -ESPIPE,
			"%s cannot be read in parts: it is no regular file; write "
			"it to one, or split it in one part",
			name_of(split->path));
	}
	if (!dit_ldif_reader_can_skip(split->reader)) {
		return number % opts->nparts == opts->part ? 1 : 0;
	}
	r = dit_ldif_reader_cut(split->reader, opts->part, opts->nparts);
	return r < 0 ? fail_on_input(split, r) : 1;
}

/* Where the input has changed, a record may be cut, or in no part. */
static int check_size(const struct split *split)
{
	bool is_shorter = false;
	struct stat st;

	if (split->path == NULL || !dit_ldif_reader_can_skip(split->reader)) {
		return 0;
	}
	is_shorter = split->batch.bytes_read < dit_ldif_reader_size(split->reader);
	if (is_shorter || (stat(split->path, &st) == 0 && S_ISREG(st.st_mode) &&
	                   (uint64_t)st.st_size > split->size)) {
		return dit_job_say(&split->job, DIT_E_INVALID,
		                   "%s has become %s while it was read", split->path,
		                   is_shorter ? "shorter" : "longer");
	}
	return 0;
}

static int read_records(struct split *split)
{
	int r = 0;

	while ((r = dit_ldif_reader_next(split->reader, &split->batch)) > 0) {
		for (size_t i = 0; i < split->batch.nrecords; i++) {
			r = put_record(split, &split->batch.records[i]);
			if (r < 0) {
				return r;
			}
		}
		split->stats->bytes_read = split->read + split->batch.bytes_read;
		dit_job_tell(&split->job, DIT_SPLIT_RECORDS);
	}
	split->stats->bytes_read = split->read + split->batch.bytes_read;
	return r < 0 ? fail_on_input(split, r) : check_size(split);
}

static int read_input(struct split *split, const char *path, size_t number)
{
	const struct dit_split_opts *opts = split->opts;
	const struct dit_ldif_reader_opts reader = {.path = path,
	                                            .is_threaded = opts->threads != 1,
	                                            .batch_bytes = BATCH_BYTES,
	                                            .batch_records = BATCH_RECORDS,
	                                            .record_max = split->files.value_max,
	                                            .files = &split->files};
	int r = dit_ldif_reader_open(&split->reader, &reader, NULL);

	split->path = path;
	split->read = split->stats->bytes_read;
	split->has_before = opts->nparts == 1;
	split->nbefore = 0;
	split->batch.bytes_read = 0;
	if (r < 0) {
		return dit_job_say(&split->job, r, "%s: %s", name_of(path),
		                   dit_strerror(r));
	}
	split->size = dit_ldif_reader_size(split->reader);
	split->output.input_bytes += split->size;
	r = take_part(split, number);
	r = r <= 0 ? r : read_records(split);
	dit_ldif_reader_close(split->reader);
	split->reader = NULL;
	return r;
}

static int read_inputs(struct split *split)
{
	const struct dit_split_opts *opts = split->opts;
	int r = opts->ninputs == 0 ? read_input(split, NULL, 0) : 0;

	for (size_t i = 0; i < opts->ninputs && r == 0; i++) {
		r = read_input(split, opts->inputs[i], i);
	}
	if (r == 0 && split->stats->nunmatched > 0) {
		return dit_job_say(&split->job, DIT_E_REFUSED,
		                   "%lu of %lu records match no line of %s: nothing was "
		                   "written; add lines for them",
		                   split->stats->nunmatched, split->stats->nrecords,
		                   opts->map);
	}
	return r;
}

/* ---- the whole of it ---- */

/* About, since packed files go to one part each. */
static uint64_t count_bytes(const struct split *split)
{
	uint64_t total = 0;

	for (size_t i = 0; i < split->opts->ninputs; i++) {
		const char *path = split->opts->inputs[i];
		struct stat st;

		if (path == NULL || stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
			return 0;
		}
		total += (uint64_t)st.st_size;
	}
	return total / split->opts->nparts;
}

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct split *split = ctx;

	ret->unit = DIT_PROGRESS_BYTES;
	ret->nentries = split->stats->nrecords;
	ret->bytes_read = split->stats->bytes_read;
	ret->bytes_total = split->total;
	if (ret->phase == DIT_SPLIT_RECORDS) {
		ret->done = split->stats->bytes_read;
		ret->total = split->total;
	}
}

static int run(struct split *split)
{
	int r = check_opts(split);

	r = r < 0 ? r : read_settings(split);
	r = r < 0 ? r : read_map(split);
	if (r < 0) {
		return r;
	}
	r = dit_split_output_open(&split->output, split->opts, split->map,
	                          &split->job.stop, split->stats);
	if (r < 0) {
		return fail_on_output(split, r);
	}
	split->total = count_bytes(split);
	dit_job_tell(&split->job, DIT_SPLIT_RECORDS);
	r = read_inputs(split);
	if (r < 0) {
		return r;
	}
	dit_job_tell(&split->job, DIT_SPLIT_PUBLISH);
	r = dit_split_output_finish(&split->output);
	return r < 0 ? fail_on_output(split, r) : 0;
}

int dit_split(const struct dit_split_opts *opts, struct dit_split_stats *ret)
{
	struct dit_split_opts own;
	struct split split = {.opts = &own, .stats = ret};
	struct dit_job_opts job;
	int r = dit_opts_take(&own, sizeof(own), opts);

	memset(ret, 0, sizeof(*ret));
	if (r < 0) {
		return r;
	}
	own.nparts = own.nparts ?: 1;
	job = (struct dit_job_opts){DIT_JOB_CONF(&own), .progress = own.progress,
	                            .progress_ctx = own.progress_ctx,
	                            .fill = fill_progress, .ctx = &split};
	dit_job_init(&split.job, &job);
	dit_arena_init(&split.arena, ARENA_BYTES);
	split.files =
		(struct dit_file_rules){.refuse_all = own.no_urls,
	                                .value_max = dit_record_max(own.record_max_bytes),
	                                .stop = &split.job.stop};
	r = run(&split);
	dit_ldif_reader_close(split.reader);
	dit_ldif_batch_deinit(&split.batch);
	dit_split_output_close(&split.output);
	dit_split_map_free(split.map);
	dit_arena_deinit(&split.arena);
	dit_job_deinit(&split.job);
	return r;
}

void dit_split_stats_deinit(struct dit_split_stats *stats)
{
	for (size_t i = 0; i < stats->nshards; i++) {
		free(stats->shards[i].name);
	}
	free(stats->shards);
	*stats = (struct dit_split_stats){.nrecords = 0};
}
