/* SPDX-License-Identifier: BSD-2-Clause */
#include "disk_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/file_io.h"

#define ROOT 0

/* ---- steps ---- */

bool disk_is_name_event(const struct event *event)
{
	switch (event->head.kind) {
	case JOURNAL_OLD_DIRECTORY:
	case JOURNAL_OLD_FILE:
	case JOURNAL_MAKE_DIRECTORY:
	case JOURNAL_MAKE_FILE:
	case JOURNAL_LINK:
	case JOURNAL_RENAME:
	case JOURNAL_REMOVE:
		return true;
	default:
		return false;
	}
}

static struct name *find_name(const struct names *names, size_t parent, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (names->items[i].parent == parent &&
		    strcmp(names->items[i].name, name) == 0) {
			return &names->items[i];
		}
	}
	return NULL;
}

static void remove_name(struct names *names, size_t parent, const char *name,
                        size_t object)
{
	struct name *item = find_name(names, parent, name);

	if (item != NULL && item->object == object) {
		*item = names->items[--names->n];
	}
}

static int set_name(struct names *names, size_t parent, const char *name, size_t object)
{
	struct name *item = find_name(names, parent, name);

	if (item == NULL) {
		struct name *items =
			reallocarray(names->items, names->n + 1, sizeof(*names->items));

		if (items == NULL) {
			return -ENOMEM;
		}
		names->items = items;
		item = &items[names->n++];
	}
	*item = (struct name){.parent = parent, .object = object, .name = name};
	return 0;
}

int disk_apply_name(struct names *names, const struct event *event)
{
	if (event->head.name_bytes == 0) {
		return 0;
	}
	if (event->head.kind == JOURNAL_REMOVE || event->head.kind == JOURNAL_RENAME) {
		remove_name(names, event->parent, event->name, event->object);
	}
	if (event->head.kind == JOURNAL_REMOVE) {
		return 0;
	}
	return event->head.kind == JOURNAL_RENAME
	               ? set_name(names, event->other_parent, event->other_name,
	                          event->object)
	               : set_name(names, event->parent, event->name, event->object);
}

static int set_length(char **bytes, size_t *nbytes, size_t length, int fill)
{
	char *copy = realloc(*bytes, length + 1);

	if (copy == NULL) {
		return -ENOMEM;
	}
	if (length > *nbytes) {
		memset(copy + *nbytes, fill, length - *nbytes);
	}
	*bytes = copy;
	*nbytes = length;
	return 0;
}

/* Sectors are those of the disk: they begin at multiples of 512 in the file. */
static bool has_sector(const struct disk_choice *choice, size_t sector)
{
	uint64_t x = choice->chance ^ (sector * 0x9e3779b97f4a7c15u);

	if (choice->how == DISK_SECTORS) {
		return sector >= choice->first && sector <= choice->last;
	}
	x ^= x >> 31;
	x *= 0xbf58476d1ce4e5b9u;
	return (x >> 40) % 2 == 0;
}

static int write_sectors(char **bytes, size_t *nbytes, const struct event *event,
                         const struct disk_choice *choice)
{
	size_t at = event->head.at;
	size_t end = at + event->head.data_bytes;
	size_t first = at / DISK_SECTOR_BYTES;

	for (size_t from = at; from < end;) {
		size_t sector = from / DISK_SECTOR_BYTES;
		size_t to = (sector + 1) * DISK_SECTOR_BYTES;
		int r = 0;

		to = to < end ? to : end;
		if (has_sector(choice, sector - first)) {
			if (to > *nbytes) {
				r = set_length(bytes, nbytes, to, 0);
			}
			if (r < 0) {
				return r;
			}
			memcpy(*bytes + from, event->data + (from - at), to - from);
		}
		from = to;
	}
	return 0;
}

