/* SPDX-License-Identifier: BSD-2-Clause */
/* --publish, --abandon and --status: done, and told on standard output. */
#ifndef DITADD_PREPARED_TEXT_H
#define DITADD_PREPARED_TEXT_H

#include "options.h"

/** @return the exit status */
int prepared_act(struct options *options);

/** The command after --prepare. Owned; NULL: no memory */
char *prepared_next(const struct common_options *common);

#endif
