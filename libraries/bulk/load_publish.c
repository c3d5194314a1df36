/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting the databases in place: all of them, or none.
 *
 * Every database is complete, closed and synced before the first rename, so that nothing
 * that can reasonably fail is left; the renames then follow each other, the chosen
 * database's last. Should one fail all the same, those before it are taken back. Only a
 * crash of the system, or a kill, between two renames leaves some databases new and the
 * others as they were, each of them whole.
 */
#include "bulk/load_private.h"

static int prepare(struct load_target *target)
{
	uint64_t bytes = 0;
	int r = dit_staging_prepare(target->staging, &bytes);

	target->stats->bytes = bytes;
	if (r == DIT_E_FULL) {
		load_report(
			target->loader, DIT_REPORT_ERROR,
			"the database needs %llu bytes, but maxsize is %llu: configure "
			"\"maxsize %llu\" or give --grow",
			(unsigned long long)bytes,
			(unsigned long long)target->db->maxsize_bytes,
			(unsigned long long)((bytes + bytes / 2 + (1u << 20) - 1) >>
		                             20 << 20));
		return r;
	}
	return r < 0 ? load_fail(target->loader, r, target->db->directory) : 0;
}

static int place(struct load_target *target)
{
	int r = dit_staging_place(target->staging);

	return r < 0 ? load_fail(target->loader, r, "could not put the database in place")
	             : 0;
}

/* Targets before @p first are not in place. */
static void take_back(struct loader *loader, unsigned first)
{
	for (unsigned i = first; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];
		int r = target->is_foreign ? 0 : dit_staging_take_back(target->staging);

		if (r < 0) {
			load_report(loader, DIT_REPORT_ERROR,
			            "%s: the new database stays in place: %s",
			            target->db->directory, dit_strerror(r));
		}
	}
}

static void end(struct load_target *target)
{
	int r = dit_staging_end(target->staging);

	target->staging = NULL;
	if (r < 0) {
		load_report(target->loader, DIT_REPORT_WARNING,
		            "%s: the database is in place, but a crash of the system may "
		            "bring the old one back: %s",
		            target->db->directory, dit_strerror(r));
	}
}

int load_publish(struct loader *loader)
{
	int r = 0;

	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		if (!loader->targets[i].is_foreign) {
			r = prepare(&loader->targets[i]);
		}
	}
	if (r < 0) {
		return r;
	}
	for (unsigned i = loader->ntargets; i > 0; i--) {
		struct load_target *target = &loader->targets[i - 1];

		r = target->is_foreign ? 0 : place(target);
		if (r < 0) {
			take_back(loader, i);
			return r;
		}
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		if (!loader->targets[i].is_foreign) {
			end(&loader->targets[i]);
		}
	}
	return 0;
}
