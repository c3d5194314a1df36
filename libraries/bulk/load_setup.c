/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a load needs before its first round: configuration, memory, threads, input,
 * staging. And the release of it all, which works at every stage.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define FIXED_DBS   8 /* ad2i dn2i id2e id2v, ixck of 2.6, the unnamed one, and room */
#define ARENA_BLOCK (256u << 10)
#define EXPANSION   6 /* bytes stored per byte of LDIF, the first guess */

/* ---- configuration ---- */

static unsigned count_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0) {
		return 1;
	}
	return CPU_COUNT(&set) < 1 ? 1 : (unsigned)CPU_COUNT(&set);
}

/* What would change the stored bytes and is not built. */

static int refuse(struct loader *loader, const char *directive)
{
	load_report(loader, DIT_REPORT_ERROR, "<%s> not supported by this release",
	            directive);
	return DIT_E_CONFIG;
}

static int refuse_unbuilt_glue(struct loader *loader)
{
	for (size_t i = 0; i < loader->settings->ndatabases; i++) {
		const struct dit_database *d = &loader->settings->databases[i];

		if (d->is_subordinate && strcmp(d->type, "mdb") == 0) {
			return refuse(loader, "subordinate");
		}
	}
	return 0;
}

static int refuse_unbuilt_values(struct loader *loader)
{
	if (loader->db->nmultivals > 0 || loader->db->multival_hi != DIT_MULTIVAL_NONE) {
		return refuse(loader, "multival");
	}
	return loader->settings->nsortvals > 0 ? refuse(loader, "sortvals") : 0;
}

int load_read_settings(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_settings_choice choice = {.number = opts->database,
	                                     .suffix = opts->suffix};
	int r = dit_settings_read(&loader->settings, opts->conf, opts->report,
	                          opts->report_ctx);

	if (r < 0) {
		return r;
	}
	r = refuse_unbuilt_glue(loader);
	if (r < 0) {
		return r;
	}
	r = dit_settings_choose(loader->settings, &choice, opts->report, opts->report_ctx,
	                        &loader->db);
	if (r < 0) {
		return r;
	}
	r = refuse_unbuilt_values(loader);
	if (r < 0) {
		return r;
	}
	loader->nthreads = opts->threads;
	if (loader->nthreads == 0) {
		loader->nthreads = loader->settings->tool_threads;
	}
	if (loader->nthreads == 0) {
		loader->nthreads = count_cpus();
	}
	loader->stats->threads = loader->nthreads;
	return 0;
}

static int count_rdns(struct loader *loader, struct dit_span dn, unsigned *ret)
{
	struct dit_arena arena;
	struct dit_dn parsed = {0};
	int r = 0;

	dit_arena_init(&arena, 4096);
	r = dit_dn_parse(loader->settings->schema, dn, &arena, NULL, &parsed);
	dit_arena_deinit(&arena);
	if (r == 0) {
		*ret = parsed.nrdns;
	}
	return r;
}

static int make_context(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	int r = 0;

	loader->context = (struct dit_entry_context){
		.schema = loader->settings->schema,
		.is_quick = opts->is_quick,
		.check_schema = !opts->no_schema_check,
		.check_values = opts->check_values && !opts->is_quick,
		.lastmod = loader->db->lastmod,
		.allow_dynamic = loader->db->has_dds,
		.sid = opts->sid,
		.rootdn = loader->db->rootdn,
		.rootdn_norm = loader->db->rootdn_norm,
	};
	r = count_rdns(loader, loader->db->suffix, &loader->suffix_nrdns);
	if (r < 0) {
		return load_fail(loader, r, "could not read the suffix");
	}
	if (getrandom(&loader->stamp_node, sizeof(loader->stamp_node), 0) < 0 ||
	    getrandom(&loader->stamp_clock_seq, sizeof(loader->stamp_clock_seq), 0) < 0) {
		return load_fail(loader, -errno, "no random numbers");
	}
	/*
	 * Multicast bit: a node that is no network card's address (RFC 4122 section 4.5).
	 */
	loader->stamp_node = (loader->stamp_node & 0xffffffffffff) | 0x010000000000;
	loader->stamp_clock_seq &= 0x3fff;
	return 0;
}

static int make_indexes(struct loader *loader)
{
	const struct dit_settings *settings = loader->settings;
	const struct dit_ad *culprit = NULL;
	int r = dit_index_set_new(&loader->indexes, settings->schema, loader->db->indexes,
	                          loader->db->nindexes, &settings->index,
	                          !loader->opts->byte_keys, &culprit);

	if (r == DIT_E_UNSUPPORTED && culprit != NULL) {
		load_report(loader, DIT_REPORT_ERROR,
		            "index of attribute \"%s\" is not supported by this release",
		            culprit->name.data);
		return r;
	}
	return r < 0 ? load_fail(loader, r, "could not prepare the indexes") : 0;
}

