/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Space that is kept back while a file grows, for the case that the disk fills up.
 *
 * On btrfs, even cutting a file takes space, and so does each write to a place that was
 * written before. Once the disk is full to the last byte, a file that has grown could not
 * be cut any more. So a nameless file holds 2 MiB until then.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_SPARE_H
#define DITKIT_SPARE_H

/**
 * Keep space back on the file system of a directory, if it is btrfs.
 *
 * @return a descriptor, the caller's, who closes it to get the space; -1: none is kept
 */
int dit_spare_keep(int dir_fd);

#endif
