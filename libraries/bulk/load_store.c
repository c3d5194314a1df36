/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a target's records go: into a new database, or into one that holds records
 * already; and what is known of the latter.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <string.h>

#define FIXED_DBS 8 /* ad2i dn2i id2e id2v, ixck of 2.6, the unnamed one, and room */
#define EXPANSION 6 /* bytes stored per byte of LDIF, the first guess */

int load_target_fail(struct load_target *target, int r, const char *what)
{
	const struct dit_database *db = target->db;
	uint64_t bytes = target->stats->bytes;
	uint64_t wanted = bytes + bytes / 2;

	if (r == DIT_E_FULL && bytes > 0) {
		load_report(
			target->loader, DIT_REPORT_ERROR,
			"the database needs %llu bytes, but maxsize is %llu: configure "
			"\"maxsize %llu\" or give --grow",
			(unsigned long long)bytes, (unsigned long long)db->maxsize_bytes,
			(unsigned long long)((wanted + (1u << 20) - 1) >> 20 << 20));
		return r;
	}
	if (r == DIT_E_FULL) {
		load_report(
			target->loader, DIT_REPORT_ERROR,
			"the database in %s is full, maxsize is %llu: configure more, or "
			"give --grow",
			db->directory, (unsigned long long)db->maxsize_bytes);
		return r;
	}
	return load_fail(target->loader, r, what);
}

/* ---- opening ---- */

/* Descriptions that the schema does not have keep their numbers, and nothing else. */
static int read_ads(struct load_target *target)
{
	struct dit_span name = {0};
	uint32_t number = 1;
	int r = dit_existing_ad(target->existing, number, &name);

	while (r > 0) {
		const struct dit_ad *ad = NULL;

		r = dit_ad_find(target->loader->settings->schema, NULL, name, &ad, NULL);
		if (r == 0 || r == DIT_E_UNKNOWN) {
			r = load_number_ad(target, ad);
		}
		if (r == 0) {
			r = dit_existing_ad(target->existing, ++number, &name);
		}
	}
	target->nstored_ads = target->nads;
	return r;
}

static int adopt_indexes(struct load_target *target)
{
	size_t ndbs = dit_index_set_ndbs(target->indexes);

	for (size_t i = 0; i < ndbs; i++) {
		const struct dit_index_db *db = dit_index_set_db(target->indexes, i);
		struct dit_existing_index stored = {0};
		int r = dit_existing_find_index(target->existing, db->name, &stored);

		if (r > 0) {
			r = dit_index_set_stored(target->indexes, i, stored.is_integerkey,
			                         stored.key_len);
		}
		if (r == DIT_E_INVALID) {
			load_report(target->loader, DIT_REPORT_ERROR,
			            "index database \"%s\" in %s is stored with integer "
			            "keys, beside which those of this configuration "
			            "cannot be put",
			            db->name, target->db->directory);
			return r;
		}
		if (r < 0) {
			return load_fail(target->loader, r, db->name);
		}
	}
	return 0;
}

static int look_around(struct load_target *target)
{
	uint64_t last = dit_existing_last_id(target->existing);
	int r = 0;

	if (last > DIT_DN_TABLE_MAX) {
		return load_fail(target->loader, DIT_E_TOOLONG, "the highest entry ID");
	}
	dit_dn_table_start_after(target->names, (uint32_t)last);
	target->stored_id = (uint32_t)last;
	r = dit_existing_has_root_entry(target->existing);
	target->has_root_entry = r > 0;
	if (r >= 0) {
		r = dit_existing_has_names(target->existing);
		target->has_stored_names = r > 0;
	}
	if (r >= 0) {
		r = read_ads(target);
	}
	return r < 0 ? load_fail(target->loader, r, target->db->directory)
	             : adopt_indexes(target);
}

static int open_existing(struct load_target *target, const struct dit_staging_opts *like)
{
	struct dit_existing_opts opts = {
		.directory = like->directory,
		.mode = like->mode,
		.ndbs = like->ndbs,
		.maxsize_bytes = like->maxsize_bytes,
		.expected_bytes =
			dit_ldif_reader_size(target->loader->reader) * EXPANSION,
		.may_grow = like->may_grow};

	return dit_existing_open(&target->existing, &opts);
}

int load_store_open(struct load_target *target)
{
	struct loader *loader = target->loader;
	const struct dit_database *db = target->db;
	struct dit_staging_opts opts = {
		.directory = db->directory,
		.mode = db->mode,
		.ndbs = (unsigned)dit_index_set_ndbs(target->indexes) + FIXED_DBS,
		.maxsize_bytes = db->maxsize_bytes,
		.may_grow = loader->opts->may_grow,
		.writer = loader->page_writer,
		.use_page_cache = loader->opts->use_page_cache,
	};
	uint64_t nrecords = 0;
	int r = dit_staging_open(&target->staging, &opts, &nrecords);

	if (r == DIT_E_NOTEMPTY) {
		r = open_existing(target, &opts);
	}
	if (r == DIT_E_BUSY) {
		load_report(loader, DIT_REPORT_ERROR,
		            "the database in %s is in use by slapd or another tool",
		            db->directory);
		return r;
	}
	if (r < 0) {
		return load_fail(loader, r, db->directory);
	}
	return target->existing == NULL ? 0 : look_around(target);
}

