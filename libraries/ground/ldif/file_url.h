/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "file:" URLs, as in "attr:< file:///tmp/photo.jpg" and "include: file:more.ldif"
 * (values.md 1.2).
 *
 *   file:PATH       relative paths start at the working directory
 *   file:///PATH    a host name is refused
 *
 * Only regular files are read (system/file_io.h), unless the rules say otherwise: a
 * device has no end, and a pipe may wait forever.
 *
 * "%41" in the path is "A"; a malformed escape is refused, and "%00" ends the path.
 *
 * Threads: no state.
 */
#ifndef DITKIT_FILE_URL_H
#define DITKIT_FILE_URL_H

#include "base/arena.h"
#include "base/stop.h"

/** Which files an LDIF may name, and what ends the wait for one. */
struct dit_file_rules {
	bool refuse_all;    /* none */
	bool allow_special; /* pipes, devices, files of the kernel: may have no end */
	uint64_t value_max; /* bytes of all files that are values of a record; 0: any */
	const struct dit_stop *stop; /* NULL: none; borrowed */
};

/**
 * Open the file for reading. A named pipe is opened without waiting for a writer.
 *
 * @param rules  NULL: any regular file
 *
 * @return file descriptor; -EINVAL: not such a URL; -EPERM: the rules refuse all;
 *         -ENOTSUP: they refuse what is no regular file; -ENOMEM; other -errno of open()
 */
int dit_file_url_open(struct dit_span url, const struct dit_file_rules *rules);

/**
 * Why the rules refused a file, for messages: ": a pipe, a device ..."; else "".
 * Static.
 */
const char *dit_file_url_reason(int error, const struct dit_file_rules *rules);

/**
 * Read the whole file into the arena. An empty file gives an empty span with data.
 *
 * @return 0; -errno as above, or because reading failed; -EFBIG: it is longer than the
 *         rules allow; DIT_E_STOPPED
 */
int dit_file_url_read(struct dit_span url, const struct dit_file_rules *rules,
                      struct dit_arena *arena, struct dit_span *ret);

/** The same of a regular file, by its path. -ENOTSUP: it is none */
int dit_file_read(const char *path, struct dit_arena *arena, struct dit_span *ret);

#endif
