/* SPDX-License-Identifier: BSD-2-Clause */
#include "disk_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "system/file_io.h"

#define DEPTH_MAX 8

struct content {
	char *bytes; /* owned if it is a copy */
	size_t nbytes;
	bool is_copy;
};

struct disk_image {
	const struct disk *disk;
	struct names names;
	struct content *contents; /* of all objects */
};

/* ---- making ---- */

static int copy_content(struct content *content)
{
	char *copy = NULL;

	if (content->is_copy) {
		return 0;
	}
	copy = malloc(content->nbytes + 1);
	if (copy == NULL) {
		return -ENOMEM;
	}
	if (content->nbytes > 0) {
		memcpy(copy, content->bytes, content->nbytes);
	}
	content->bytes = copy;
	content->is_copy = true;
	return 0;
}

static int apply(struct disk_image *image, const struct event *event,
                 const struct disk_choice *choice)
{
	struct content *content = &image->contents[event->object];
	int r = 0;

	if (disk_is_name_event(event)) {
		return choice->how == DISK_DROP ? 0
		                                : disk_apply_name(&image->names, event);
	}
	r = copy_content(content);
	return r < 0 ? r
	             : disk_apply_bytes(&content->bytes, &content->nbytes, event, choice);
}

struct disk_image *disk_image_make(const struct disk *disk,
                                   const struct disk_choice *choices)
{
	struct disk_image *image = calloc(1, sizeof(*image));
	int r = 0;

	if (image == NULL) {
		return NULL;
	}
	image->disk = disk;
	image->contents = calloc(disk->nobjects, sizeof(*image->contents));
	image->names.items = calloc(disk->names.n + 1, sizeof(struct name));
	if (image->contents == NULL || image->names.items == NULL) {
		disk_image_free(image);
		return NULL;
	}
	for (size_t i = 0; i < disk->names.n; i++) {
		image->names.items[image->names.n++] = disk->names.items[i];
	}
	for (size_t i = 0; i < disk->nobjects; i++) {
		image->contents[i] = (struct content){
			.bytes = disk->objects[i].bytes,
			.nbytes = disk->objects[i].nbytes,
		};
	}
	for (size_t i = 0; i < disk->nwaiting && r == 0; i++) {
		r = apply(image, &disk->events[disk->waiting[i]], &choices[i]);
	}
	if (r < 0) {
		disk_image_free(image);
		return NULL;
	}
	return image;
}

void disk_image_free(struct disk_image *image)
{
	if (image == NULL) {
		return;
	}
	for (size_t i = 0; image->contents != NULL && i < image->disk->nobjects; i++) {
		if (image->contents[i].is_copy) {
			free(image->contents[i].bytes);
		}
	}
	free(image->contents);
	free(image->names.items);
	free(image);
}

/* ---- names ---- */

/* The path below the root; false: a directory above it is not there. */
static bool find_path(const struct disk_image *image, const struct name *name,
                      char ret[PATH_MAX], unsigned depth)
{
	char parent[PATH_MAX];

	if (name->parent == 0) {
		(void)snprintf(ret, PATH_MAX, "%s", name->name);
		return true;
	}
	for (size_t i = 0; i < image->names.n && depth < DEPTH_MAX; i++) {
		if (image->names.items[i].object == name->parent) {
			if (!find_path(image, &image->names.items[i], parent,
			               depth + 1)) {
				return false;
			}
			(void)snprintf(ret, PATH_MAX, "%.2000s/%.2000s", parent,
			               name->name);
			return true;
		}
	}
	return false;
}

struct item {
	char path[PATH_MAX];
	size_t object;
};

