/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text as a record, read, checked, completed and stored under a small schema. The
 * first byte says under which options. A stored record must decode to the same values.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec/entry_codec.h"
#include "entry/entry_fixture.h"
#include "entry/why.h"
#include "fuzz/fuzz_target.h"

static void compare(const struct dit_entry *entry, const struct dit_stored_entry *stored)
{
	if (stored->nattrs != entry->nattrs || stored->oc_flags != entry->oc_flags) {
		abort();
	}
	for (uint32_t i = 0; i < stored->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		const struct dit_stored_attr *got = &stored->attrs[i];

		if (got->nvalues != attr->nvalues || attr->nvalues == 0 ||
		    (got->normal == NULL) != (attr->normal == NULL)) {
			abort();
		}
		for (uint32_t j = 0; j < attr->nvalues; j++) {
			if (!dit_span_eq(got->values[j], attr->values[j]) ||
			    (attr->normal != NULL &&
			     !dit_span_eq(got->normal[j], attr->normal[j]))) {
				abort();
			}
		}
	}
}

static void store(struct entry_fixture *f)
{
	static const struct dit_entry_stamp stamp = {.time_us = 1700000000123456,
	                                             .node = 5};
	struct dit_stored_entry stored;
	struct dit_encoded encoded;

	if (dit_entry_complete(&f->context, &f->caches, &f->entry, &stamp, &f->notes) !=
	            0 ||
	    dit_entry_encode(&f->entry, NULL, &f->arena, &encoded) != 0 ||
	    dit_entry_decode((struct dit_span){encoded.bytes, encoded.len}, &f->arena,
	                     &stored) != 0 ||
	    stored.content_len != encoded.size_limit_bytes) {
		abort();
	}
	compare(&f->entry, &stored);
}

/* Later releases make one block for a description, and none for a dynamic one. */
static void check_blocks(const struct entry_fixture *f)
{
	for (uint32_t i = 0; f->context.gathers_lines && i < f->entry.nattrs; i++) {
		const struct dit_ad *ad = f->entry.attrs[i].ad;

		if (dit_entry_find(&f->entry, ad) != &f->entry.attrs[i] ||
		    (ad->type->flags & DIT_TYPE_DYNAMIC) != 0) {
			abort();
		}
	}
}

static void run(struct entry_fixture *f, struct dit_span record, unsigned options)
{
	int r = 0;

	f->context.is_quick = (options & 1) != 0;
	f->context.check_schema = (options & 2) == 0;
	f->context.check_values = (options & 4) != 0;
	f->context.allow_dynamic = (options & 8) != 0;
	f->context.lastmod = (options & 16) == 0;
	f->context.gathers_lines = (options & 32) != 0;
	f->context.drops_dynamic = (options & 32) != 0;
	f->context.ldif =
		(struct dit_ldif_dialect){.trims_names = (options & 32) != 0,
	                                  .keeps_controls = (options & 32) != 0};
	f->context.names_first = (options & 64) != 0;
	r = fixture_read_span(f, record);
	if (r == 0) {
		check_blocks(f);
		r = dit_entry_check(&f->context, &f->caches, &f->entry, &f->notes);
		if (r == DIT_E_INVALID &&
		    (f->notes.why == NULL || f->notes.why->text == NULL ||
		     *f->notes.why->text == '\0')) {
			abort();
		}
	} else if (f->notes.first == NULL) {
		abort();
	}
	if (r == 0) {
		store(f);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct entry_fixture f;
	static char text[65536];

	if (f.schema == NULL && entry_fixture_init(&f) < 0) {
		abort();
	}
	/* no files: what they hold is not the input's doing */
	if (size == 0 || size > sizeof(text) || memmem(data, size, ":<", 2) != NULL) {
		return 0;
	}
	/* a copy, as the fuzzer's memory is gone while the caches live on */
	memcpy(text, data + 1, size - 1);
	run(&f, (struct dit_span){text, size - 1}, data[0]);
	return 0;
}
