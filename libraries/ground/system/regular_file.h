/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is an open file one that has an end and never lets its reader wait?
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_REGULAR_FILE_H
#define DITKIT_REGULAR_FILE_H

/**
 * procfs, sysfs and their like call files regular that a reader waits at (/proc/kmsg), or
 * that have no end: they are none.
 *
 * @param fd  opened with O_NONBLOCK: opening must not wait either
 *
 * @return 1: a regular file; 0: a directory, a pipe, a device, a file of the kernel;
 *         -errno
 */
int dit_regular_file_check(int fd);

#endif
