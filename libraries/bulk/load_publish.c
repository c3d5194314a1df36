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
	uint64_t bytes = 0;
	int r = 0;

	if (target->staging == NULL) {
		return 0;
	}
	r = dit_staging_prepare(target->staging, &bytes);
	target->stats->bytes = bytes;
	return r < 0 ? load_target_fail(target, r, target->db->directory) : 0;
}

static int commit(struct load_target *target)
{
	int r = 0;

	if (target->existing == NULL || !dit_existing_is_changed(target->existing)) {
		return 0;
	}
	target->is_placed = true;
	r = dit_existing_commit(target->existing, &target->stats->bytes);
	return r < 0 ? load_target_fail(target, r, target->db->directory) : 0;
}

static int place(struct load_target *target)
{
	int r = 0;

	if (target->staging == NULL) {
		return 0;
	}
	r = dit_staging_place(target->staging);
	target->is_placed = r == 0;
	return r < 0 ? load_fail(target->loader, r, "could not put the database in place")
	             : 0;
}

/* From the last target to the first. */
static int for_all(struct loader *loader, int (*step)(struct load_target *))
{
	int r = 0;

	for (unsigned i = loader->ntargets; i > 0 && r == 0; i--) {
		r = step(&loader->targets[i - 1]);
	}
	return r;
}

static int take_back(struct load_target *target)
{
	int r = 0;

	if (!target->is_placed) {
		return 0;
	}
	if (target->staging != NULL) {
		r = dit_staging_take_back(target->staging);
	} else {
		r = dit_existing_roll_back(target->existing);
	}
	if (r < 0) {
		load_report(target->loader, DIT_REPORT_ERROR,
		            "%s: the change could not be taken back: %s",
		            target->db->directory, dit_strerror(r));
	}
	return 0;
}

static int end(struct load_target *target)
{
	int r = 0;

	if (target->staging != NULL) {
		r = dit_staging_end(target->staging);
		target->staging = NULL;
	} else if (target->is_placed) {
		r = dit_existing_end(target->existing);
		target->existing = NULL;
	}
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
	int r = for_all(loader, prepare);

	if (r == 0) {
		r = for_all(loader, commit);
	}
	if (r == 0) {
		r = for_all(loader, place);
	}
	if (r < 0) {
		(void)for_all(loader, take_back);
		return r;
	}
	return for_all(loader, end);
}