/* ---- memory, threads, files ---- */

static const char *tmpdir_of(const struct dit_load_opts *opts)
{
	const char *dir = opts->tmpdir == NULL ? getenv("TMPDIR") : opts->tmpdir;

	return dir == NULL || dir[0] == '\0' ? "/tmp" : dir;
}

/* Found out now rather than when the memory is full. */
static int check_tmpdir(struct loader *loader)
{
	const char *dir = tmpdir_of(loader->opts);

	return access(dir, W_OK | X_OK) != 0 ? load_fail(loader, -errno, dir) : 0;
}

static int make_sorters(struct loader *loader, const struct load_budget *budget)
{
	size_t ndbs = dit_index_set_ndbs(loader->indexes);
	bool *is_wide = calloc(ndbs + 1, sizeof(*is_wide));
	struct dit_postings_opts postings = {
		.nstreams = (unsigned)ndbs,
		.is_wide = is_wide,
		.nproducers = loader->nthreads,
		.memory_bytes = budget->postings_bytes,
		.tmpdir = tmpdir_of(loader->opts),
		.list_max = (uint32_t)(((uint64_t)1 << loader->settings->idlexp) - 1),
	};
	struct dit_sorter_opts tree = {.nproducers = 1,
	                               .memory_bytes = budget->tree_bytes,
	                               .tmpdir = postings.tmpdir};
	struct dit_sorter_opts wide = {.nproducers = loader->nthreads,
	                               .memory_bytes = budget->tree_bytes,
	                               .tmpdir = postings.tmpdir};
	bool has_wide = false;
	int r = is_wide == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < ndbs && r == 0; i++) {
		enum dit_key_format format = dit_index_set_db(loader->indexes, i)->format;

		is_wide[i] = format != DIT_KEY_INT32 && format != DIT_KEY_BYTES32;
		has_wide = has_wide || format == DIT_KEY_WIDE;
	}
	if (wide.memory_bytes < (size_t)loader->nthreads * (64u << 10)) {
		wide.memory_bytes = (size_t)loader->nthreads * (64u << 10);
	}
	if (r == 0) {
		r = dit_postings_new(&loader->postings, &postings);
	}
	if (r == 0) {
		r = dit_sorter_new(&loader->tree, &tree);
	}
	if (r == 0 && has_wide) {
		r = dit_sorter_new(&loader->wide, &wide);
	}
	free(is_wide);
	return r < 0 ? load_fail(loader, r, postings.tmpdir) : 0;
}

static int make_members(struct loader *loader)
{
	int r = 0;

	loader->members = calloc(loader->nthreads, sizeof(*loader->members));
	if (loader->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < loader->nthreads && r == 0; i++) {
		struct load_member *member = &loader->members[i];

		member->loader = loader;
		member->number = i;
		r = dit_entry_caches_init(&member->caches);
		if (r == 0) {
			r = dit_index_work_new(&member->keys, loader->indexes);
		}
	}
	return r;
}

static int make_slots(struct loader *loader)
{
	loader->nslots = loader->nthreads == 1 ? LOAD_NSLOTS_UNTHREADED : LOAD_NSLOTS;
	loader->slots = calloc(loader->nslots, sizeof(*loader->slots));
	if (loader->slots == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < loader->nslots; i++) {
		struct load_slot *slot = &loader->slots[i];

		slot->arenas = calloc(loader->nthreads, sizeof(*slot->arenas));
		if (slot->arenas == NULL) {
			return -ENOMEM;
		}
		for (unsigned m = 0; m < loader->nthreads; m++) {
			dit_arena_init(&slot->arenas[m], ARENA_BLOCK);
		}
	}
	return 0;
}

static int open_input(struct loader *loader, const struct load_budget *budget)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_ldif_reader_opts reader = {.path = opts->input,
	                                      .batch_bytes = budget->batch_bytes,
	                                      .batch_records = budget->batch_records,
	                                      .first_line = opts->first_line};
	int r = dit_ldif_reader_open(&loader->reader, &reader);

	if (r < 0) {
		/* slapadd's perror() */
		load_report(loader, DIT_REPORT_DIAGNOSTIC, "%s: %s",
		            opts->input == NULL ? "stdin" : opts->input, dit_strerror(r));
	}
	return r;
}

static int make_feed(struct loader *loader)
{
	struct dit_ldif_batch *batches[LOAD_NSLOTS];

	for (unsigned i = 0; i < loader->nslots; i++) {
		batches[i] = &loader->slots[i].batch;
	}
	return dit_feed_new(&loader->feed, loader->reader, batches, loader->nslots,
	                    loader->nthreads > 1);
}

