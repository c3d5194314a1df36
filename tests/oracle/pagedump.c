/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pagedump <data.mdb: all named databases of a data file, LMDB 0.9's or 1.0's, as text.
 *
 *   DB NAME flags=0x.. entries=N
 *   KEY VALUE             in hexadecimal; one line for each item of a list
 *
 * In records of id2e what fills them up to eight bytes is printed as zeros (storage.md
 * 4.1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page_dump.h"

struct context {
	const struct page_dump *dump;
	bool is_id2e;
	const char *error;
};

static void print_hex(struct dit_span bytes, size_t nplain)
{
	for (size_t i = 0; i < bytes.len; i++) {
		printf("%02x", i < nplain ? (unsigned char)bytes.data[i] : 0);
	}
}

static uint32_t word_at(struct dit_span record, size_t number)
{
	uint32_t word = 0;

	if ((number + 1) * sizeof(word) <= record.len) {
		memcpy(&word, record.data + number * sizeof(word), sizeof(word));
	}
	return word;
}

/* Bytes of a record of id2e without those that fill it up. */
static size_t plain_bytes(struct dit_span record)
{
	uint32_t nattrs = word_at(record, 0);
	size_t at = 4;
	size_t bytes = (at + word_at(record, 3)) * sizeof(uint32_t);

	for (uint32_t i = 0; i < nattrs; i++) {
		uint32_t ad = word_at(record, at++);
		uint32_t count = word_at(record, at++);
		uint32_t n = count & 0x7fffffffu;

		if ((ad & 0x40000000u) != 0) {
			continue; /* its values are in id2v */
		}
		n *= (count & 0x80000000u) != 0 ? 2 : 1;
		for (uint32_t j = 0; j < n; j++) {
			bytes += word_at(record, at++) + 1;
		}
	}
	return bytes;
}

static void print_record(void *ctx, struct dit_span key, struct dit_span value)
{
	struct context *context = ctx;
	bool is_filled = context->is_id2e && value.len > 0;

	print_hex(key, key.len);
	putchar(' ');
	print_hex(value, is_filled ? plain_bytes(value) : value.len);
	putchar('\n');
}

static void print_database(void *ctx, struct dit_span key, struct dit_span value)
{
	struct context *context = ctx;
	struct dit_tree_record tree;

	if (context->dump->format->names_have_nul) {
		key.len--;
	}
	memcpy(&tree, value.data, sizeof(tree));
	printf("DB %.*s flags=0x%x entries=%llu\n", DIT_SPAN_ARGS(key), tree.flags,
	       (unsigned long long)tree.nitems);
	context->is_id2e = dit_span_eq(key, dit_span_of("id2e"));
	if (context->error == NULL) {
		context->error =
			page_dump_tree(context->dump, &tree, print_record, context);
	}
}

int main(void)
{
	struct page_dump dump;
	struct context context = {.dump = &dump};
	const char *error = page_dump_read(&dump, stdin);

	if (error == NULL) {
		error = page_dump_tree(&dump, &dump.meta.main_tree, print_database,
		                       &context);
	}
	error = error != NULL ? error : context.error;
	if (error != NULL) {
		fprintf(stderr, "pagedump: %s\n", error);
	}
	page_dump_free(&dump);
	return error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
