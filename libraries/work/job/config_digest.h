/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of what the configuration says about the stored bytes of a database, apart from
 * its suffix and the release. The order of directives does not count.
 *
 * Threads: any.
 */
#ifndef DITKIT_CONFIG_DIGEST_H
#define DITKIT_CONFIG_DIGEST_H

#include "base/digest.h"
#include "config/settings.h"

enum dit_config_part {
	DIT_CONFIG_INDEXES, /* index and its parameters, the width of hashes, idlexp */
	DIT_CONFIG_VALUES,  /* multival, sortvals */
	DIT_CONFIG_SCHEMA,  /* attribute types, object classes */
	DIT_CONFIG_NPARTS,
};

/** The parts by their names, in a manifest and in messages. */
extern const char *const dit_config_parts[DIT_CONFIG_NPARTS];

void dit_config_digest(const struct dit_settings *settings, const struct dit_database *db,
                       struct dit_sum128 ret[DIT_CONFIG_NPARTS]);

#endif
