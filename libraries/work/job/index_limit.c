/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/index_limit.h"

static const struct {
	enum dit_openldap_version version;
	unsigned patch;  /* since this one */
	unsigned nnamed; /* databases that slapd opens at most */
	unsigned nfixed; /* of them: ad2i dn2i id2e id2v, ixck since 2.6 */
} releases[] = {
	{DIT_OPENLDAP_2_5, 0, 128, 4}, {DIT_OPENLDAP_2_5, 14, 256, 4},
	{DIT_OPENLDAP_2_6, 0, 128, 5}, {DIT_OPENLDAP_2_6, 4, 256, 5},
	{DIT_OPENLDAP_2_7, 0, 256, 5},
};

size_t dit_index_limit(enum dit_openldap_version version, unsigned patch)
{
	size_t i = sizeof(releases) / sizeof(releases[0]) - 1;

	while (i > 0 && (version < releases[i].version ||
	                 (version == releases[i].version && patch < releases[i].patch))) {
		i--;
	}
	return releases[i].nnamed - releases[i].nfixed;
}
