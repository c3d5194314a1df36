/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/chosen.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tell.h"
#include "config/slapd_version.h"

#define THREADS_MAX 1024u /* each takes memory before it does anything */

/* More is not faster: runs are compact, memory that was never used must be cleared. */
#define DEFAULT_BYTES_MIN (256u << 20)
#define DEFAULT_BYTES_MAX (1u << 30)
#define DEFAULT_BYTES     (128u << 20) /* of a thread */

#define RECORD_MAX ((uint64_t)4 << 30)

#define ERRNO_MAX   4096
#define ERROR_BYTES 200

static void tell(const struct dit_chosen_opts *opts, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(const struct dit_chosen_opts *opts, const char *format, ...)
{
	va_list args;

	if (!opts->is_verbose) {
		return;
	}
	va_start(args, format);
	dit_tell(opts->report, opts->report_ctx, DIT_REPORT_PLAIN, format, args);
	va_end(args);
}

/*
 * The release that is asked for, or that of the slapd that is here. A slapd of another
 * release than the one asked for is as none.
 */
static void choose_openldap(struct dit_chosen *chosen, const struct dit_chosen_opts *opts,
                            struct dit_slapd *slapd)
{
	const char *path = dit_slapd_path();
	const char *name = NULL;

	dit_slapd_look(path, slapd);
	chosen->openldap = opts->openldap;
	if (opts->openldap == DIT_OPENLDAP_FOUND) {
		chosen->openldap = slapd->version;
		chosen->is_openldap_found = slapd->is_found;
	} else if (opts->openldap != slapd->version) {
		slapd->built_in[0] = '\0';
	}
	name = dit_openldap_name(chosen->openldap);
	if (chosen->is_openldap_found) {
		tell(opts, "OpenLDAP %s, as %s", name, path);
	} else if (opts->openldap == DIT_OPENLDAP_FOUND) {
		tell(opts, "OpenLDAP %s, since there is no slapd at %s", name, path);
	} else {
		tell(opts, "OpenLDAP %s, as chosen", name);
	}
	if (slapd->built_in[0] != '\0') {
		tell(opts, "Built into %s:%s", path, slapd->built_in);
	}
}

/* Each failure that is no errno has been reported where it came up. */
static int told(const struct dit_chosen_opts *opts, int r)
{
	char text[ERROR_BYTES];
	struct dit_report report = {.kind = DIT_REPORT_ERROR, .text = text};

	if (r < 0 && r > -ERRNO_MAX && opts->report != NULL) {
		(void)snprintf(text, sizeof(text), "could not read the configuration: %s",
		               dit_strerror(r));
		opts->report(opts->report_ctx, &report);
	}
	return r;
}

int dit_chosen_read_settings(struct dit_chosen *ret, const struct dit_chosen_opts *opts)
{
	struct dit_slapd slapd;
	struct dit_settings_source source = {
		.file = opts->conf, .dir = opts->conf_dir, .built_in = slapd.built_in};
	struct dit_report bad = {.kind = DIT_REPORT_ERROR,
	                         .text = "no such release of OpenLDAP"};

	*ret = (struct dit_chosen){.settings = NULL};
	if (opts->openldap > DIT_OPENLDAP_NEWEST) {
		if (opts->report != NULL) {
			opts->report(opts->report_ctx, &bad);
		}
		return -EINVAL;
	}
	choose_openldap(ret, opts, &slapd);
	source.openldap = ret->openldap;
	return told(opts, dit_settings_read(&ret->settings, &source, opts->report,
	                                    opts->report_ctx));
}

int dit_chosen_choose(struct dit_chosen *chosen, const struct dit_chosen_opts *opts)
{
	struct dit_settings_choice choice = {
		.number = opts->database, .suffix = opts->suffix, .tool = opts->tool};
	int r = dit_settings_choose(chosen->settings, &choice, opts->report,
	                            opts->report_ctx, &chosen->db);

	if (r < 0) {
		dit_chosen_deinit(chosen);
	}
	return told(opts, r);
}

int dit_chosen_read(struct dit_chosen *ret, const struct dit_chosen_opts *opts)
{
	int r = dit_chosen_read_settings(ret, opts);

	return r < 0 ? r : dit_chosen_choose(ret, opts);
}

void dit_chosen_deinit(struct dit_chosen *chosen)
{
	dit_settings_free(chosen->settings);
	chosen->settings = NULL;
	chosen->db = NULL;
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0) {
		return 1;
	}
	return CPU_COUNT(&set) < 1 ? 1 : (unsigned)CPU_COUNT(&set);
}

unsigned dit_thread_count(unsigned asked, const struct dit_settings *settings)
{
	if (asked == 0 && settings != NULL) {
		asked = settings->tool_threads;
	}
	if (asked == 0) {
		asked = count_cpus();
	}
	return asked > THREADS_MAX ? THREADS_MAX : asked;
}

/* Of the machine's memory; UINT64_MAX: unknown. */
static uint64_t quarter_of_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page = sysconf(_SC_PAGESIZE);

	return pages <= 0 || page <= 0 ? UINT64_MAX
	                               : (uint64_t)pages * (uint64_t)page / 4;
}

uint64_t dit_default_record_max(void)
{
	uint64_t quarter = quarter_of_memory();

	return quarter < RECORD_MAX ? quarter : RECORD_MAX;
}

/* A quarter of the machine's, but no more than the threads can make good use of. */
uint64_t dit_default_memory(unsigned nthreads)
{
	uint64_t useful = (uint64_t)nthreads * DEFAULT_BYTES;
	uint64_t quarter = quarter_of_memory();

	if (useful < DEFAULT_BYTES_MIN) {
		useful = DEFAULT_BYTES_MIN;
	}
	if (useful > DEFAULT_BYTES_MAX) {
		useful = DEFAULT_BYTES_MAX;
	}
	return quarter < useful ? quarter : useful;
}
