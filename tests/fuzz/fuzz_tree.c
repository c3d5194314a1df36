/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cn=config tree: what is accepted has sound databases, what is refused says why.
 *
 * The input is cut at lines "%" into files of one tree: the first entry, modules, a
 * schema entry, a back end, two databases, an overlay.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "config/settings.h"
#include "fuzz/fuzz_target.h"
#include "schema/schema_private.h"
#include "system/tmp_files.h"

#define CUT        "%\n"
#define PATH_BYTES (PATH_MAX + 128)

static const char *const folders[] = {
	"cn=config",
	"cn=config/cn=schema",
	"cn=config/olcDatabase={1}mdb",
};

static const char *const files[] = {
	"cn=config.ldif",
	"cn=config/cn=module{0}.ldif",
	"cn=config/cn=schema/cn={0}x.ldif",
	"cn=config/olcBackend={0}mdb.ldif",
	"cn=config/olcDatabase={1}mdb.ldif",
	"cn=config/olcDatabase={2}mdb.ldif",
	"cn=config/olcDatabase={1}mdb/olcOverlay={0}x.ldif",
};

#define NFOLDERS (sizeof(folders) / sizeof(folders[0]))
#define NFILES   (sizeof(files) / sizeof(files[0]))

static void count(void *ctx, const struct dit_report *report)
{
	CHECK(report->text != NULL);
	++*(unsigned *)ctx;
}

static void join(char path[static PATH_BYTES], const char *dir, const char *name)
{
	(void)snprintf(path, PATH_BYTES, "%s/%s", dir, name);
}

static void write_file(const char *dir, const char *name, const uint8_t *data,
                       size_t size)
{
	char path[PATH_BYTES];
	FILE *file = NULL;

	join(path, dir, name);
	file = fopen(path, "w");
	CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void write_tree(const char *dir, const uint8_t *data, size_t size)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < NFOLDERS; i++) {
		join(path, dir, folders[i]);
		CHECK(mkdir(path, 0700) == 0);
	}
	write_file(dir, "cn=config/cn=schema.ldif",
	           (const uint8_t *)"dn: cn=schema\nobjectClass: olcSchemaConfig\n", 43);
	for (size_t i = 0; i < NFILES && size > 0; i++) {
		const uint8_t *cut = memmem(data, size, CUT, strlen(CUT));
		size_t len = cut == NULL ? size : (size_t)(cut - data);

		write_file(dir, files[i], data, len);
		len += cut == NULL ? 0 : strlen(CUT);
		data += len;
		size -= len;
	}
}

static void remove_tree(const char *dir)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < NFILES; i++) {
		join(path, dir, files[i]);
		(void)unlink(path);
	}
	join(path, dir, "cn=config/cn=schema.ldif");
	(void)unlink(path);
	for (size_t i = NFOLDERS; i-- > 0;) {
		join(path, dir, folders[i]);
		CHECK(rmdir(path) == 0);
	}
	CHECK(rmdir(dir) == 0);
}

static void check_databases(const struct dit_settings *settings)
{
	for (size_t i = 0; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		CHECK(d->number == (int)i && d->type != NULL &&
		      d->data.directory != NULL);
		for (size_t j = 0; j < d->nindexes; j++) {
			CHECK(d->indexes[j].ad->ordinal < settings->schema->nads);
		}
		for (size_t j = 0; j < d->multival.nspecs; j++) {
			CHECK(d->multival.specs[j].lo <= d->multival.specs[j].hi);
		}
		if (d->has_suffix && !d->is_hidden && !d->is_disabled) {
			CHECK(dit_settings_select(settings, d->suffix_norm, false) !=
			      NULL);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dit_settings *settings = NULL;
	char dir[PATH_MAX];
	struct dit_settings_source source = {.dir = dir};
	unsigned nreports = 0;
	int r = 0;

	CHECK(snprintf(dir, sizeof(dir), "%s/ditkit-fuzz-XXXXXX", dit_tmp_dir(NULL)) <
	      (int)sizeof(dir));
	CHECK(mkdtemp(dir) != NULL);
	write_tree(dir, data, size);
	r = dit_settings_read(&settings, &source, count, &nreports);
	CHECK(r == 0 || (r == DIT_E_CONFIG && nreports > 0));
	if (r == 0) {
		check_databases(settings);
	}
	dit_settings_free(settings);
	remove_tree(dir);
	return 0;
}
