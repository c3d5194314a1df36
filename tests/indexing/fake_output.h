/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that keeps everything in memory and writes down in words what is put into it,
 * for tests of what fills an output:
 *
 *   ad 1 cn                         dit_output_put_ad()
 *   entry 7                         dit_output_reserve_entry(); bytes in entries[]
 *   hole 8                          the same, of no bytes
 *   release 2                       dit_table_writer_release(): two batches
 *   replace 7                       dit_output_replace_entry()
 *   split 7 3 0 text                dit_output_put_split(): ID, attribute, place
 *   child 1 cn=a cn=A 7 2           a record of dn2i: parent, both RDNs, ID, subtree
 *   self 7 cn=a cn=A 1              likewise: node, both RDNs, parent
 *
 * A program is linked with $(record_output_wraps): its functions take the place of those
 * of record_output.h.
 */
#ifndef DITKIT_FAKE_OUTPUT_H
#define DITKIT_FAKE_OUTPUT_H

#include "test.h"

#include "codec/name_codec.h"
#include "output/record_output.h"
#include "tree/table_writer.h"

#define FAKE_NENTRIES 32
#define FAKE_NBYTES   4096

/** A node that is stored. Its RDN is normal and pretty. */
struct fake_node {
	uint64_t parent;
	const char *norm;
	uint64_t id;
	uint64_t nsubs;
};

struct fake_output {
	struct dit_record_output output;

	/* Stored contents; all optional. */
	const struct fake_node *nodes;
	size_t nnodes;
	const char *const *ads;
	size_t nads;

	/* Room for so many bytes lasts. Marks are 1, 2 ... */
	size_t lasting_max;
	size_t nmarks;

	int fail_at; /* this call, counted from 1, returns -EIO; 0: none */
	int ncalls;
	struct fake_entry {
		size_t len;
		_Alignas(8) char bytes[FAKE_NBYTES];
	} entries[FAKE_NENTRIES];
	char log[8192];
	size_t log_len;
};

__attribute__((format(printf, 2, 3))) static int fake_log(struct fake_output *fake,
                                                          const char *format, ...)
{
	va_list args;

	if (++fake->ncalls == fake->fail_at) {
		return -EIO;
	}
	va_start(args, format);
	fake->log_len +=
		(size_t)vsnprintf(fake->log + fake->log_len,
	                          sizeof(fake->log) - fake->log_len, format, args);
	va_end(args);
	assert_true(fake->log_len < sizeof(fake->log));
	return 0;
}

static struct fake_output *fake_of(const struct dit_record_output *output)
{
	return (struct fake_output *)output; /* its first member */
}

__typeof__(dit_output_find_ad) __wrap_dit_output_find_ad;
__typeof__(dit_output_find_child) __wrap_dit_output_find_child;
__typeof__(dit_output_find_name) __wrap_dit_output_find_name;
__typeof__(dit_output_put_ad) __wrap_dit_output_put_ad;
__typeof__(dit_output_reserve_entry) __wrap_dit_output_reserve_entry;
__typeof__(dit_output_entry_writer) __wrap_dit_output_entry_writer;
__typeof__(dit_table_writer_hold) __wrap_dit_table_writer_hold;
__typeof__(dit_table_writer_mark) __wrap_dit_table_writer_mark;
__typeof__(dit_table_writer_release) __wrap_dit_table_writer_release;
__typeof__(dit_output_put_entry_pieces) __wrap_dit_output_put_entry_pieces;
__typeof__(dit_output_put_split) __wrap_dit_output_put_split;
__typeof__(dit_output_put_name) __wrap_dit_output_put_name;
__typeof__(dit_output_finish) __wrap_dit_output_finish;
__typeof__(dit_output_find_entry) __wrap_dit_output_find_entry;
__typeof__(dit_output_replace_entry) __wrap_dit_output_replace_entry;

int __wrap_dit_output_find_ad(struct dit_record_output *output, uint32_t number,
                              struct dit_span *ret)
{
	struct fake_output *fake = fake_of(output);

	if (fake_log(fake, "%s", "") < 0) {
		return -EIO;
	}
	if (number > fake->nads) {
		return 0;
	}
	*ret = dit_span_of(fake->ads[number - 1]);
	return 1;
}

int __wrap_dit_output_find_child(struct dit_record_output *output, uint64_t parent,
                                 struct dit_span norm, struct dit_name *ret)
{
	struct fake_output *fake = fake_of(output);

	if (fake_log(fake, "%s", "") < 0) {
		return -EIO;
	}
	for (size_t i = 0; i < fake->nnodes; i++) {
		const struct fake_node *node = &fake->nodes[i];
		struct dit_span rdn = dit_span_of(node->norm);

		if (node->parent == parent && dit_span_eq(rdn, norm)) {
			*ret = (struct dit_name){.is_child = true,
			                         .norm = rdn,
			                         .pretty = rdn,
			                         .id = node->id,
			                         .nsubs = node->nsubs};
			return 1;
		}
	}
	return 0;
}

