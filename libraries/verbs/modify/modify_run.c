/* SPDX-License-Identifier: BSD-2-Clause */
#include "modify/modify.h"

#include <stdlib.h>

int dit_modify(const struct dit_modify_opts *opts, struct dit_modify_stats *ret)
{
	(void)opts;
	*ret = (struct dit_modify_stats){.nrecords = 0};
	return DIT_E_UNSUPPORTED;
}

void dit_modify_stats_deinit(struct dit_modify_stats *stats)
{
	free(stats->directory);
}
