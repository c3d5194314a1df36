/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare10 [--generated] [--ignore-integerkey] DIR DIR: two databases, record by record,
 * in files of LMDB 0.9 or 1.0.
 *
 * The comparison is dit_compare(). The snapshots and scans that it reads are those of
 * this file, in place of the library's: each data file is read whole by page_dump.h, and
 * its records are kept as an array. So neither liblmdb nor slapd must know the format.
 *
 * Exit status: 0 equal, 1 different, 2 an error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/grow.h"
#include "pages/page_dump.h"
#include "store/compare.h"
#include "store/fault.h"
#include "store/store.h"

/* Both meta pages, whatever the page size. */
#define METAS_BYTES (2u << 16)

struct record {
	struct dit_span key;
	struct dit_span value;
};

struct table {
	char *name;
	struct dit_tree_record tree;
	struct record *records;
	size_t nrecords;
	size_t size;
};

struct dit_snapshot {
	struct page_dump dump;
	struct table *tables;
	struct dit_stored_db *dbs;
	size_t n;
	size_t size;
	const char *error;
};

struct dit_scan {
	const struct table *table;
	size_t at;
	const struct record **firsts; /* owned; NULL: not needed so far */
	size_t nfirsts;
};

static void *or_die(void *memory)
{
	if (memory == NULL) {
		fputs("compare10: no memory\n", stderr);
		exit(2);
	}
	return memory;
}

/* ---- a data file in memory ---- */

static void add_record(void *ctx, struct dit_span key, struct dit_span value)
{
	struct table *table = ctx;

	table->records = or_die(dit_grow(table->records, &table->size,
	                                 table->nrecords + 1, sizeof(struct record)));
	table->records[table->nrecords++] = (struct record){key, value};
}

static void add_table(void *ctx, struct dit_span key, struct dit_span value)
{
	struct dit_snapshot *snapshot = ctx;
	struct table *table = NULL;

	snapshot->tables = or_die(dit_grow(snapshot->tables, &snapshot->size,
	                                   snapshot->n + 1, sizeof(struct table)));
	table = &snapshot->tables[snapshot->n++];
	*table = (struct table){.name = or_die(strndup(key.data, key.len))};
	memcpy(&table->tree, value.data, sizeof(table->tree));
	if (snapshot->error == NULL) {
		snapshot->error =
			page_dump_tree(&snapshot->dump, &table->tree, add_record, table);
	}
}

static const char *read_file(struct dit_snapshot *snapshot, FILE *in)
{
	const char *error = page_dump_read(&snapshot->dump, in);

	if (error == NULL) {
		error = page_dump_tree(&snapshot->dump, &snapshot->dump.meta.main_tree,
		                       add_table, snapshot);
	}
	if (error == NULL) {
		error = snapshot->error;
	}
	snapshot->dbs = or_die(calloc(snapshot->n + 1, sizeof(*snapshot->dbs)));
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct table *table = &snapshot->tables[i];

		if (error == NULL && table->nrecords != table->tree.nitems) {
			error = "a wrong number of records";
		}
		snapshot->dbs[i] = (struct dit_stored_db){
			.name = table->name,
			.flags = table->tree.flags,
			.nrecords = table->nrecords,
		};
	}
	return error;
}

/* ---- what dit_compare() reads ---- */

/* slapadd -q leaves files as long as maxsize: only pages in use are read. */
static FILE *open_used(const char *path, void **ret_map, size_t *ret_len)
{
	struct page_dump ends = {.len = 0};
	struct stat st;
	FILE *file = fopen(path, "rb");
	FILE *in = NULL;
	size_t len = 0;

	if (file == NULL || fstat(fileno(file), &st) < 0) {
		return NULL;
	}
	*ret_len = (size_t)st.st_size;
	*ret_map = mmap(NULL, *ret_len, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	if (*ret_map == MAP_FAILED) {
		return NULL;
	}
	len = *ret_len < METAS_BYTES ? *ret_len : METAS_BYTES;
	in = fmemopen(*ret_map, len, "rb");
	if (in != NULL && page_dump_read(&ends, in) == NULL) {
		len = (ends.meta.last_page + 1) * ends.page_bytes;
	}
	page_dump_free(&ends);
	if (in != NULL) {
		fclose(in);
	}
	return fmemopen(*ret_map, len < *ret_len ? len : *ret_len, "rb");
}

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	const char *error = NULL;
	char path[4096];
	void *map = NULL;
	size_t len = 0;
	FILE *in = NULL;

	(void)opts;
	snprintf(path, sizeof(path), "%s/data.mdb", directory);
	in = open_used(path, &map, &len);
	if (in == NULL) {
		return -errno;
	}
	*ret = or_die(calloc(1, sizeof(**ret)));
	error = read_file(*ret, in);
	fclose(in);
	munmap(map, len);
	if (error != NULL) {
		fprintf(stderr, "compare10: %s: %s\n", path, error);
		return DIT_E_CORRUPT;
	}
	return 0;
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	for (size_t i = 0; i < snapshot->n; i++) {
		free(snapshot->tables[i].name);
		free(snapshot->tables[i].records);
	}
	free(snapshot->tables);
	free(snapshot->dbs);
	page_dump_free(&snapshot->dump);
	free(snapshot);
}

