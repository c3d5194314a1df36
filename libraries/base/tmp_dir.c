/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/tmp_dir.h"

#include <stddef.h>
#include <stdlib.h>

const char *dit_tmp_dir(const char *chosen)
{
	const char *dir = chosen;

	if (dir == NULL || dir[0] == '\0') {
		dir = getenv("TMPDIR");
	}
	return dir == NULL || dir[0] == '\0' ? "/tmp" : dir;
}
