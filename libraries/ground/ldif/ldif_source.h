/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One input of the LDIF reader: a file or pipe from which bytes can be read, and given
 * back to be read again.
 *
 *   dit_ldif_source_open();  dit_ldif_source_read() / _unread() ...;
 *   dit_ldif_source_close()
 *
 * Regular files are read with pread, so a descriptor shared with others keeps its place;
 * all else with read. The first read looks at what comes: packed data is unpacked
 * (unpack.h), a byte order mark is passed over, and a file that cannot be LDIF is refused
 * (input_kind.h).
 *
 * Threads: a source belongs to one thread.
 */
#ifndef DITKIT_LDIF_SOURCE_H
#define DITKIT_LDIF_SOURCE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/stop.h"
#include "ldif/unpack.h"

/** The bytes that were read from a descriptor. */
struct dit_ldif_digest {
	uint64_t nbytes;                  /* packed ones, if it is packed */
	char text[DIT_DIGEST_TEXT_BYTES]; /* of these bytes */
};

struct dit_ldif_source {
	/* Once there is an unpacker, these are its thread's; nread stays the owner's. */
	int fd;
	const struct dit_stop *stop; /* borrowed; NULL: none */
	bool is_regular;             /* seekable, of known size */
	uint64_t size;               /* bytes, if regular */
	uint64_t offset;             /* next byte to read; of a pipe, from its first */
	uint64_t end; /* of the file, or of a part; UINT64_MAX: not known */
	/* made of the bytes of the descriptor; owned; NULL: the opener wants none */
	struct dit_digest *digest;

	uint64_t nread;            /* bytes of the descriptor that were used */
	const char *name;          /* for messages; borrowed; the opener sets it */
	bool keeps_mark;           /* the opener sets it: no byte order mark is skipped */
	uint64_t lines_before;     /* the reader's: lines it counted in other files */
	uint64_t lines;            /* likewise: of this one, when it read another */
	bool is_begun;             /* what the input is, is known */
	bool is_threaded;          /* packed data is unpacked by a thread */
	struct dit_unpack *unpack; /* owned; NULL: the input is not packed */
	char why[160];             /* what is wrong with the content; "": nothing */
	char *rest;                /* owned: bytes given back */
	size_t rest_at;            /* the next of them */
	size_t rest_end;
	size_t rest_size; /* allocated */
	bool is_fresh;    /* bytes came from the descriptor since the last unread */
};

/**
 * Takes @p fd, also on failure. A regular file is read on from its present position.
 *
 * @param stop         ends reading, and the wait for a pipe; borrowed; NULL: none
 * @param is_threaded  packed data is unpacked by a thread of its own
 */
int dit_ldif_source_open(struct dit_ldif_source *source, int fd,
                         const struct dit_stop *stop, bool is_threaded);
void dit_ldif_source_close(struct dit_ldif_source *source);

/**
 * Read up to @p size bytes; those given back come first.
 *
 * @return count; 0: end of input; DIT_E_STOPPED; DIT_E_INVALID: source->why says what is
 *         wrong with the content; DIT_E_UNSUPPORTED: likewise, what cannot be unpacked;
 *         -errno
 */
ssize_t dit_ldif_source_read(struct dit_ldif_source *source, char *buffer, size_t size);

/**
 * Give back the newest @p nbytes that were read since the last call, to be read again;
 * @p bytes is borrowed.
 *
 * @return 0 or -ENOMEM
 */
int dit_ldif_source_unread(struct dit_ldif_source *source, const char *bytes,
                           size_t nbytes);

/** Is it a regular file that is not packed? */
bool dit_ldif_source_can_skip(const struct dit_ldif_source *source);
/** Read on at this byte of a regular file that is not packed. */
void dit_ldif_source_skip(struct dit_ldif_source *source, uint64_t offset);

/*
 * Parts of a plain LDIF file, for processes that read one part each (ldif_part.c).
 *
 * Part R of N has the chunks of lines whose first byte lies from size * R / N on, and
 * before size * (R + 1) / N. A chunk ends with a blank line, so no record has lines in
 * two parts, and each record is in one.
 */
struct dit_ldif_part {
	uint64_t begin; /* bytes of the file */
	uint64_t end;
	bool is_at_start; /* there are no lines before, but blank ones and comments */
};

/**
 * @param fd      read with pread()
 * @param number  from 0
 * @param n       at least 1
 * @param stop    ends the search; NULL: none
 *
 * @return 0; -errno; DIT_E_STOPPED
 */
int dit_ldif_part_find(int fd, uint64_t size, unsigned number, unsigned n,
                       const struct dit_stop *stop, struct dit_ldif_part *ret);

/** How many lines begin before byte @p end. 0; -errno; DIT_E_STOPPED */
int dit_ldif_part_count_lines(int fd, uint64_t end, const struct dit_stop *stop,
                              uint64_t *ret);

#endif
