/* SPDX-License-Identifier: BSD-2-Clause */
/* A database in memory. */
#include "memory_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "output/index_tables.h"
#include "output/record_output.h"
#include "page/page_format.h"

#define DUPSORT    0x04u
#define INTEGERKEY 0x08u
#define INDEX      0x34u

struct record {
	char *key;
	size_t key_len;
	char *value;
	size_t value_len;
};

struct named {
	char *name;
	unsigned flags;
	struct record *records;
	size_t nrecords;
	size_t size;
};

enum {
	AD2I,
	DN2I,
	ID2E,
	ID2V,
	NFIXED
};

struct memory {
	struct dit_record_output base;
	struct dit_index_tables none; /* nothing is stored */
	size_t open;                  /* the table that is open */
	struct named *dbs;            /* the fixed ones, then what was added */
	size_t ndbs;
	size_t size;
	size_t first_index;
};

/* With the functions below it takes the place of all other outputs. */
__typeof__(dit_output_open) __wrap_dit_output_open;
__typeof__(dit_output_add_index) __wrap_dit_output_add_index;
__typeof__(dit_output_cut_index) __wrap_dit_output_cut_index;
__typeof__(dit_output_open_part) __wrap_dit_output_open_part;
__typeof__(dit_output_find_ad) __wrap_dit_output_find_ad;
__typeof__(dit_output_find_child) __wrap_dit_output_find_child;
__typeof__(dit_output_find_name) __wrap_dit_output_find_name;
__typeof__(dit_output_put_ad) __wrap_dit_output_put_ad;
__typeof__(dit_output_reserve_entry) __wrap_dit_output_reserve_entry;
__typeof__(dit_output_entry_writer) __wrap_dit_output_entry_writer;
__typeof__(dit_output_put_split) __wrap_dit_output_put_split;
__typeof__(dit_output_find_entry) __wrap_dit_output_find_entry;
__typeof__(dit_output_replace_entry) __wrap_dit_output_replace_entry;
__typeof__(dit_output_begin_changes) __wrap_dit_output_begin_changes;
__typeof__(dit_output_put_entry_pieces) __wrap_dit_output_put_entry_pieces;
__typeof__(dit_output_put_lists) __wrap_dit_output_put_lists;
__typeof__(dit_output_put_name) __wrap_dit_output_put_name;
__typeof__(dit_output_finish) __wrap_dit_output_finish;

static struct memory *published;
static struct memory *of(struct dit_output *output)
{
	return (struct memory *)output; /* its first member */
}

static struct memory *of_table(struct dit_output_table *table)
{
	return (struct memory *)table; /* one is open at a time */
}

static int add_db(struct memory *memory, const char *name, unsigned flags)
{
	if (DIT_GROW(memory->dbs, memory->size, memory->ndbs + 1) < 0) {
		return -ENOMEM;
	}
	memory->dbs[memory->ndbs] = (struct named){.name = strdup(name), .flags = flags};
	if (memory->dbs[memory->ndbs].name == NULL) {
		return -ENOMEM;
	}
	memory->ndbs++;
	return 0;
}

static void free_memory(struct memory *memory)
{
	for (size_t i = 0; i < memory->ndbs; i++) {
		for (size_t j = 0; j < memory->dbs[i].nrecords; j++) {
			free(memory->dbs[i].records[j].key);
		}
		free(memory->dbs[i].records);
		free(memory->dbs[i].name);
	}
	free(memory->dbs);
	free(memory);
}

/* Key and value are one piece of memory. NULL: no memory, or a key that is too long. */
static struct record *add(struct memory *memory, size_t db, struct dit_span key,
                          size_t value_len)
{
	struct named *named = &memory->dbs[db];
	bool is_dup = (named->flags & DUPSORT) != 0;
	char *bytes = NULL;

	if (key.len > memory->base.base.key_max ||
	    (is_dup && value_len > memory->base.base.key_max) ||
	    DIT_GROW(named->records, named->size, named->nrecords + 1) < 0) {
		return NULL;
	}
	bytes = calloc(1, key.len + value_len + 1);
	if (bytes == NULL) {
		return NULL;
	}
	memcpy(bytes, key.data, key.len);
	named->records[named->nrecords] =
		(struct record){bytes, key.len, bytes + key.len, value_len};
	return &named->records[named->nrecords++];
}

