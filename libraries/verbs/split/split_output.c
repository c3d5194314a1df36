/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of all shards. A shard's text is written when there are TEXT_BYTES of it,
 * packed as a member or frame of its own. So the bytes of a file depend on its records
 * alone.
 */
#include "split/split_impl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/file_io.h"

#define TEXT_BYTES  ((size_t)512 << 10)
#define FOLDER_MODE 0777 /* less the umask */
#define LINE_BYTES  (DIT_DIGEST_TEXT_BYTES + NAME_MAX + 3)

/* @param why  "": the code says all */
static int fail(struct dit_split_output *output, const char *path, const char *why, int r)
{
	free(output->failed);
	output->failed = strdup(path);
	(void)snprintf(output->why, sizeof(output->why), "%s", why);
	return r;
}

/* ---- opening ---- */

/* The names are the disk's, too. @return 0, also if it is there; -errno */
static int make_in(int dir_fd, const char *name)
{
	if (mkdirat(dir_fd, name, FOLDER_MODE) == 0) {
		return dit_sync_directory(dir_fd);
	}
	return errno == EEXIST || name[0] == '\0' ? 0 : -errno;
}

/* The folder that the first bytes of the path of a file name. No link is followed that
 * another user can exchange (path.h). */
static int make_folder(struct dit_split_output *output, char *path, size_t len)
{
	char why[DIT_PATH_WHY_BYTES];
	const char *name = NULL;
	int dir_fd = -1;
	int r = 0;

	path[len] = '\0';
	dir_fd = dit_path_open_parent(path, &name, why);
	r = dir_fd < 0 ? dir_fd : make_in(dir_fd, name);
	r = r < 0 ? fail(output, path, why, r) : 0;
	path[len] = '/';
	dit_close(dir_fd);
	return r;
}

/* A pipe or a device would get what is not complete, and digests that fit nothing. */
static int open_result(struct dit_split_output *output, struct dit_export_file *file,
                       const char *path)
{
	struct stat st;
	int r = 0;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) &&
	    !S_ISDIR(st.st_mode)) {
		return fail(output, path, "no regular file", -EEXIST);
	}
	r = dit_export_file_open(file, path, 0, output->stop);
	return r < 0 ? fail(output, path, file->why, r) : 0;
}

static int open_file(struct dit_split_output *output, const struct dit_split_opts *opts,
                     struct dit_split_file *file, const char *shard)
{
	static const char *const endings[] = {"", ".gz", ".zst"};
	size_t end = strlen(opts->output);
	size_t shard_end = end + 1 + strlen(shard);
	int r = 0;

	if (asprintf(&file->path, "%s/%s/" DIT_SPLIT_PART "%s", opts->output, shard,
	             opts->part, opts->nparts, endings[opts->compression]) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	/* A slash at its end would be a name of its own. */
	while (end > 1 && opts->output[end - 1] == '/') {
		end--;
	}
	r = make_folder(output, file->path, end);
	r = r ?: make_folder(output, file->path, shard_end);
	r = r ?: open_result(output, &file->file, file->path);
	if (r < 0) {
		return r;
	}
	dit_ldif_text_init(&file->text, DIT_LDIF_WRAP_NONE);
	return dit_digest_new(&file->digest);
}

int dit_split_output_open(struct dit_split_output *output,
                          const struct dit_split_opts *opts,
                          const struct dit_split_map *map, const struct dit_stop *stop,
                          struct dit_split_stats *stats)
{
	size_t n = map->nnames;
	int r = 0;

	output->stop = stop;
	output->map = map;
	output->stats = stats;
	output->files = calloc(n, sizeof(*output->files));
	stats->shards = calloc(n, sizeof(*stats->shards));
	if (output->files == NULL || stats->shards == NULL) {
		return -ENOMEM;
	}
	if (opts->compression != DIT_EXPORT_PLAIN) {
		r = dit_packer_new(&output->packer, opts->compression);
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		const char *name = map->names[i];

		stats->shards[i].name = strdup(name);
		stats->nshards++;
		output->files[i].file.fd = -1;
		output->nfiles++;
		r = stats->shards[i].name == NULL
		            ? -ENOMEM
		            : open_file(output, opts, &output->files[i], name);
	}
	return r;
}

/* ---- writing ---- */

/* All text of a shard so far. */
static int flush(struct dit_split_output *output, struct dit_split_file *file)
{
	struct dit_ldif_text *text = &file->text;
	int r = output->packer == NULL ? 0 : dit_packer_pack(output->packer, text);

	if (r < 0) {
		return r;
	}
	dit_digest_add(file->digest, text->data, text->len);
	r = dit_export_file_write(&file->file, text->data, text->len);
	text->len = 0;
	return r < 0 ? fail(output, file->path, "", r) : 0;
}

/* A last line without LF gets one. If it is a lone CR it gets a CR as well, since it
 * would become a blank line. */
static struct dit_span end_of(struct dit_span record)
{
	char last = record.data[record.len - 1];
	char before = record.len > 1 ? record.data[record.len - 2] : '\n';

