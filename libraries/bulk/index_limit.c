/* SPDX-License-Identifier: BSD-2-Clause */
#include "bulk/index_limit.h"

/* Those before the first count as the first one. */
static const struct {
	unsigned minor;
	unsigned patch;  /* since this release */
	unsigned nnamed; /* databases that slapd opens at most */
	unsigned nfixed; /* of them: ad2i dn2i id2e id2v, ixck since 2.6 */
} releases[] = {
	{5, 0, 128, 4},
	{5, 14, 256, 4},
	{6, 0, 128, 5},
	{6, 4, 256, 5},
};

size_t dit_index_limit(unsigned minor, unsigned patch)
{
	size_t i = sizeof(releases) / sizeof(releases[0]) - 1;

	while (i > 0 && (minor < releases[i].minor ||
	                 (minor == releases[i].minor && patch < releases[i].patch))) {
		i--;
	}
	return releases[i].nnamed - releases[i].nfixed;
}
