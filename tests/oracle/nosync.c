/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: nothing waits for the disk. slapindex syncs after each entry, slapadd
 * without -q and slapd after each commit. The scripts here kill no machine, so what the
 * programs of OpenLDAP store is the same.
 */
#include <sys/mman.h>
#include <unistd.h>

int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

int msync(void *address, size_t length, int flags)
{
	(void)address;
	(void)length;
	(void)flags;
	return 0;
}