	return last == '\n'                     ? DIT_SPAN("\n")
	       : last == '\r' && before == '\n' ? DIT_SPAN("\r\n\n")
	                                        : DIT_SPAN("\n\n");
}

int dit_split_output_put(struct dit_split_output *output, struct dit_span record,
                         const struct dit_split_shards *shards)
{
	struct dit_span end = end_of(record);
	int r = 0;

	for (size_t i = 0; i < shards->n && r == 0; i++) {
		struct dit_split_file *file = &output->files[shards->list[i]];

		r = dit_ldif_write_raw(&file->text, record);
		r = r < 0 ? r : dit_ldif_write_raw(&file->text, end);
		output->stats->shards[shards->list[i]].nrecords++;
		if (r == 0 && file->text.len >= TEXT_BYTES) {
			r = flush(output, file);
		}
	}
	return r;
}

/* ---- the end ---- */

static int finish_file(struct dit_split_output *output, struct dit_split_file *file)
{
	int r = dit_export_file_finish(&file->file);

	return r < 0 ? fail(output, file->path, file->file.why, r) : 0;
}

/* A small file, whole. */
static int write_small(struct dit_split_output *output, const char *path,
                       struct dit_span text)
{
	struct dit_export_file file = {.fd = -1};
	int r = open_result(output, &file, path);

	if (r == 0) {
		r = dit_export_file_write(&file, text.data, text.len);
		r = r < 0 ? r : dit_export_file_finish(&file);
		r = r < 0 ? fail(output, path, file.why, r) : 0;
	}
	dit_export_file_close(&file);
	return r;
}

/* The copy of the map. Parts of other shards and inputs have another line in front: the
 * parts of a shard are of one map if their digests say so. */
static int write_map(struct dit_split_output *output, struct dit_split_file *file)
{
	const char *shard = output->map->names[file - output->files];
	int len = (int)(strrchr(file->path, '/') - file->path);
	char *path = NULL;
	char *text = NULL;
	int r = 0;

	if (asprintf(&path, "%.*s/" DIT_SPLIT_MAP, len, file->path) < 0) {
		return -ENOMEM;
	}
	if (asprintf(&text, SPLIT_LABEL "shard %s of %lu bytes of input\n%.*s", shard,
	             output->input_bytes, DIT_SPAN_ARGS(output->map->text)) < 0) {
		free(path);
		return -ENOMEM;
	}
	file->map = dit_sum128_of(dit_span_of(text), 0);
	r = write_small(output, path, dit_span_of(text));
	free(path);
	free(text);
	return r;
}

/* "DIGEST  NAME" of the part and of the map, as xxh128sum prints them. */
static int write_digest(struct dit_split_output *output, struct dit_split_file *file)
{
	char digest[DIT_DIGEST_TEXT_BYTES];
	char map[DIT_DIGEST_TEXT_BYTES];
	char lines[2 * LINE_BYTES];
	char *path = NULL;
	int r = 0;

	if (asprintf(&path, "%s" DIT_SPLIT_DIGESTS, file->path) < 0) {
		return -ENOMEM;
	}
	dit_digest_text(file->digest, digest);
	dit_sum128_text(&file->map, map);
	(void)snprintf(lines, sizeof(lines), "%s  %s\n%s  " DIT_SPLIT_MAP "\n", digest,
	               strrchr(file->path, '/') + 1, map);
	r = write_small(output, path, dit_span_of(lines));
	free(path);
	return r;
}

static int flush_rest(struct dit_split_output *output, struct dit_split_file *file)
{
	/* An empty file is not a valid gzip or zstd file. */
	int r = file->text.len > 0 || file->file.nbytes == 0 ? flush(output, file) : 0;

	output->stats->shards[file - output->files].nbytes = file->file.nbytes;
	return r;
}

/* The disk has all files, in place of older ones, before it has the first digest. So the
 * files that fit their digests are of one run, in all shards and at any moment. */
int dit_split_output_finish(struct dit_split_output *output)
{
	static int (*const steps[])(struct dit_split_output * output,
	                            struct dit_split_file * file) = {
		flush_rest, finish_file, write_map, write_digest};
	int r = 0;

	for (size_t step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		for (size_t i = 0; i < output->nfiles && r == 0; i++) {
			r = steps[step](output, &output->files[i]);
		}
	}
	return r;
}

void dit_split_output_close(struct dit_split_output *output)
{
	for (size_t i = 0; i < output->nfiles; i++) {
		dit_export_file_close(&output->files[i].file);
		dit_digest_free(output->files[i].digest);
		dit_ldif_text_deinit(&output->files[i].text);
		free(output->files[i].path);
	}
	free(output->files);
	free(output->failed);
	dit_packer_free(output->packer);
	*output = (struct dit_split_output){.nfiles = 0};
}