/* ---- records ---- */

int load_store_reserve(struct load_target *target, uint32_t id, size_t len,
                       void **ret_space)
{
	if (target->existing != NULL) {
		return dit_existing_reserve_entry(target->existing, id, len, ret_space);
	}
	target->next_id = (uint64_t)id + 1;
	return dit_staging_reserve_entry(target->staging, id, len, ret_space);
}

int load_store_put_split(struct load_target *target, uint32_t id, uint16_t ad,
                         const struct dit_span *records, uint32_t nrecords)
{
	return target->existing == NULL
	               ? load_late_put_split(target, id, ad, records, nrecords)
	               : dit_existing_put_split(target->existing, id, ad, records,
	                                        nrecords);
}

int load_store_put_ad(struct load_target *target, uint32_t number, struct dit_span name)
{
	return target->existing == NULL
	               ? dit_staging_put_ad(target->staging, number, name)
	               : dit_existing_put_ad(target->existing, number, name);
}

int load_store_entry(struct load_target *target, uint32_t id, struct dit_span *ret)
{
	int r = 0;

	*ret = (struct dit_span){NULL, 0};
	if (target->existing == NULL) {
		return dit_staging_entry(target->staging, id, ret);
	}
	r = dit_existing_entry(target->existing, id, ret);
	return r < 0 ? r : 0;
}

int load_store_replace(struct load_target *target, uint32_t id, struct dit_span record)
{
	void *space = NULL;
	int r = 0;

	if (target->existing == NULL) {
		return dit_staging_replace_entry(target->staging, id, record);
	}
	r = dit_existing_reserve_entry(target->existing, id, record.len, &space);
	if (r == 0) {
		memcpy(space, record.data, record.len);
	}
	return r;
}

int load_store_is_hole(struct load_target *target, uint32_t id)
{
	struct dit_span record = {0};
	int r = dit_existing_entry(target->existing, id, &record);

	return r < 0 ? r : record.len == 0;
}

/* ---- indexes ---- */

int load_list_put(const struct load_list_sink *sink, struct dit_span key,
                  const uint64_t *ids, size_t nids, bool is_repeated)
{
	const struct loader *loader = sink->target->loader;
	struct dit_existing_list list = {
		.ids = ids, .nids = nids, .is_repeated = is_repeated};

	if (sink->writer != NULL) {
		return dit_table_writer_put(sink->writer, key, ids, nids);
	}
	list.list_max = ((uint64_t)1 << loader->settings->idlexp) - 1;
	return dit_existing_add_postings(sink->target->existing, key, &list);
}

static int add_lists(struct load_target *target, size_t number)
{
	const struct dit_index_db *db = dit_index_set_db(target->indexes, number);
	struct dit_load_index_stats *stats = &target->stats->indexes[number];
	struct load_list_sink sink = {.target = target};
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list list = {0};
	int r = dit_posting_cursor_open(&cursor, target->postings, (unsigned)number);

	if (r == 0) {
		r = dit_posting_cursor_next(cursor, &list);
	}
	while (r > 0) {
		char key[8];
		size_t len = dit_index_key_bytes(db, list.ordinal, key);
		bool is_repeated =
			list.ids[0] != 0 && dit_posting_cursor_is_repeated(cursor);

		r = load_list_put(&sink, (struct dit_span){key, len}, list.ids, list.nids,
		                  is_repeated);
		stats->nkeys++;
		if (r == 0 && load_is_stopped(target->loader)) {
			r = DIT_E_STOPPED;
		}
		if (r == 0) {
			r = dit_posting_cursor_next(cursor, &list);
		}
	}
	stats->npostings =
		dit_postings_stream_npushed(target->postings, (unsigned)number);
	dit_posting_cursor_close(cursor);
	return r;
}

int load_store_add_indexes(struct load_target *target)
{
	size_t ndbs = dit_index_set_ndbs(target->indexes);
	struct load_list_sink sink = {.target = target};
	int r = 0;

	for (size_t i = 0; i < ndbs && r == 0; i++) {
		const struct dit_index_db *db = dit_index_set_db(target->indexes, i);

		r = dit_existing_begin_index(target->existing, db->name,
		                             db->is_integerkey);
		if (r == 0 && db->format == DIT_KEY_WIDE) {
			r = load_wide_write(target, (unsigned)i, &sink,
			                    &target->stats->indexes[i]);
		} else if (r == 0) {
			r = add_lists(target, i);
		}
	}
	return r;
}
