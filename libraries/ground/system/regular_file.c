/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/regular_file.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* File systems whose content the kernel makes up while it is read. */
static const uint32_t made_up[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,    DEBUGFS_MAGIC,  TRACEFS_MAGIC,
	SECURITYFS_MAGIC,    SELINUX_MAGIC,  SMACK_MAGIC,    CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,   BINFMTFS_MAGIC, NSFS_MAGIC,
	EFIVARFS_MAGIC,      PSTOREFS_MAGIC, 0x62656570, /* configfs */
	0x65735543,                                      /* fusectl */
	0x67596969,                                      /* rpc_pipefs */
};

int dit_regular_file_check(int fd)
{
	struct stat st;
	struct statfs fs;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0) {
		return -errno;
	}
	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++) {
		if ((uint32_t)fs.f_type == made_up[i]) {
			return 0;
		}
	}
	return S_ISREG(st.st_mode);
}
