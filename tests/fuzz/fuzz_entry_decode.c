/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a record of id2e; then as one of dn2i. A record that decodes is walked. */
#include <stdint.h>
#include <stdlib.h>

#include "codec/entry_codec.h"
#include "codec/name_codec.h"
#include "fuzz/fuzz_target.h"

static size_t sum_of(const struct dit_span *values, uint32_t n)
{
	size_t sum = 0;

	for (uint32_t i = 0; values != NULL && i < n; i++) {
		if (values[i].data[values[i].len] != '\0') {
			abort();
		}
		sum += values[i].len + 1;
	}
	return sum;
}

static void walk(const struct dit_stored_entry *entry, size_t size)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		sum += sum_of(entry->attrs[i].values, entry->attrs[i].nvalues);
		sum += sum_of(entry->attrs[i].normal, entry->attrs[i].nvalues);
	}
	if (sum + 16 > size || entry->content_len > size) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dit_span record = {(const char *)data, size};
	struct dit_stored_entry entry;
	struct dit_arena arena;
	struct dit_name name;

	dit_arena_init(&arena, 4096);
	if (dit_entry_decode(record, &arena, &entry) == 0) {
		walk(&entry, size);
	}
	dit_arena_deinit(&arena);
	if (dit_name_decode(record, &name) == 0 &&
	    name.norm.len + name.pretty.len + 12 > size) {
		abort();
	}
	return 0;
}