static int put(struct memory *memory, size_t db, struct dit_span key,
               struct dit_span value)
{
	struct record *record = add(memory, db, key, value.len);

	if (record == NULL) {
		return -ENOMEM;
	}
	memcpy(record->value, value.data, value.len);
	return 0;
}

static struct dit_span span_of(const uint64_t *number)
{
	return (struct dit_span){(const char *)number, sizeof(*number)};
}

/* ---- records ---- */

int __wrap_dit_output_put_ad(struct dit_record_output *output, uint32_t number,
                             struct dit_span name)
{
	struct dit_span key = {(const char *)&number, sizeof(number)};

	return put(of(&output->base), AD2I, key, name);
}

int __wrap_dit_output_reserve_entry(struct dit_record_output *output, uint64_t id,
                                    size_t len, void **ret_space)
{
	struct record *record = add(of(&output->base), ID2E, span_of(&id), len);

	*ret_space = record == NULL ? NULL : record->value;
	return record == NULL ? -ENOMEM : 0;
}

int __wrap_dit_output_entry_writer(struct dit_record_output *output,
                                   struct dit_table_writer **ret)
{
	(void)output;
	*ret = NULL;
	return 0;
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

int __wrap_dit_output_put_split(struct dit_record_output *output, uint64_t id,
                                uint16_t ad, uint32_t place, struct dit_span record)
{
	char key[sizeof(id) + sizeof(ad)];

	(void)place;
	memcpy(key, &id, sizeof(id));
	memcpy(key + sizeof(id), &ad, sizeof(ad));
	return put(of(&output->base), ID2V, (struct dit_span){key, sizeof(key)}, record);
}

int __wrap_dit_output_cut_index(struct dit_output *output, size_t number, unsigned nparts)
{
	(void)output;
	(void)number;
	(void)nparts;
	return 0;
}

int __wrap_dit_output_add_index(struct dit_output *output,
                                const struct dit_output_index *index)
{
	unsigned integerkey = index->is_integerkey ? INTEGERKEY : 0;

	return add_db(of(output), index->name, INDEX | integerkey);
}

int __wrap_dit_output_open_part(struct dit_output *output, size_t number, unsigned part,
                                struct dit_output_table **ret)
{
	if (part > 0) {
		return -EINVAL;
	}
	of(output)->open = of(output)->first_index + number;
	*ret = (struct dit_output_table *)output;
	return 0;
}

int __wrap_dit_output_put_lists(struct dit_output_table *table,
                                const struct dit_posting_list *lists, size_t nlists)
{
	struct memory *memory = of_table(table);
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		for (size_t j = 0; j < lists[i].nids && r == 0; j++) {
			r = put(memory, memory->open, lists[i].key,
			        span_of(&lists[i].ids[j]));
		}
	}
	return r;
}

int __wrap_dit_output_put_name(struct dit_record_output *output, uint64_t id,
                               struct dit_span record)
{
	return put(of(&output->base), DN2I, span_of(&id), record);
}

int __wrap_dit_output_finish(struct dit_output_table *table, uint64_t *ret_bytes)
{
	(void)table;
	(void)ret_bytes;
	return 0;
}

/* ---- changes ---- */

int __wrap_dit_output_begin_changes(struct dit_record_output *output)
{
	(void)output;
	return 0;
}

int __wrap_dit_output_find_ad(struct dit_record_output *output, uint32_t number,
                              struct dit_span *ret)
{
	(void)output;
	(void)number;
	(void)ret;
	return 0;
}

int __wrap_dit_output_find_child(struct dit_record_output *output, uint64_t parent,
                                 struct dit_span norm, struct dit_name *ret)
{
	(void)output;
	(void)parent;
	(void)norm;
	(void)ret;
	return 0;
}

int __wrap_dit_output_find_name(struct dit_record_output *output, uint64_t id,
                                struct dit_name *ret)
{
	(void)output;
	(void)id;
	(void)ret;
	return 0;
}

static struct record *entry_of(struct dit_record_output *output, uint64_t id)
{
	const struct named *entries = &of(&output->base)->dbs[ID2E];