size_t dit_snapshot_dbs(const struct dit_snapshot *snapshot,
                        const struct dit_stored_db **ret)
{
	*ret = snapshot->dbs;
	return snapshot->n;
}

int dit_scan_open(struct dit_scan **ret, struct dit_snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot->n; i++) {
		if (strcmp(snapshot->tables[i].name, name) == 0) {
			*ret = or_die(calloc(1, sizeof(**ret)));
			(*ret)->table = &snapshot->tables[i];
			return 0;
		}
	}
	return DIT_E_UNKNOWN;
}

int dit_scan_next(struct dit_scan *scan, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	if (scan->at == scan->table->nrecords) {
		return 0;
	}
	*ret_key = scan->table->records[scan->at].key;
	*ret_value = scan->table->records[scan->at].value;
	scan->at++;
	return 1;
}

static int compare_keys(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a;
	const struct record *y = *(const struct record *const *)b;
	size_t n = x->key.len < y->key.len ? x->key.len : y->key.len;
	int order = memcmp(x->key.data, y->key.data, n);

	return order != 0 ? order : (x->key.len > y->key.len) - (x->key.len < y->key.len);
}

/* The first record of each key, sorted byte by byte. */
static void sort_firsts(struct dit_scan *scan)
{
	const struct table *table = scan->table;

	scan->firsts = or_die(calloc(table->nrecords + 1, sizeof(*scan->firsts)));
	for (size_t i = 0; i < table->nrecords; i++) {
		const struct record *record = &table->records[i];

		if (i == 0 || !dit_span_eq(record[-1].key, record->key)) {
			scan->firsts[scan->nfirsts++] = record;
		}
	}
	qsort(scan->firsts, scan->nfirsts, sizeof(*scan->firsts), compare_keys);
}

/* For indexes whose keys are in another order on the other side. */
int dit_scan_seek(struct dit_scan *scan, struct dit_span wanted, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	const struct record record = {.key = wanted};
	const struct record *key = &record;
	const struct record **found = NULL;

	if (scan->firsts == NULL) {
		sort_firsts(scan);
	}
	found = bsearch(&key, scan->firsts, scan->nfirsts, sizeof(*scan->firsts),
	                compare_keys);
	if (found == NULL) {
		return 0;
	}
	scan->at = (size_t)(*found - scan->table->records);
	return dit_scan_next(scan, ret_key, ret_value);
}

void dit_scan_close(struct dit_scan *scan)
{
	if (scan != NULL) {
		free(scan->firsts);
	}
	free(scan);
}

/* ---- the program ---- */

static void say(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	puts(report->text);
}

int main(int argc, char **argv)
{
	struct dit_compare_opts opts = {.first = NULL};
	uint64_t ndifferences = 0;
	int at = 1;
	int r = 0;

	for (; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--generated") == 0) {
			opts.ignore_generated = true;
		} else if (strcmp(argv[at], "--ignore-integerkey") == 0) {
			opts.ignore_integerkey = true;
		} else {
			break;
		}
	}
	if (argc - at != 2) {
		fputs("usage: compare10 [--generated] [--ignore-integerkey] DIR DIR\n",
		      stderr);
		return 2;
	}
	opts.first = argv[at];
	opts.second = argv[at + 1];
	r = dit_compare(&opts, say, NULL, &ndifferences);
	if (r < 0) {
		fprintf(stderr, "compare10: error %d\n", r);
		return 2;
	}
	return ndifferences == 0 ? 0 : 1;
}