static void run_member(void *ctx, unsigned number, uint64_t round_number)
{
	struct loader *loader = ctx;
	struct load_round *round = &loader->rounds[round_number & 1];

	if (round->is_index) {
		load_index_round(loader);
	} else {
		load_parse_round(loader, &loader->members[number], round);
	}
}

int load_prepare(struct loader *loader)
{
	struct load_budget budget = {0};
	int r = load_budget_make(loader->opts, loader->nthreads, &budget);

	if (r < 0) {
		load_report(loader, DIT_REPORT_ERROR,
		            "at least %u MiB of memory are needed",
		            DIT_LOAD_MEMORY_MIN >> 20);
		return r;
	}
	r = make_context(loader);
	if (r == 0) {
		r = make_indexes(loader);
	}
	if (r == 0) {
		r = open_input(loader, &budget);
	}
	if (r == 0) {
		r = check_tmpdir(loader);
	}
	if (r == 0) {
		r = make_sorters(loader, &budget);
	}
	if (r < 0) {
		return r; /* reported */
	}
	r = dit_dn_table_new(&loader->names);
	if (r == 0) {
		r = make_members(loader);
	}
	if (r == 0) {
		r = make_slots(loader);
	}
	if (r == 0) {
		r = make_feed(loader);
	}
	if (r == 0) {
		r = dit_team_new(&loader->team, loader->nthreads, "tool", run_member,
		                 loader);
	}
	return r < 0 ? load_fail(loader, r, "could not start the threads") : 0;
}

int load_open_staging(struct loader *loader)
{
	const struct dit_database *db = loader->db;
	struct dit_staging_opts opts = {
		.directory = db->directory,
		.mode = db->mode,
		.ndbs = (unsigned)dit_index_set_ndbs(loader->indexes) + FIXED_DBS,
		.maxsize_bytes = db->maxsize_bytes,
		.expected_bytes = dit_ldif_reader_size(loader->reader) * EXPANSION,
		.may_grow = loader->opts->may_grow,
	};
	uint64_t nentries = 0;
	int r = dit_staging_open(&loader->staging, &opts, &nentries);

	if (r == DIT_E_NOTEMPTY) {
		load_report(
			loader, DIT_REPORT_ERROR,
			"the database in %s holds %llu entries: loading into a database "
			"that is not empty is not supported by this release",
			db->directory, (unsigned long long)nentries);
		return r;
	}
	if (r == DIT_E_BUSY) {
		load_report(loader, DIT_REPORT_ERROR,
		            "the database in %s is in use by slapd or another tool",
		            db->directory);
		return r;
	}
	return r < 0 ? load_fail(loader, r, db->directory) : 0;
}

/* ---- release ---- */

static void free_slots(struct loader *loader)
{
	for (unsigned i = 0; loader->slots != NULL && i < loader->nslots; i++) {
		struct load_slot *slot = &loader->slots[i];

		for (unsigned m = 0; slot->arenas != NULL && m < loader->nthreads; m++) {
			dit_arena_deinit(&slot->arenas[m]);
		}
		free(slot->arenas);
		free(slot->items);
		dit_ldif_batch_deinit(&slot->batch);
	}
	free(loader->slots);
}

static void free_members(struct loader *loader)
{
	for (unsigned i = 0; loader->members != NULL && i < loader->nthreads; i++) {
		dit_entry_caches_deinit(&loader->members[i].caches);
		dit_index_work_free(loader->members[i].keys);
	}
	free(loader->members);
}

void load_release(struct loader *loader)
{
	/* Threads first: nothing they use may go before they do. */
	load_index_cancel(loader);
	dit_team_free(loader->team);
	dit_feed_free(loader->feed);
	load_index_free(loader);
	dit_staging_abandon(loader->staging);
	free_members(loader);
	free_slots(loader);
	dit_ldif_reader_close(loader->reader);
	dit_postings_free(loader->postings);
	dit_sorter_free(loader->wide);
	dit_sorter_free(loader->tree);
	load_wide_free(loader);
	dit_dn_table_free(loader->names);
	dit_index_set_free(loader->indexes);
	for (size_t i = 0; i < loader->nholes; i++) {
		free(loader->holes[i].norm);
	}
	free(loader->holes);
	free(loader->late);
	free(loader->ad_numbers);
	free(loader->ads);
	free(loader->reason);
	for (size_t i = 0; i < loader->ntold; i++) {
		free(loader->told[i]);
	}
	free(loader->told);
	dit_settings_free(loader->settings);
}