	for (size_t i = 0; i < entries->nrecords; i++) {
		if (memcmp(entries->records[i].key, &id, sizeof(id)) == 0) {
			return &entries->records[i];
		}
	}
	return NULL;
}

int __wrap_dit_output_find_entry(struct dit_record_output *output, uint64_t id,
                                 struct dit_span *ret)
{
	const struct record *record = entry_of(output, id);

	if (record == NULL || record->value_len == 0) {
		return 0;
	}
	*ret = (struct dit_span){record->value, record->value_len};
	return 1;
}

int __wrap_dit_output_replace_entry(struct dit_record_output *output, uint64_t id,
                                    struct dit_span value)
{
	struct record *record = entry_of(output, id);
	char *bytes = calloc(1, sizeof(id) + value.len);

	if (record == NULL || bytes == NULL) {
		free(bytes);
		return -ENOMEM;
	}
	memcpy(bytes, &id, sizeof(id));
	memcpy(bytes + sizeof(id), value.data, value.len);
	free(record->key);
	*record = (struct record){bytes, sizeof(id), bytes + sizeof(id), value.len};
	return 0;
}

/* ---- publishing ---- */

static int end(struct dit_output *output)
{
	memory_output_free();
	published = of(output);
	return 0;
}

static void abandon(struct dit_output *output)
{
	free_memory(of(output));
}

static const struct dit_output_ops output_ops = {
	.steps = {[DIT_PUBLISH_END] = end},
	.abandon = abandon,
};

int __wrap_dit_output_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts)
{
	struct memory *memory = NULL;
	unsigned page_bytes = opts->page_bytes;
	int r = 0;

	memory = calloc(1, sizeof(*memory));
	if (memory == NULL) {
		return -ENOMEM;
	}
	if (page_bytes == 0) {
		page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	}
	memory->base = (struct dit_record_output){
		.base = {.ops = &output_ops,
	                 .indexes = &memory->none,
	                 .key_max = dit_key_max(&dit_lmdb_10, page_bytes)}};
	/* in the order of the enum */
	r = add_db(memory, "ad2i", INTEGERKEY);
	r = r < 0 ? r : add_db(memory, "dn2i", INTEGERKEY | DUPSORT);
	r = r < 0 ? r : add_db(memory, "id2e", INTEGERKEY);
	r = r < 0 ? r : add_db(memory, "id2v", DUPSORT);
	if (opts->has_ixck && r == 0) {
		r = add_db(memory, "ixck", INTEGERKEY);
	}
	memory->first_index = memory->ndbs;
	if (r < 0) {
		free_memory(memory);
		return r;
	}
	*ret = &memory->base;
	return 0;
}

/* ---- what was published ---- */

static void print_hex(FILE *out, struct dit_span bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.len; i++) {
		(void)putc(digits[(unsigned char)bytes.data[i] >> 4], out);
		(void)putc(digits[bytes.data[i] & 15], out);
	}
}

static void print_record(FILE *out, struct dit_span key, struct dit_span value)
{
	print_hex(out, key);
	(void)putc(' ', out);
	print_hex(out, value);
	(void)putc('\n', out);
}

static int compare_names(const void *left, const void *right)
{
	const struct named *a = left;
	const struct named *b = right;

	return strcmp(a->name, b->name);
}

int memory_output_print(FILE *out)
{
	if (published == NULL) {
		return 1;
	}
	qsort(published->dbs, published->ndbs, sizeof(*published->dbs), compare_names);
	for (size_t i = 0; i < published->ndbs; i++) {
		const struct named *named = &published->dbs[i];

		(void)fprintf(out, "DB %s flags=0x%x entries=%zu\n", named->name,
		              named->flags, named->nrecords);
		for (size_t j = 0; j < named->nrecords; j++) {
			const struct record *record = &named->records[j];

			print_record(out, (struct dit_span){record->key, record->key_len},
			             (struct dit_span){record->value, record->value_len});
		}
	}
	return fflush(out) != 0 || ferror(out) != 0 ? -1 : 0;
}

void memory_output_free(void)
{
	if (published != NULL) {
		free_memory(published);
		published = NULL;
	}
}