int disk_apply_bytes(char **bytes, size_t *nbytes, const struct event *event,
                     const struct disk_choice *choice)
{
	size_t end = event->head.at + event->head.data_bytes;
	enum disk_how how = choice->how;
	int r = 0;

	if ((event->head.flags & JOURNAL_IS_DURABLE) != 0) {
		how = DISK_APPLY;
	}
	if (how == DISK_DROP) {
		return 0;
	}
	if (event->head.kind == JOURNAL_RESIZE) {
		return set_length(bytes, nbytes, event->head.at, 0);
	}
	if (how == DISK_SECTORS || how == DISK_SOME) {
		return write_sectors(bytes, nbytes, event, choice);
	}
	if (end > *nbytes) {
		r = set_length(bytes, nbytes, end, how == DISK_GARBAGE ? 0xa5 : 0);
	}
	if (r == 0 && how == DISK_APPLY) {
		memcpy(*bytes + event->head.at, event->data, event->head.data_bytes);
	}
	return r;
}

/* ---- reading ---- */

static size_t find_object(const struct disk *disk, uint64_t inode)
{
	for (size_t i = disk->nobjects; i > 0; i--) {
		if (disk->objects[i - 1].inode == inode) {
			return i - 1;
		}
	}
	return SIZE_MAX;
}

static int add_object(struct disk *disk, struct event *event)
{
	struct object *objects =
		reallocarray(disk->objects, disk->nobjects + 1, sizeof(*disk->objects));
	uint32_t kind = event->head.kind;

	if (objects == NULL) {
		return -ENOMEM;
	}
	disk->objects = objects;
	event->object = disk->nobjects;
	objects[disk->nobjects++] = (struct object){
		.inode = event->head.object,
		.is_directory = kind == JOURNAL_ROOT || kind == JOURNAL_OLD_DIRECTORY ||
	                        kind == JOURNAL_MAKE_DIRECTORY,
	};
	return 0;
}

static bool makes_object(const struct event *event)
{
	return disk_is_name_event(event) && event->head.kind != JOURNAL_LINK &&
	       event->head.kind != JOURNAL_RENAME && event->head.kind != JOURNAL_REMOVE;
}

static int complain(size_t number, const char *text)
{
	(void)fprintf(stderr, "journal: event %zu: %s\n", number, text);
	return -EINVAL;
}

/* Inode numbers become objects. @p visible: the names as the program saw them. */
static int resolve(struct disk *disk, struct event *event, struct names *visible)
{
	size_t number = (size_t)(event - disk->events);
	const struct name *name = NULL;

	if (event->head.kind == JOURNAL_UNKNOWN) {
		return complain(number, event->name);
	}
	if (disk_is_name_event(event)) {
		event->parent = find_object(disk, event->head.parent);
		event->other_parent = find_object(disk, event->head.other_parent);
	}
	if (event->head.kind == JOURNAL_ROOT || makes_object(event)) {
		int r = add_object(disk, event);

		return r < 0 ? r : disk_apply_name(visible, event);
	}
	event->object = find_object(disk, event->head.object);
	if (event->head.kind == JOURNAL_REMOVE) {
		name = find_name(visible, event->parent, event->name);
		event->object = name == NULL ? SIZE_MAX : name->object;
	}
	if (event->object == SIZE_MAX) {
		return complain(number, "nothing has made this file");
	}
	if (event->head.kind == JOURNAL_MAP) {
		disk->objects[event->object].is_mapped = true;
	}
	return disk_is_name_event(event) ? disk_apply_name(visible, event) : 0;
}

static int cut_text(char **text, const char *end, size_t len, const char **ret)
{
	if (len > (size_t)(end - *text)) {
		return -EINVAL;
	}
	*ret = *text;
	*text += len;
	return 0;
}

