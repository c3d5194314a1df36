/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "file:" URLs, as in "attr:< file:///tmp/photo.jpg" and "include: file:more.ldif"
 * (values.md 1.2).
 *
 *   file:PATH       relative paths start at the working directory
 *   file:///PATH    a host name is refused
 *
 * "%41" in the path is "A"; a malformed escape is refused, and "%00" ends the path.
 *
 * Threads: no state.
 */
#ifndef DITKIT_FILE_URL_H
#define DITKIT_FILE_URL_H

#include "base/arena.h"

/**
 * Open the file for reading.
 *
 * @return file descriptor; -EINVAL: not such a URL; -ENOMEM; other -errno of open()
 */
int dit_file_url_open(struct dit_span url);

/**
 * Read the whole file into the arena. An empty file gives an empty span with data.
 *
 * @return 0; -errno as above, or because reading failed
 */
int dit_file_url_read(struct dit_span url, struct dit_arena *arena, struct dit_span *ret);

#endif
