/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside a disk.
 *
 *   disk.c        events are read and played
 *   disk_image.c  images are made, compared, written
 */
#ifndef DITKIT_DISK_PRIVATE_H
#define DITKIT_DISK_PRIVATE_H

#include "disk.h"
#include "journal.h"

/* A file or directory; a number that is used again is another object. */
struct object {
	uint64_t inode;
	bool is_directory;
	bool is_mapped;
	char *bytes; /* what is sure; owned */
	size_t nbytes;
};

struct event {
	struct journal_event head;
	size_t object; /* index; of names: the object that the name has */
	size_t parent;
	size_t other_parent;
	const char *name; /* owned by the disk */
	const char *other_name;
	const char *data;
};

struct name {
	size_t parent;
	size_t object;
	const char *name;
};

struct names {
	struct name *items; /* owned */
	size_t n;
};

struct disk {
	char *journal; /* owned */
	struct event *events;
	size_t nevents;
	size_t nplayed;
	struct object *objects;
	size_t nobjects;
	struct names names; /* sure ones */
	size_t *waiting;    /* events */
	size_t nwaiting;
};

/** The step on names; those that do not fit are left out. 0 or -ENOMEM. */
int disk_apply_name(struct names *names, const struct event *event);

/** The step on a file's content. 0 or -ENOMEM. */
int disk_apply_bytes(char **bytes, size_t *nbytes, const struct event *event,
                     const struct disk_choice *choice);

bool disk_is_name_event(const struct event *event);

#endif
