/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting the databases in place: all of them, or none (output/publication.h). The chosen
 * one is the first target, so it appears last.
 */
#include "load/load_publish.h"

#include <errno.h>
#include <stdlib.h>

#include "load/load_report.h"

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	struct loader *loader = ctx;
	struct load_target *target = &loader->targets[number];
	const struct dit_published *item = &loader->progress.published[number];
	static const struct dit_publish_words words = {
		.undone = "the database is as it was, but a crash of the system may "
			  "bring the additions back",
		.kept = "the change could not be taken back",
		.end = "; the database is whole, with all that was added"};

	target->stats->bytes = item->bytes; /* maybe too many */
	if (dit_job_tell_publish(&loader->job, item, step, error, &words)) {
		return;
	}
	if (step == DIT_PUBLISH_PLACE) {
		(void)dit_job_fail(&loader->job, error,
		                   "could not put the database in place");
	} else {
		(void)dit_load_target_fail(target, error, target->db->data.directory);
	}
}

static int before_commit(void *ctx)
{
	const struct dit_load_opts *opts = ((struct loader *)ctx)->opts;

	return opts->before_publish == NULL
	               ? 0
	               : opts->before_publish(opts->before_publish_ctx);
}

int dit_load_publish(struct loader *loader)
{
	struct dit_published *items = calloc(loader->ntargets, sizeof(*items));
	const struct dit_publish_opts opts = {.failed = tell_failure,
	                                      .before_commit = before_commit,
	                                      .ctx = loader,
	                                      .stop = &loader->job.stop};
	int r = 0;

	if (items == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM,
		                    "could not put the database in place");
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];

		items[i].output = dit_output_of(target->output);
		items[i].directory = target->db->data.directory;
		target->output = NULL;
	}
	loader->progress.published = items;
	r = dit_publish(items, loader->ntargets, &opts);
	loader->progress.published = NULL;
	for (unsigned i = 0; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];

		if (!target->is_foreign) {
			target->stats->bytes = items[i].bytes;
			target->stats->kept_bytes = items[i].kept_bytes;
		}
	}
	free(items);
	return r;
}