static int add_event(struct disk *disk, char **at, const char *end, struct names *visible)
{
	struct event *events =
		reallocarray(disk->events, disk->nevents + 1, sizeof(*disk->events));
	struct event *event = NULL;
	const char *head = NULL;
	int r = 0;

	if (events == NULL) {
		return -ENOMEM;
	}
	disk->events = events;
	event = &events[disk->nevents++];
	*event = (struct event){.object = ROOT};
	r = cut_text(at, end, sizeof(event->head), &head);
	if (r == 0) {
		memcpy(&event->head, head, sizeof(event->head));
		r = cut_text(at, end, event->head.name_bytes, &event->name);
	}
	r = r ?: cut_text(at, end, event->head.other_name_bytes, &event->other_name);
	r = r ?: cut_text(at, end, event->head.data_bytes, &event->data);
	if (r == 0) {
		event->name = strndup(event->name, event->head.name_bytes);
		event->other_name =
			strndup(event->other_name, event->head.other_name_bytes);
		r = event->name == NULL || event->other_name == NULL ? -ENOMEM : 0;
	} else {
		disk->nevents--;
	}
	return r < 0 ? r : resolve(disk, event, visible);
}

static int read_all(const char *path, char **ret, size_t *ret_n)
{
	struct stat st;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		bytes = malloc((size_t)st.st_size + 1);
		n = bytes == NULL ? -1 : dit_read_at(fd, bytes, (size_t)st.st_size, 0);
	}
	if (fd >= 0) {
		(void)close(fd);
	}
	*ret = bytes;
	*ret_n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -EIO : 0;
}

static bool was_there(const struct event *event)
{
	return event->head.kind == JOURNAL_ROOT ||
	       event->head.kind == JOURNAL_OLD_DIRECTORY ||
	       event->head.kind == JOURNAL_OLD_FILE;
}

/* The old content is sure. */
static int play_start(struct disk *disk)
{
	static const struct disk_choice whole = {.how = DISK_APPLY};
	int r = 0;

	while (r == 0 && disk->nplayed < disk->nevents &&
	       was_there(&disk->events[disk->nplayed])) {
		const struct event *event = &disk->events[disk->nplayed++];
		struct object *object = &disk->objects[event->object];

		r = disk_apply_name(&disk->names, event);
		r = r ?: disk_apply_bytes(&object->bytes, &object->nbytes, event, &whole);
	}
	return r;
}

int disk_read(struct disk **ret, const char *journal)
{
	struct disk *disk = calloc(1, sizeof(*disk));
	struct names visible = {NULL, 0};
	size_t n = 0;
	char *at = NULL;
	int r = disk == NULL ? -ENOMEM : read_all(journal, &disk->journal, &n);

	if (r == 0) {
		at = disk->journal;
		while (r == 0 && at < disk->journal + n) {
			r = add_event(disk, &at, disk->journal + n, &visible);
		}
	}
	free(visible.items);
	if (r == 0) {
		disk->waiting = calloc(disk->nevents + 1, sizeof(*disk->waiting));
		r = disk->waiting == NULL ? -ENOMEM : play_start(disk);
	}
	if (r < 0) {
		disk_free(disk);
		return r;
	}
	*ret = disk;
	return 0;
}

void disk_free(struct disk *disk)
{
	if (disk == NULL) {
		return;
	}
	for (size_t i = 0; i < disk->nevents; i++) {
		free((void *)disk->events[i].name);
		free((void *)disk->events[i].other_name);
	}
	for (size_t i = 0; i < disk->nobjects; i++) {
		free(disk->objects[i].bytes);
	}
	free(disk->objects);
	free(disk->names.items);
	free(disk->waiting);
	free(disk->events);
	free(disk->journal);
	free(disk);
}

/* ---- playing ---- */

static bool makes_sure(const struct event *sync, const struct event *event)
{
	if (!disk_is_name_event(event)) {
		return event->object == sync->object;
	}
	return sync->object ==
	       (event->head.kind == JOURNAL_RENAME ? event->other_parent : event->parent);
}

/* A file that was renamed for sure has not its old name, which may still wait. */
static bool is_past(const struct event *waiting, const struct event *renamed)
{
	return renamed->head.kind == JOURNAL_RENAME && disk_is_name_event(waiting) &&
	       waiting->head.kind != JOURNAL_RENAME &&
	       waiting->head.kind != JOURNAL_REMOVE &&
	       waiting->object == renamed->object && waiting->parent == renamed->parent &&
	       strcmp(waiting->name, renamed->name) == 0;
}

