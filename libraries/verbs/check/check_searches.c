/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/check_searches.h"

#include <errno.h>

#include "base/error.h"
#include "values/dn.h"

#define ARENA_BYTES 16384

struct reader {
	const struct dit_check_searches_opts *opts;
	struct dit_arena arena; /* of one search */
	struct dit_span base;   /* normal form; data is NULL: not known */
	const struct dit_filter *filter;
};

/* 1: read; 0: it is no filter, or the base no DN; or -ENOMEM. */
static int read_search(struct reader *reader, const struct dit_check_search *search)
{
	struct dit_schema *schema = reader->opts->settings->schema;
	struct dit_filter *filter = NULL;
	struct dit_dn dn;
	int r = 0;

	reader->base = (struct dit_span){0};
	if (search->base.data != NULL) {
		r = dit_dn_parse(schema, search->base, &reader->arena, NULL, &dn);
		if (r == 0) {
			reader->base = dn.nrdns == 0 ? DIT_SPAN("") : dn.norm;
		}
	}
	if (r == 0) {
		r = dit_filter_read(schema, search->filter, &reader->arena, NULL,
		                    &filter);
	}
	reader->filter = filter;
	return r == -ENOMEM ? r : r == 0;
}

static bool reaches(const struct reader *reader, const struct dit_database *db)
{
	if (reader->base.data == NULL) {
		return true;
	}
	return db == dit_settings_select(reader->opts->settings, reader->base) ||
	       dit_dn_is_below(db->suffix_norm, reader->base);
}

static int give(struct reader *reader, const struct dit_check_search *search,
                struct dit_check_use *use, bool is_read)
{
	if (!is_read) {
		dit_check_use_count(use, DIT_CHECK_SEARCH_UNREAD);
	} else if (!reaches(reader, dit_check_use_database(use))) {
		dit_check_use_count(use, DIT_CHECK_SEARCH_ELSEWHERE);
	} else if (search->scope == 0) {
		dit_check_use_count(use, DIT_CHECK_SEARCH_BASE);
	} else {
		return dit_check_use_search(use, reader->filter);
	}
	return 0;
}

int dit_check_searches_read(const struct dit_check_searches_opts *opts)
{
	struct reader reader = {.opts = opts};
	struct dit_check_search search;
	int r = 0;

	dit_arena_init(&reader.arena, ARENA_BYTES);
	while (r == 0 && (r = opts->next(opts->ctx, &search)) > 0) {
		int is_read = 0;

		if (opts->stop != NULL && *opts->stop != 0) {
			r = DIT_E_STOPPED;
			break;
		}
		dit_arena_reset(&reader.arena);
		is_read = read_search(&reader, &search);
		r = is_read < 0 ? is_read : 0;
		for (size_t i = 0; i < opts->nuses && r == 0; i++) {
			r = give(&reader, &search, opts->uses[i], is_read > 0);
		}
	}
	dit_arena_deinit(&reader.arena);
	return r;
}
