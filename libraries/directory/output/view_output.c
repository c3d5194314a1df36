/* SPDX-License-Identifier: BSD-2-Clause */
/* An output that is not written: a state that a snapshot holds, for a dry run. */
#include <errno.h>
#include <stdlib.h>

#include "output/record_tables.h"
#include "reader/snapshot.h"

static void abandon(struct dit_output *output)
{
	dit_record_tables_deinit((struct dit_record_tables *)output);
	free(output);
}

static const struct dit_output_ops output_ops = {.abandon = abandon};

int dit_output_view_open(struct dit_record_output **ret, struct dit_snapshot *snapshot,
                         unsigned reader)
{
	struct dit_record_tables *tables = calloc(1, sizeof(*tables));
	const struct dit_page_source *map = dit_snapshot_map(snapshot);
	struct dit_key_orders names;
	int r = tables == NULL ? -ENOMEM : dit_record_tables_init(tables);

	if (tables == NULL) {
		return r;
	}
	tables->base.base.ops = &output_ops;
	tables->base.base.key_max = dit_key_max(map->format, map->page_bytes);
	dit_stored_orders("dn2i", dit_fixed_dbs[DIT_FIXED_NAMES].flags, &names);
	tables->names = names.items;
	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = dit_snapshot_cursor_open(&tables->cursors[i], snapshot, reader,
		                             dit_fixed_dbs[i].name);
	}
	r = r ?: dit_record_tables_look(tables);
	if (r < 0) {
		abandon(&tables->base.base);
		return r;
	}
	*ret = &tables->base;
	return 0;
}
