/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting the databases in place: all of them, or none.
 *
 * New databases are complete, closed and synced first. Then those that held records
 * before commit their transaction, which writes and syncs much, so that this can still
 * fail; then the new ones are renamed, the chosen one last. Should anything fail after the
 * first commit or rename, what was done is taken back. Only a kill, or a crash of the
 * system, between two of these steps leaves some databases changed and the others as they
 * were, each of them whole.
 */
#include "bulk/load_private.h"

static int prepare(struct load_target *target)
{
	int r = dit_output_prepare(target->output);

	target->stats->bytes = target->output->bytes;
	return r < 0 ? load_target_fail(target, r, target->db->directory) : 0;
}

static int commit(struct load_target *target)
{
	int r = dit_output_commit(target->output);

	target->stats->bytes = target->output->bytes;
	return r < 0 ? load_target_fail(target, r, target->db->directory) : 0;
}

static int place(struct load_target *target)
{
	int r = dit_output_place(target->output);

	return r < 0 ? load_fail(target->loader, r, "could not put the database in place")
	             : 0;
}

/* From the last target to the first. */
static int for_all(struct loader *loader, int (*step)(struct load_target *))
{
	int r = 0;

	for (unsigned i = loader->ntargets; i > 0 && r == 0; i--) {
		if (loader->targets[i - 1].output != NULL) {
			r = step(&loader->targets[i - 1]);
		}
	}
	return r;
}

/* Likewise, as long as the load is not interrupted. */
static int for_all_until_stop(struct loader *loader, int (*step)(struct load_target *))
{
	int r = 0;

	for (unsigned i = loader->ntargets; i > 0 && r == 0; i--) {
		if (load_is_stopped(loader)) {
			r = load_fail(loader, DIT_E_STOPPED, "load ended");
		} else if (loader->targets[i - 1].output != NULL) {
			r = step(&loader->targets[i - 1]);
		}
	}
	return r;
}

static int take_back(struct load_target *target)
{
	int r = dit_output_take_back(target->output);

	if (r < 0) {
		load_report(target->loader, DIT_REPORT_ERROR,
		            "%s: the change could not be taken back: %s; the database is "
		            "whole, with all that was added",
		            target->db->directory, dit_strerror(r));
	} else if (r > 0) {
		load_report(
			target->loader, DIT_REPORT_WARNING,
			"%s: the database is as it was, but a crash of the system may "
			"bring the additions back",
			target->db->directory);
	}
	return 0;
}

static int end(struct load_target *target)
{
	int r = dit_output_end(target->output);

	target->output = NULL;
	if (r < 0) {
		load_report(target->loader, DIT_REPORT_WARNING,
		            "%s: the database is in place, but a crash of the system may "
		            "bring the old one back: %s",
		            target->db->directory, dit_strerror(r));
	}
	return 0;
}

int load_publish(struct loader *loader)
{
	int r = for_all_until_stop(loader, prepare);

	if (r == 0 && loader->opts->before_publish != NULL) {
		r = loader->opts->before_publish(loader->opts->before_publish_ctx);
	}
	if (r == 0) {
		r = for_all_until_stop(loader, commit);
	}
	if (r == 0) {
		r = for_all_until_stop(loader, place);
	}
	if (r < 0) {
		(void)for_all(loader, take_back);
		return r;
	}
	return for_all(loader, end);
}
