/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of a load: the memory budget and the early estimate of the result.
 *
 * Budget. Batches get their part of `memory_bytes` first. A batch of b bytes of LDIF
 * occupies b in its buffer and about 10 b in arenas (measured: entries of 31 short lines)
 * from its parsing until its keys are made. At most four of LOAD_NSLOTS batches are in
 * that state, and the arenas' blocks are shared: 46 b. The records of three batches wait
 * in pages of id2e: 3 b. 66 b are set aside, since other entries may need more. Then the
 * schema, chunks of pages and the threads' caches, an eighth for the records of the tree
 * (and an eighth of that for records that come late), and the rest for the postings. Both
 * are divided evenly among the databases: how many entries each will get is not known,
 * and memory that a database does not need is not touched.
 *
 * Estimate. The size of what was stored so far is scaled to the whole input. Entries and
 * names are a lower bound: if they alone cannot fit, the load is refused there and then.
 * Index keys are not: lists that become ranges cost nearly nothing, and how many will is
 * not known yet. With them there is only a warning; the exact answer comes when the
 * indexes are written. A disk that is too small is a guess as well: others use it, too.
 */
#include "load/loader.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "job/job.h"
#include "system/tmp_files.h"

#define BATCH_SHARE    (11 * DIT_PIPELINE_NSLOTS_MAX)
#define OVERHEAD_BYTES (20u << 20)
/* Few for each member, because what is made of them is looked at again one round later,
 * and then it should be in the processor's cache. Many, because a round has a meeting. */
#define MEMBER_BYTES    ((size_t)160 << 10)
#define MEMBERS_MIN     2
#define MEMBERS_MAX     16
#define BATCH_BYTES_MIN ((size_t)32 << 10)
#define RECORDS_MIN     512
#define RECORD_BYTES    1024 /* of an ordinary one */
#define PRODUCER_MIN    (256u << 10)
#define TREE_MIN        (256u << 10)

#define ESTIMATE_FIRST (16u << 20) /* bytes of input before the first estimate */

static size_t between(size_t n, size_t least, size_t most)
{
	n = n > most ? most : n;
	return n < least ? least : n;
}

int dit_load_budget_make(const struct dit_job *job, const struct dit_load_opts *opts,
                         unsigned nthreads, unsigned ntargets, struct load_budget *ret)
{
	uint64_t memory = dit_memory_share(opts->memory_bytes);
	uint64_t batches = 0;
	size_t bytes = between(nthreads, MEMBERS_MIN, MEMBERS_MAX) * MEMBER_BYTES;

	if (memory < DIT_LOAD_MEMORY_MIN) {
		return dit_job_say(job, -EINVAL, "at least %u MiB of memory are needed",
		                   DIT_LOAD_MEMORY_MIN >> 20);
	}
	ret->batch_records = opts->batch_records;
	if (ret->batch_records == 0) {
		ret->batch_records = between(bytes / RECORD_BYTES, RECORDS_MIN, SIZE_MAX);
	}
	ret->batch_bytes = opts->batch_bytes;
	if (ret->batch_bytes == 0) {
		ret->batch_bytes =
			between(memory / 4 / BATCH_SHARE, BATCH_BYTES_MIN, bytes);
	}
	batches = (uint64_t)ret->batch_bytes * BATCH_SHARE + OVERHEAD_BYTES;
	ret->tree_bytes = memory / 8;
	ret->postings_bytes = 0;
	if (memory > batches + ret->tree_bytes) {
		ret->postings_bytes = memory - batches - ret->tree_bytes;
	}
	ret->tree_bytes /= ntargets;
	ret->postings_bytes /= ntargets;
	/* Many threads with little memory: every producer needs room for a few chunks. */
	if (ret->postings_bytes < (size_t)nthreads * PRODUCER_MIN) {
		ret->postings_bytes = (size_t)nthreads * PRODUCER_MIN;
	}
	if (ret->tree_bytes < TREE_MIN) {
		ret->tree_bytes = TREE_MIN;
	}
	return 0;
}

/*
 * @param need        bytes that are still to come
 * @param was_warned  becomes true with the warning, which is given once
 */
static void check_disk(const struct load_target *target, const char *directory,
                       double need, bool *was_warned)
{
	struct statvfs fs;
	double room = 0;

	if (*was_warned || statvfs(directory, &fs) < 0) {
		return;
	}
	room = (double)fs.f_bavail * (double)fs.f_frsize;
	if (need > room) {
		*was_warned = true;
		dit_job_report(&target->loader->job, DIT_REPORT_WARNING,
		               "%s: about %.0f more bytes of disk may be needed, %.0f "
		               "are free",
		               directory, need, room);
	}
}

static int estimate_target(struct load_target *target)
{
	const struct loader *loader = target->loader;
	uint64_t total = dit_ldif_reader_size(loader->input.reader);
	uint64_t read = loader->stats->bytes_read;
	double scale = total > read ? (double)total / (double)read : 1;
	double maxsize = (double)target->db->data.maxsize_bytes;
	double before = (double)target->stored_bytes;
	double records = (double)target->record_bytes +
	                 (double)target->stats->nentries * LOAD_NAME_BYTES;
	double indexes = (double)dit_builders_npostings(target->builders) *
	                 DIT_POSTING_BYTES * scale;
	double likely = before + records * scale + indexes;

	/* A file that is there may have free pages. */
	if (records * scale > maxsize && before == 0 && !loader->opts->may_grow) {
		dit_load_tell_size(target, DIT_REPORT_ERROR, "will need about", likely);
		return DIT_E_FULL;
	}
	if (likely > maxsize && !loader->opts->may_grow && !target->was_warned) {
		target->was_warned = true;
		dit_load_tell_size(target, DIT_REPORT_WARNING, "may need about", likely);
	}
	check_disk(target, target->db->data.directory, records * (scale - 1) + indexes,
	           &target->was_warned_of_disk);
	check_disk(target, dit_tmp_dir(loader->opts->tmpdir),
	           (double)dit_builders_run_bytes(target->builders) * (scale - 1),
	           &target->was_warned_of_tmpdir);
	return 0;
}

int dit_load_estimate(struct loader *loader)
{
	uint64_t bytes_read = loader->stats->bytes_read;

	if (loader->opts->is_dry_run || bytes_read < loader->next_estimate) {
		return 0;
	}
	loader->next_estimate =
		bytes_read < ESTIMATE_FIRST ? ESTIMATE_FIRST : bytes_read * 2;
	return bytes_read < ESTIMATE_FIRST ? 0 : dit_load_each(loader, estimate_target);
}
