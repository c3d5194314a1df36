/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of releases. */
#include "base/openldap.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"

static const char *const names[] = {
	[DIT_OPENLDAP_FOUND] = NULL,
	[DIT_OPENLDAP_2_5] = "2.5",
	[DIT_OPENLDAP_2_6] = "2.6",
	[DIT_OPENLDAP_2_7] = "2.7",
};

const char *dit_openldap_name(enum dit_openldap_version version)
{
	return version <= DIT_OPENLDAP_NEWEST ? names[version] : NULL;
}

int dit_openldap_parse(const char *name, enum dit_openldap_version *ret)
{
	for (enum dit_openldap_version v = DIT_OPENLDAP_2_5; v <= DIT_OPENLDAP_NEWEST;
	     v++) {
		if (strcmp(name, names[v]) == 0) {
			*ret = v;
			return 0;
		}
	}
	return DIT_E_UNKNOWN;
}
