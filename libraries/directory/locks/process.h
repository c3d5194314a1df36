/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another process as /proc shows it. Its name and arguments are those that it wants us to
 * read.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_PROCESS_H
#define DITKIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define DIT_PROCESS_NAME_BYTES 96
#define DIT_PROCESS_FILE_BYTES 48

/** "slapd, process 12", or "process 12"; ASCII. */
void dit_process_name(long pid, char ret[DIT_PROCESS_NAME_BYTES]);

/** How the kernel names an open file in /proc/PID/maps: "fe:00 1234". stat(2) may tell
 * another device (btrfs). 0; -errno */
int dit_process_file(int fd, char ret[DIT_PROCESS_FILE_BYTES]);

/**
 * How many bytes of a file a process has mapped.
 *
 * @param file  of dit_process_file()
 * @param ret   the end of its last mapping, in the file; 0: none
 *
 * @return 0; -ENOENT, -ESRCH: there is no such process, or it is hidden; -EACCES, -EPERM:
 *         its user's programs and root's alone may look, or root's with CAP_SYS_PTRACE
 */
int dit_process_mapped(long pid, const char *file, uint64_t *ret);

/** Was a slapd, or one of its tools, started with this configuration ("-f", "-F"), an
 * absolute path, between these times (CLOCK_REALTIME)? Not known is no. */
bool dit_process_has_conf(long pid, const char *conf, uint64_t from_us, uint64_t to_us);

/** The number of the process that has locked an open file by flock(2); 0: there is none,
 * or it is in another container. */
long dit_process_with_flock(int fd);

#endif
