/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The possible contents of a disk after a loss of power.
 *
 * A disk is played from a journal (journal.h), one event after the other. Synced
 * content is on it for sure; everything else waits, and the disk may have any part of it:
 *
 *   file       a sync of the file makes all that was done to its content sure. Any
 *              sectors of 512 bytes of a write that waits may be there. A new length
 *              that waits may be there without the bytes.
 *   directory  a sync of the directory makes its names sure. New names, renames and
 *              removals that wait are there or not, each for itself; a rename is one
 *              step, and is sure when the directory with the new name was synced. That a
 *              file was synced does not make its name sure.
 *
 * File systems promise more than that; a program that relies on no more is right on all
 * of them.
 *
 *   disk_read();  disk_play() ...;  disk_image_make() with a choice for each waiting step
 */
#ifndef DITKIT_DISK_H
#define DITKIT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define DISK_SECTOR_BYTES 512

struct disk;

/** Read a journal. 0; -errno; -EINVAL: what it says cannot be played, with a line on
 * standard error. */
int disk_read(struct disk **ret, const char *journal);
void disk_free(struct disk *disk);

size_t disk_nevents(const struct disk *disk);

/** Play the next event; the first ones, which say what was there, are played already. */
void disk_play(struct disk *disk);
/** The number of events played. */
size_t disk_nplayed(const struct disk *disk);
/** An event in words, in a buffer of the caller. */
const char *disk_describe(const struct disk *disk, size_t event, char *ret, size_t size);

/* ---- what waits ---- */

size_t disk_nwaiting(const struct disk *disk);
/** Sectors that a waiting step writes; 0: it writes none. */
size_t disk_nsectors(const struct disk *disk, size_t waiting);
/** The event that a waiting step comes from. */
size_t disk_event_of(const struct disk *disk, size_t waiting);

enum disk_how {
	DISK_DROP,    /* nothing of it is there */
	DISK_APPLY,   /* all of it */
	DISK_SECTORS, /* a write: the sectors from first to last */
	DISK_SOME,    /* a write: each sector or not, by chance */
	DISK_LENGTH,  /* a write: the length of the file alone, zeros */
	DISK_GARBAGE, /* likewise, and what the disk had there before */
};

struct disk_choice {
	enum disk_how how;
	uint32_t first; /* DISK_SECTORS */
	uint32_t last;
	uint64_t chance; /* DISK_SOME */
};

/* ---- an image ---- */

struct disk_image;

/**
 * The disk with a choice for each waiting step.
 *
 * @param choices  disk_nwaiting() of them; steps that are sure are there whatever their
 *                 choice says
 *
 * @return NULL: no memory
 */
struct disk_image *disk_image_make(const struct disk *disk,
                                   const struct disk_choice *choices);
void disk_image_free(struct disk_image *image);

/** A file's content by its path ("db/data.mdb"); false: there is none. */
bool disk_image_find(const struct disk_image *image, const char *path,
                     struct dit_span *ret);

/** A digest of all names and contents. */
uint64_t disk_image_digest(const struct disk_image *image);

/** Make the files below a directory that is there and empty. 0 or -errno. */
int disk_image_write(const struct disk_image *image, const char *directory);

/** Is the directory what the image says, byte by byte? Differences go to standard error.
 * Files that were written through a map are compared by name alone. */
bool disk_image_is(const struct disk_image *image, const char *directory);

#endif