static int compare_items(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

/* All that can be reached, by path: a directory before what is in it. */
static struct item *list(const struct disk_image *image, size_t *ret_n)
{
	struct item *items = calloc(image->names.n + 1, sizeof(*items));
	size_t n = 0;

	for (size_t i = 0; items != NULL && i < image->names.n; i++) {
		const struct name *name = &image->names.items[i];

		if (find_path(image, name, items[n].path, 0)) {
			items[n++].object = name->object;
		}
	}
	if (n > 1) {
		qsort(items, n, sizeof(*items), compare_items);
	}
	*ret_n = n;
	return items;
}

bool disk_image_find(const struct disk_image *image, const char *path,
                     struct dit_span *ret)
{
	char found[PATH_MAX];

	for (size_t i = 0; i < image->names.n; i++) {
		const struct name *name = &image->names.items[i];

		if (find_path(image, name, found, 0) && strcmp(found, path) == 0) {
			const struct content *content = &image->contents[name->object];

			*ret = (struct dit_span){content->bytes, content->nbytes};
			return true;
		}
	}
	return false;
}

uint64_t disk_image_digest(const struct disk_image *image)
{
	uint64_t digest = 0;
	size_t n = 0;
	struct item *items = list(image, &n);

	for (size_t i = 0; i < n; i++) {
		const struct content *content = &image->contents[items[i].object];

		digest = XXH3_64bits_withSeed(items[i].path, strlen(items[i].path),
		                              digest);
		if (content->nbytes > 0) {
			digest = XXH3_64bits_withSeed(content->bytes, content->nbytes,
			                              digest);
		}
	}
	free(items);
	return digest;
}

/* ---- files ---- */

static int write_item(const struct disk_image *image, int dir_fd, const struct item *item)
{
	const struct content *content = &image->contents[item->object];
	int fd = -1;
	int r = 0;

	if (image->disk->objects[item->object].is_directory) {
		return mkdirat(dir_fd, item->path, 0700) == 0 ? 0 : -errno;
	}
	fd = openat(dir_fd, item->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		return -errno;
	}
	r = content->nbytes == 0 ? 0
	                         : dit_write_at(fd, content->bytes, content->nbytes, 0);
	(void)close(fd);
	return r;
}

int disk_image_write(const struct disk_image *image, const char *directory)
{
	size_t n = 0;
	struct item *items = list(image, &n);
	int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = dir_fd < 0 ? -errno : (items == NULL ? -ENOMEM : 0);

	for (size_t i = 0; i < n && r == 0; i++) {
		r = write_item(image, dir_fd, &items[i]);
	}
	if (dir_fd >= 0) {
		(void)close(dir_fd);
	}
	free(items);
	return r;
}

static bool is_same_file(const struct content *content, int dir_fd, const char *path)
{
	struct stat st;
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	bool is_same =
		fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size == content->nbytes;
	char *bytes = is_same ? malloc(content->nbytes + 1) : NULL;

	is_same =
		bytes != NULL &&
		dit_read_at(fd, bytes, content->nbytes, 0) == (ssize_t)content->nbytes &&
		(content->nbytes == 0 ||
	         memcmp(bytes, content->bytes, content->nbytes) == 0);
	free(bytes);
	if (fd >= 0) {
		(void)close(fd);
	}
	return is_same;
}

/* Names below a directory. */
static size_t count_names(int dir_fd, const char *path)
{
	struct dirent *entry = NULL;
	DIR *dir = fdopendir(openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	size_t n = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			n++;
			if (entry->d_type == DT_DIR) {
				n += count_names(dirfd(dir), entry->d_name);
			}
		}
	}
	if (dir != NULL) {
		(void)closedir(dir);
	}
	return n;
}

bool disk_image_is(const struct disk_image *image, const char *directory)
{
	size_t n = 0;
	struct item *items = list(image, &n);
	int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_same = items != NULL && dir_fd >= 0;

	for (size_t i = 0; is_same && i < n; i++) {
		const struct object *object = &image->disk->objects[items[i].object];
		struct stat st;

		if (object->is_directory || object->is_mapped
		            ? fstatat(dir_fd, items[i].path, &st, 0) != 0
		            : !is_same_file(&image->contents[items[i].object], dir_fd,
		                            items[i].path)) {
			(void)fprintf(stderr, "%s is not what the journal says\n",
			              items[i].path);
			is_same = false;
		}
	}
	if (is_same && count_names(dir_fd, ".") != n) {
		(void)fprintf(stderr, "%s: %zu names, %zu in the journal\n", directory,
		              count_names(dir_fd, "."), n);
		is_same = false;
	}
	if (dir_fd >= 0) {
		(void)close(dir_fd);
	}
	free(items);
	return is_same;
}
