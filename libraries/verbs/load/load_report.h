/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reports and failures of a load.
 *
 * Threads: main; dit_load_is_stopped(): any.
 */
#ifndef DITKIT_LOAD_REPORT_H
#define DITKIT_LOAD_REPORT_H

#include "load/loader.h"

/** Is the load to end, by a signal or because it has failed? */
static inline bool dit_load_is_stopped(const struct loader *loader)
{
	return dit_stop_is_set(&loader->job.stop);
}

/** Say what slapadd says when the input cannot be read on. @return @p r */
int dit_load_input_fail(struct loader *loader, int r);
/** As dit_job_fail(), of temporary files: the message names their directory. */
int dit_load_sort_fail(struct loader *loader, int r);
/** As dit_job_fail(), with more words on limits of a database. */
int dit_load_target_fail(struct load_target *target, int r, const char *what);

#endif