int __wrap_dit_output_find_name(struct dit_record_output *output, uint64_t id,
                                struct dit_name *ret)
{
	struct fake_output *fake = fake_of(output);

	if (fake_log(fake, "%s", "") < 0) {
		return -EIO;
	}
	for (size_t i = 0; i < fake->nnodes; i++) {
		const struct fake_node *node = &fake->nodes[i];
		struct dit_span rdn = dit_span_of(node->norm);

		if (node->id == id) {
			*ret = (struct dit_name){
				.norm = rdn, .pretty = rdn, .id = node->parent};
			return 1;
		}
	}
	return 0;
}

int __wrap_dit_output_put_ad(struct dit_record_output *output, uint32_t number,
                             struct dit_span name)
{
	return fake_log(fake_of(output), "ad %u %.*s\n", number, DIT_SPAN_ARGS(name));
}

int __wrap_dit_output_reserve_entry(struct dit_record_output *output, uint64_t id,
                                    size_t len, void **ret_space)
{
	struct fake_output *fake = fake_of(output);
	int r = fake_log(fake, "%s %d\n", len == 0 ? "hole" : "entry", (int)id);

	assert_true(id < FAKE_NENTRIES && len <= FAKE_NBYTES);
	fake->entries[id].len = len;
	*ret_space = fake->entries[id].bytes;
	return r;
}

int __wrap_dit_output_put_entry_pieces(struct dit_record_output *output, uint64_t id,
                                       size_t len, const struct dit_pieces *record)
{
	void *space = NULL;
	int r = __wrap_dit_output_reserve_entry(output, id, len, &space);

	if (r == 0) {
		record->next(record->ctx, space, len);
	}
	return r;
}

int __wrap_dit_output_entry_writer(struct dit_record_output *output,
                                   struct dit_table_writer **ret)
{
	*ret = (struct dit_table_writer *)output;
	return fake_log(fake_of(output), "%s", "");
}

size_t __wrap_dit_table_writer_hold(struct dit_table_writer *writer, size_t key_len)
{
	assert_int_equal(key_len, sizeof(uint64_t));
	return ((struct fake_output *)writer)->lasting_max;
}

size_t __wrap_dit_table_writer_mark(const struct dit_table_writer *writer)
{
	return ++((struct fake_output *)writer)->nmarks;
}

int __wrap_dit_table_writer_release(struct dit_table_writer *writer, size_t mark)
{
	return fake_log((struct fake_output *)writer, "release %zu\n", mark);
}

int __wrap_dit_output_put_split(struct dit_record_output *output, uint64_t id,
                                uint16_t ad, uint32_t place, struct dit_span record)
{
	return fake_log(fake_of(output), "split %d %u %u %.*s\n", (int)id, ad, place,
	                DIT_SPAN_ARGS(record));
}

int __wrap_dit_output_find_entry(struct dit_record_output *output, uint64_t id,
                                 struct dit_span *ret)
{
	struct fake_output *fake = fake_of(output);

	assert_true(id < FAKE_NENTRIES);
	if (fake_log(fake, "%s", "") < 0) {
		return -EIO;
	}
	*ret = (struct dit_span){fake->entries[id].bytes, fake->entries[id].len};
	return ret->len > 0;
}

int __wrap_dit_output_replace_entry(struct dit_record_output *output, uint64_t id,
                                    struct dit_span record)
{
	struct fake_output *fake = fake_of(output);

	assert_true(id < FAKE_NENTRIES && record.len <= FAKE_NBYTES);
	memmove(fake->entries[id].bytes, record.data, record.len);
	fake->entries[id].len = record.len;
	return fake_log(fake, "replace %d\n", (int)id);
}

int __wrap_dit_output_put_name(struct dit_record_output *output, uint64_t id,
                               struct dit_span record)
{
	struct fake_output *fake = fake_of(output);
	struct dit_name name = {0};

	assert_int_equal(dit_name_decode(record, &name), 0);
	if (name.is_child) {
		return fake_log(fake, "child %d %.*s %.*s %d %d\n", (int)id,
		                DIT_SPAN_ARGS(name.norm), DIT_SPAN_ARGS(name.pretty),
		                (int)name.id, (int)name.nsubs);
	}
	return fake_log(fake, "self %d %.*s %.*s %d\n", (int)id, DIT_SPAN_ARGS(name.norm),
	                DIT_SPAN_ARGS(name.pretty), (int)name.id);
}

int __wrap_dit_output_finish(struct dit_output_table *table, uint64_t *ret_bytes)
{
	(void)table;
	(void)ret_bytes;
	return 0;
}

/** An empty new database; the caller changes what it likes. */
static void fake_init(struct fake_output *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->output.base.key_max = 511;
}

/** Assert what was put since the last time. */
static void fake_assert(struct fake_output *fake, const char *log)
{
	assert_string_equal(fake->log, log);
	fake->log_len = 0;
	fake->log[0] = '\0';
}

#endif