static void forget_past(struct disk *disk, size_t number)
{
	size_t n = 0;

	for (size_t i = 0; i < disk->nwaiting; i++) {
		size_t other = disk->waiting[i];

		if (other > number ||
		    !is_past(&disk->events[other], &disk->events[number])) {
			disk->waiting[n++] = other;
		}
	}
	disk->nwaiting = n;
}

static void make_sure(struct disk *disk, size_t number)
{
	static const struct disk_choice whole = {.how = DISK_APPLY};
	const struct event *event = &disk->events[number];
	struct object *object = &disk->objects[event->object];
	int r = disk_is_name_event(event)
	                ? disk_apply_name(&disk->names, event)
	                : disk_apply_bytes(&object->bytes, &object->nbytes, event,
	                                   &whole);

	if (r < 0) {
		abort();
	}
}

void disk_play(struct disk *disk)
{
	const struct event *event = &disk->events[disk->nplayed];
	size_t sure[disk->nwaiting + 1];
	size_t nsure = 0;
	size_t n = 0;

	if (event->head.kind != JOURNAL_SYNC) {
		if (event->head.kind != JOURNAL_MAP) {
			disk->waiting[disk->nwaiting++] = disk->nplayed;
		}
		disk->nplayed++;
		return;
	}
	for (size_t i = 0; i < disk->nwaiting; i++) {
		size_t number = disk->waiting[i];

		if (makes_sure(event, &disk->events[number])) {
			make_sure(disk, number);
			sure[nsure++] = number;
		} else {
			disk->waiting[n++] = number;
		}
	}
	disk->nwaiting = n;
	for (size_t i = 0; i < nsure; i++) {
		forget_past(disk, sure[i]);
	}
	disk->nplayed++;
}

/* ---- looking ---- */

size_t disk_nevents(const struct disk *disk)
{
	return disk->nevents;
}

size_t disk_nplayed(const struct disk *disk)
{
	return disk->nplayed;
}

size_t disk_nwaiting(const struct disk *disk)
{
	return disk->nwaiting;
}

size_t disk_event_of(const struct disk *disk, size_t waiting)
{
	return disk->waiting[waiting];
}

size_t disk_nsectors(const struct disk *disk, size_t waiting)
{
	const struct event *event = &disk->events[disk->waiting[waiting]];
	uint64_t end = event->head.at + event->head.data_bytes;

	if (event->head.kind != JOURNAL_WRITE) {
		return 0;
	}
	return (size_t)((end - 1) / DISK_SECTOR_BYTES -
	                event->head.at / DISK_SECTOR_BYTES + 1);
}

const char *disk_describe(const struct disk *disk, size_t number, char *ret, size_t size)
{
	static const char *const kinds[] = {
		[JOURNAL_ROOT] = "root",
		[JOURNAL_OLD_DIRECTORY] = "old directory",
		[JOURNAL_OLD_FILE] = "old file",
		[JOURNAL_MAKE_DIRECTORY] = "new directory",
		[JOURNAL_MAKE_FILE] = "new file",
		[JOURNAL_LINK] = "link",
		[JOURNAL_RENAME] = "rename",
		[JOURNAL_REMOVE] = "remove",
		[JOURNAL_WRITE] = "write",
		[JOURNAL_RESIZE] = "length",
		[JOURNAL_SYNC] = "sync",
		[JOURNAL_MAP] = "map",
	};
	const struct event *event = &disk->events[number];

	(void)snprintf(ret, size, "%s of %s %zu %s%s%s at %llu, %llu bytes",
	               kinds[event->head.kind],
	               disk->objects[event->object].is_directory ? "directory" : "file",
	               event->object, event->name,
	               event->head.other_name_bytes > 0 ? " to " : "", event->other_name,
	               (unsigned long long)event->head.at,
	               (unsigned long long)event->head.data_bytes);
	return ret;
}
