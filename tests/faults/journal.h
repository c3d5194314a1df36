/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal of a run: what it did to the files below one directory, in order.
 *
 * recorder.c writes it, replay.c reads it. An event is a struct journal_event, then its
 * name, its second name and its data. Files and directories are known by their inode
 * numbers. JOURNAL_MAKE_FILE gives a number to a new file, whatever had it before.
 *
 * The journal begins with what lies in the directory when the run starts.
 */
#ifndef DITKIT_JOURNAL_H
#define DITKIT_JOURNAL_H

#include <stdint.h>

enum journal_kind {
	JOURNAL_ROOT,          /* object: the directory itself; only as the first event */
	JOURNAL_OLD_DIRECTORY, /* parent, name, object: is there when the run starts */
	JOURNAL_OLD_FILE,      /* likewise; data: its content */
	JOURNAL_MAKE_DIRECTORY, /* parent, name, object */
	JOURNAL_MAKE_FILE,      /* parent, name, object; no name: a file without one */
	JOURNAL_LINK,           /* parent, name, object: a second name */
	JOURNAL_RENAME,         /* parent, name -> other_parent, other_name */
	JOURNAL_REMOVE,         /* parent, name */
	JOURNAL_WRITE,          /* object, at, data */
	JOURNAL_RESIZE,         /* object, at: the new length */
	JOURNAL_SYNC,           /* object: a file or a directory */
	JOURNAL_MAP,            /* object, at: length of a shared map for writing */
	JOURNAL_UNKNOWN,        /* name: a call that the replayer does not understand */
};

#define JOURNAL_IS_DURABLE 1u /* JOURNAL_WRITE: through O_SYNC or O_DSYNC */

struct journal_event {
	uint32_t kind;
	uint32_t flags;
	uint64_t object;
	uint64_t parent;
	uint64_t other_parent;
	uint64_t at;
	uint64_t data_bytes;
	uint32_t name_bytes;
	uint32_t other_name_bytes;
};

#endif
