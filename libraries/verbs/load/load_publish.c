/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting the databases in place: all of them, or none (output/publication.h). The chosen
 * one is the first target, so it appears last.
 */
#include "load/load_publish.h"

#include <errno.h>
#include <stdlib.h>

#include "load/load_report.h"
#include "output/publication.h"

struct publishing {
	struct loader *loader;
	struct dit_published *items; /* one for each target */
};

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	const struct publishing *publishing = ctx;
	struct loader *loader = publishing->loader;
	struct load_target *target = &loader->targets[number];
	const char *directory = target->db->data.directory;

	target->stats->bytes = publishing->items[number].bytes; /* maybe too many */
	switch (step) {
	case DIT_PUBLISH_FIND:
	case DIT_PUBLISH_FIND_AGAIN:
		dit_job_report(&loader->job, DIT_REPORT_ERROR, "%s: %s", directory,
		               publishing->items[number].fault.text);
		return;
	case DIT_PUBLISH_PREPARE:
	case DIT_PUBLISH_COMMIT:
		(void)dit_load_target_fail(target, error, directory);
		return;
	case DIT_PUBLISH_PLACE:
		(void)dit_job_fail(&loader->job, error,
		                   "could not put the database in place");
		return;
	case DIT_PUBLISH_TAKE_BACK:
		if (error > 0) {
			dit_job_report(
				&loader->job, DIT_REPORT_WARNING,
				"%s: the database is as it was, but a crash of the "
				"system may bring the additions back",
				directory);
			return;
		}
		dit_job_report(
			&loader->job, DIT_REPORT_ERROR,
			"%s: the change could not be taken back: %s; the database is "
			"whole, with all that was added",
			directory, dit_strerror(error));
		return;
	case DIT_PUBLISH_END:
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"%s: the database is in place, but a crash of the system may "
			"bring the old one back: %s",
			directory, dit_strerror(error));
		return;
	}
}

static int before_commit(void *ctx)
{
	const struct dit_load_opts *opts = ((struct publishing *)ctx)->loader->opts;

	return opts->before_publish == NULL
	               ? 0
	               : opts->before_publish(opts->before_publish_ctx);
}

int dit_load_publish(struct loader *loader)
{
	struct publishing publishing = {
		.loader = loader,
		.items = calloc(loader->ntargets, sizeof(*publishing.items)),
	};
	struct dit_publish_opts opts = {.failed = tell_failure,
	                                .before_commit = before_commit,
	                                .ctx = &publishing,
	                                .stop = &loader->job.stop};
	int r = 0;

	if (publishing.items == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM,
		                    "could not put the database in place");
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		publishing.items[i].output = dit_output_of(loader->targets[i].output);
		loader->targets[i].output = NULL;
	}
	loader->progress.published = publishing.items;
	r = dit_publish(publishing.items, loader->ntargets, &opts);
	loader->progress.published = NULL;
	for (unsigned i = 0; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];

		if (!target->is_foreign) {
			target->stats->bytes = publishing.items[i].bytes;
			target->stats->kept_bytes = publishing.items[i].kept_bytes;
		}
	}
	free(publishing.items);
	return r;
}
