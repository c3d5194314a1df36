/* SPDX-License-Identifier: BSD-2-Clause */
/* A small database for tests of changes. */
#include "modify_fixture.h"

#include "export/export.h"
#include "test.h"

/* The linker puts these in the place of libc's: no power fails here, and hundreds of runs
 * would wait for the disk most of the time. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fsync(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_fdatasync(int fd)
{
	(void)fd;
	return 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Attributes of each kind that a modification looks at. */
static const char schema[] =
	"attributetype ( 1.1.1.1 NAME 'xNoRule' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )\n"
	"attributetype ( 1.1.1.2 NAME 'xSingle' EQUALITY caseIgnoreMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )\n"
	"attributetype ( 1.1.1.3 NAME 'xInt' EQUALITY integerMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )\n"
	"attributetype ( 1.1.1.4 NAME 'xOrdered' EQUALITY caseIgnoreMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORDERED 'VALUES' )\n"
	"attributetype ( 1.1.1.5 NAME 'xMember' EQUALITY distinguishedNameMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )\n"
	"attributetype ( 1.1.1.6 NAME ( 'xWord' 'xOtherName' ) EQUALITY caseIgnoreMatch\n"
	"  SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )\n"
	"attributetype ( 1.1.1.7 NAME 'xOrderedName' EQUALITY distinguishedNameMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 X-ORDERED 'VALUES' )\n"
	"objectclass ( 1.1.2.1 NAME 'xThings' SUP top AUXILIARY MAY ( xNoRule $ xSingle $\n"
	"  xInt $ xOrdered $ xMember $ xWord $\n"
	"  xOrderedName $ seeAlso ) )\n"
	"objectclass ( 1.1.2.2 NAME 'xNeeds' SUP top AUXILIARY MUST xInt )\n";

static const char indexes[] = "index xInt,xMember eq\nindex xWord pres,eq,sub\n";

const char modify_fixture_entries[] =
	"dn: dc=x\nobjectClass: domain\ndc: x\n\n"
	"dn: ou=a,dc=x\nobjectClass: organizationalUnit\nou: a\n\n"
	"dn: ou=b,dc=x\nobjectClass: organizationalUnit\nou: b\n\n"
	"dn: cn=one,ou=a,dc=x\nobjectClass: person\nobjectClass: xThings\ncn: one\n"
	"sn: One\nxWord: a\nxWord: b\nxWord: c\nxInt: 5\nxInt: 7\nxNoRule: n\n"
	"xSingle: s\nxOrdered: {0}o\nxOrdered: {1}p\n\n";

void modify_fixture_load(struct modify_fixture *f, const char *ldif)
{
	struct dit_load_opts opts;
	struct dit_load_stats stats;
	int r = 0;

	load_fixture_reset(&f->load);
	load_fixture_write(&f->load, ldif);
	opts = load_fixture_opts(&f->load);
	opts.reject = f->is_sealed ? NULL : opts.reject;
	r = dit_load(&opts, &stats);
	dit_load_stats_deinit(&stats);
	if (r != 0) {
		fail_msg("%d: %s", r, f->load.reports);
	}
}

static void release(void *fixture)
{
	struct modify_fixture *f = fixture;

	dit_modify_stats_deinit(&f->stats);
	load_fixture_deinit(&f->load);
	free(f);
}

struct modify_fixture *modify_fixture_new(const char *extra)
{
	return modify_fixture_new_for(DIT_OPENLDAP_2_6, extra);
}

struct modify_fixture *modify_fixture_new_for(enum dit_openldap_version openldap,
                                              const char *extra)
{
	struct modify_fixture *f = calloc(1, sizeof(*f));
	char more[4000];
	char *conf = NULL;
	FILE *file = NULL;

	assert_non_null(f);
	(void)snprintf(more, sizeof(more), "%s%s", indexes, extra);
	load_fixture_init(&f->load, more);
	f->load.openldap = openldap;
	f->is_sealed = strstr(extra, "crypto ") != NULL;
	conf = test_read_file(f->load.conf, NULL);
	file = fopen(f->load.conf, "w");
	assert_non_null(file);
	(void)fprintf(file, "%s%s", schema, conf);
	assert_int_equal(fclose(file), 0);
	free(conf);
	modify_fixture_load(f, modify_fixture_entries);
	test_at_end(release, f);
	return f;
}

