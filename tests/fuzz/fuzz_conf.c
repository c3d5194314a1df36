/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd.conf: what is accepted can be asked for databases, what is refused says why.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "config/settings.h"
#include "fuzz/fuzz_target.h"
#include "schema/schema_private.h"

static void count(void *ctx, const struct dit_report *report)
{
	CHECK(report->text != NULL);
	++*(unsigned *)ctx;
}

static void ask(const struct dit_settings *settings)
{
	const struct dit_settings_choice first = {.number = -1};
	const struct dit_database *chosen = NULL;
	unsigned nreports = 0;

	for (size_t i = 0; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		CHECK(d->number == (int)i && d->type != NULL &&
		      d->data.directory != NULL);
		for (size_t j = 0; j < d->nindexes; j++) {
			CHECK(d->indexes[j].ad->ordinal < settings->schema->nads);
		}
		if (d->has_suffix && !d->is_hidden && !d->is_disabled) {
			CHECK(dit_settings_select(settings, d->suffix_norm, false) !=
			      NULL);
		}
	}
	if (dit_settings_choose(settings, &first, count, &nreports, &chosen) < 0) {
		CHECK(nreports > 0 && chosen == NULL);
	} else {
		CHECK(strcmp(chosen->type, "mdb") == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dit_settings *settings = NULL;
	unsigned nreports = 0;
	char path[64];
	int fd = memfd_create("conf", MFD_CLOEXEC);
	int r = 0;

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = dit_settings_read(&settings, DIT_SETTINGS_FILE(path), count, &nreports);
	CHECK(r == 0 || (r == DIT_E_CONFIG && nreports > 0));
	if (r == 0) {
		ask(settings);
	}
	dit_settings_free(settings);
	(void)close(fd);
	return 0;
}