struct dit_modify_opts modify_opts_of(struct load_fixture *f)
{
	const struct dit_load_opts load = load_fixture_opts(f);
	struct dit_modify_opts opts = DIT_MODIFY_OPTS_INIT;

	opts.conf = load.conf;
	opts.openldap = load.openldap;
	opts.input = load.input;
	opts.threads = load.threads;
	opts.memory_bytes = load.memory_bytes;
	opts.report = load.report;
	opts.report_ctx = load.report_ctx;
	opts.reject = load.reject;
	opts.reject_ctx = load.reject_ctx;
	return opts;
}

struct dit_modify_opts modify_fixture_opts(struct modify_fixture *f)
{
	struct dit_modify_opts opts = modify_opts_of(&f->load);

	opts.reject = f->is_sealed ? NULL : opts.reject;
	return opts;
}

int modify_fixture_run(struct modify_fixture *f, const struct dit_modify_opts *opts,
                       const char *changes)
{
	const struct dit_modify_opts own = modify_fixture_opts(f);

	load_fixture_forget(&f->load);
	dit_modify_stats_deinit(&f->stats);
	load_fixture_write(&f->load, changes);
	return dit_modify(opts == NULL ? &own : opts, &f->stats);
}

/* ---- what the database holds ---- */

void modify_fixture_check(struct modify_fixture *f)
{
	assert_true(load_fixture_is_sound(&f->load, false));
}

void run_well(struct modify_fixture *f, const char *changes)
{
	int r = modify_fixture_run(f, NULL, changes);

	if (r != 0 || f->load.reports[0] != '\0') {
		fail_msg("%s: %d, %s", changes, r, f->load.reports);
	}
	modify_fixture_check(f);
}

char *modify_fixture_export(const struct modify_fixture *f, const char *base,
                            bool is_verbose)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	char *path = test_text("%s/out.ldif", f->load.dir);

	opts.conf = f->load.conf;
	opts.openldap = f->load.openldap;
	opts.threads = 1;
	opts.wrap = DIT_EXPORT_WRAP_NONE;
	opts.output = path;
	opts.is_verbose = is_verbose;
	opts.base = base;
	opts.scope = base == NULL ? DIT_SCOPE_SUBTREE : DIT_SCOPE_BASE;
	assert_int_equal(dit_export(&opts, &stats), 0);
	return test_read_file(path, NULL);
}

char *modify_fixture_list(struct modify_fixture *f)
{
	char *text = modify_fixture_export(f, NULL, true);
	char *list = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&list, &len);
	char *rest = NULL;

	assert_non_null(file);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "# id=", 5) == 0) {
			(void)fprintf(file, "%lu", strtoul(line + 5, NULL, 16));
		} else if (strncmp(line, "dn: ", 4) == 0) {
			(void)fprintf(file, " %s\n", line + 4);
		}
	}
	assert_int_equal(fclose(file), 0);
	free(text);
	return list;
}

void assert_listed(struct modify_fixture *f, const char *want)
{
	char *list = modify_fixture_list(f);

	assert_string_equal(list, want);
	free(list);
}

char *modify_fixture_show(struct modify_fixture *f, const char *dn)
{
	static const char *const left_out[] = {
		"dn: ", "objectClass: ", "structuralObjectClass: ", "cn: ", "sn: "};
	char *text =
		modify_fixture_export(f, dn == NULL ? "cn=one,ou=a,dc=x" : dn, false);
	char *list = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&list, &len);
	const char *between = "";
	char *rest = NULL;

	assert_non_null(file);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		bool is_shown = true;

		for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
			is_shown &= strncmp(line, left_out[i], strlen(left_out[i])) != 0;
		}
		if (is_shown) {
			(void)fprintf(file, "%s%s", between, line);
			between = ", ";
		}
	}
	assert_int_equal(fclose(file), 0);
	free(text);
	return list;
}

void assert_shown(struct modify_fixture *f, const char *dn, const char *want)
{
	char *shown = modify_fixture_show(f, dn);

	assert_string_equal(shown, want);
	free(shown);
}
