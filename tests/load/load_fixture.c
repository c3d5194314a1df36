/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory for load tests. */
#include "load_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/error.h"
#include "check/check.h"
#include "files/fault.h"
#include "page/lmdb_format.h"
#include "test.h"

/* Attribute types that slapd does not hard-code, classes that use them. */
static const char conf_head[] =
	"attributetype ( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )\n"
	"attributetype ( 2.5.4.10 NAME ( 'o' 'organizationName' ) SUP name )\n"
	"attributetype ( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name )\n"
	"attributetype ( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch\n"
	"  SUBSTR telephoneNumberSubstringsMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.50{32} )\n"
	"attributetype ( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' )\n"
	"  EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch\n"
	"  SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )\n"
	"objectclass ( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL\n"
	"  MUST dc MAY ( o $ description ) )\n"
	"objectclass ( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL\n"
	"  MUST ou MAY description )\n"
	"objectclass ( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn )\n"
	"  MAY ( userPassword $ telephoneNumber $ seeAlso $ description $ uid $ uidNumber ) )\n";

static const char conf_subordinate[] = "database mdb\n"
				       "suffix \"ou=dept 3,dc=x\"\n"
				       "subordinate\n"
				       "index cn,uidNumber eq\n"
				       "directory %s\n";

static const char conf_database[] = "database mdb\n"
				    "suffix dc=x\n"
				    "rootdn cn=admin,dc=x\n"
				    "index objectClass,entryUUID eq\n"
				    "index cn,sn,uid pres,eq,sub\n"
				    "index telephoneNumber eq,sub\n"
				    "index uidNumber,modifyTimestamp eq\n"
				    "index seeAlso eq\n";

static const char operational[] = "structuralObjectClass: %s\n"
				  "entryUUID: 00000000-0000-1000-8000-%012x\n"
				  "creatorsName: cn=admin,dc=x\n"
				  "createTimestamp: 20260101000000Z\n"
				  "entryCSN: 20260101000000.%06uZ#000000#000#000000\n"
				  "modifiersName: cn=admin,dc=x\n"
				  "modifyTimestamp: 202601010%u0000Z\n\n";

static void init(struct load_fixture *f, const char *extra, int is_glued)
{
	FILE *file = NULL;

	*f = (struct load_fixture){.dir = test_scratch()};
	(void)snprintf(f->conf, sizeof(f->conf), "%s/slapd.conf", f->dir);
	(void)snprintf(f->input, sizeof(f->input), "%s/in.ldif", f->dir);
	(void)snprintf(f->database, sizeof(f->database), "%s/db", f->dir);
	(void)snprintf(f->subordinate, sizeof(f->subordinate), "%s/sub", f->dir);
	(void)snprintf(f->tmpdir, sizeof(f->tmpdir), "%s/tmp", f->dir);
	assert_int_equal(mkdir(f->database, 0700), 0);
	assert_int_equal(mkdir(f->subordinate, 0700), 0);
	assert_int_equal(mkdir(f->tmpdir, 0700), 0);
	file = fopen(f->conf, "w");
	assert_non_null(file);
	(void)fputs(conf_head, file);
	if (is_glued) {
		(void)fprintf(file, conf_subordinate, f->subordinate);
	}
	(void)fprintf(file, "%sdirectory %s\n%s", conf_database, f->database, extra);
	assert_int_equal(fclose(file), 0);
	f->reports = strdup("");
	f->rejects = strdup("");
}

void load_fixture_init(struct load_fixture *f, const char *extra)
{
	init(f, extra, 0);
}

void load_fixture_init_glued(struct load_fixture *f, const char *extra)
{
	init(f, extra, 1);
}

void load_fixture_deinit(struct load_fixture *f)
{
	free(f->reports);
	free(f->rejects);
	test_scratch_remove(f->dir);
}

static void release(void *fixture)
{
	load_fixture_deinit(fixture);
	free(fixture);
}

static struct load_fixture *new_fixture(const char *extra, int is_glued)
{
	struct load_fixture *f = malloc(sizeof(*f));

	assert_non_null(f);
	init(f, extra, is_glued);
	test_at_end(release, f);
	return f;
}

struct load_fixture *load_fixture_new(const char *extra)
{
	return new_fixture(extra, false);
}

struct load_fixture *load_fixture_new_glued(const char *extra)
{
	return new_fixture(extra, true);
}

void load_fixture_write_bytes(struct load_fixture *f, const void *bytes, size_t len)
{
	FILE *file = fopen(f->input, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

void load_fixture_write(struct load_fixture *f, const char *ldif)
{
	load_fixture_write_bytes(f, ldif, strlen(ldif));
}

static void write_operational(FILE *file, const char *oc, unsigned n)
{
	(void)fprintf(file, operational, oc, n, n % 1000000, n % 10);
}

static void write_person(FILE *file, unsigned n)
{
	unsigned ou = n % 4;

	/* Department 3 comes after its members: its node is a hole until then. */
	(void)fprintf(
		file,
		"dn: uid=u%u,ou=Dept %u,dc=x\nobjectClass: person\nuid: u%u\n"
		"cn: Person Number %u\ncn;lang-de: Nummer %u\nsn: Common\n"
		"description:: w7xi\n ZXI=\nuidNumber: %u\ntelephoneNumber: +1 555-%04u\n"
		"seeAlso: uid=u%u, ou=dept %u, dc=x\n",
		n, ou, n, n, n % 50, n, n % 10000, n / 2, ou);
	write_operational(file, "person", n);
}

static void write_ou(FILE *file, unsigned ou)
{
	(void)fprintf(
		file,
		"dn: ou=dept %u,dc=x\nobjectClass: organizationalUnit\nou: dept %u\n", ou,
		ou);
	write_operational(file, "organizationalUnit", 900000 + ou);
}

void load_fixture_write_people(struct load_fixture *f, unsigned nentries)
{
	FILE *file = fopen(f->input, "w");

	assert_non_null(file);
	(void)fputs("dn: dc=x\nobjectClass: domain\ndc: x\n", file);
	write_operational(file, "domain", 800000);
	for (unsigned ou = 0; ou < 3; ou++) {
		write_ou(file, ou);
	}
	for (unsigned n = 1; n <= nentries; n++) {
		write_person(file, n);
	}
	write_ou(file, 3);
	assert_int_equal(fclose(file), 0);
}

void load_fixture_load_people(struct load_fixture *f, unsigned nentries)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	load_fixture_write_people(f, nentries);
	assert_int_equal(dit_load(&opts, &stats), 0);
	dit_load_stats_deinit(&stats);
}

struct load_fixture *load_fixture_new_people(unsigned nentries)
{
	struct load_fixture *f = load_fixture_new("");

	load_fixture_load_people(f, nentries);
	return f;
}

static void append(char **text, const char *prefix, const char *line)
{
	size_t len = strlen(*text) + strlen(prefix) + strlen(line) + 2;
	char *longer = malloc(len);

	assert_non_null(longer);
	(void)snprintf(longer, len, "%s%s%s\n", *text, prefix, line);
	free(*text);
	*text = longer;
}

static void collect_report(void *ctx, const struct dit_report *report)
{
	struct load_fixture *f = ctx;

	append(&f->reports, report->kind == DIT_REPORT_ERROR ? "error: " : "",
	       report->text);
}

static int collect_reject(void *ctx, const struct dit_reject *reject)
{
	struct load_fixture *f = ctx;
	char line[512];

	(void)snprintf(line, sizeof(line), "%llu|%s|%s", (unsigned long long)reject->line,
	               reject->dn, reject->reason);
	append(&f->rejects, "", line);
	return 0;
}

/* @return data.mdb, open, and where the root of the tree is in it */
static int open_root(const char *directory, const char *name, off_t *ret_at)
{
	MDB_txn *txn = test_begin(directory, MDB_NOSYNC);
	MDB_val key = {strlen(name), (void *)name};
	MDB_val value;
	MDB_dbi main_dbi = test_dbi(txn, NULL, 0);
	struct dit_tree_record record;
	char path[4300];
	int fd = -1;

	assert_int_equal(mdb_get(txn, main_dbi, &key, &value), 0);
	assert_int_equal(value.mv_size, sizeof(record));
	memcpy(&record, value.mv_data, sizeof(record));
	test_commit(txn);
	(void)snprintf(path, sizeof(path), "%s/data.mdb", directory);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	*ret_at = (off_t)record.root * 4096;
	return fd;
}

void load_fixture_damage_tree(const char *directory, const char *name)
{
	off_t at = 0;
	int fd = open_root(directory, name, &at);

	assert_int_equal(pwrite(fd, directory, 16, at), 16);
	assert_int_equal(close(fd), 0);
}

void load_fixture_swap_keys(const char *directory, const char *name)
{
	off_t at = 0;
	int fd = open_root(directory, name, &at);
	uint16_t slots[2];

	assert_int_equal(pread(fd, slots, sizeof(slots), at + 16), sizeof(slots));
	assert_int_equal(pwrite(fd, &slots[1], 2, at + 16), 2);
	assert_int_equal(pwrite(fd, &slots[0], 2, at + 18), 2);
	assert_int_equal(close(fd), 0);
}

struct dit_load_opts load_fixture_opts(struct load_fixture *f)
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;

	opts.conf = f->conf;
	opts.openldap = f->openldap;
	opts.input = f->input;
	opts.tmpdir = f->tmpdir;
	opts.threads = 1;
	opts.memory_bytes = 64u << 20;
	opts.report = collect_report;
	opts.report_ctx = f;
	opts.reject = collect_reject;
	opts.reject_ctx = f;
	return opts;
}

int load_fixture_run(const struct dit_load_opts *opts)
{
	struct dit_load_stats stats;
	int r = dit_load(opts, &stats);

	dit_load_stats_deinit(&stats);
	return r;
}

void load_fixture_forget(struct load_fixture *f)
{
	free(f->reports);
	free(f->rejects);
	f->reports = strdup("");
	f->rejects = strdup("");
}

void load_fixture_reset(struct load_fixture *f)
{
	char command[9000];

	load_fixture_forget(f);
	(void)snprintf(command, sizeof(command),
	               "cd '%s' && rm -rf db sub && mkdir db sub", f->dir);
	assert_int_equal(system(command), 0);
}

void load_fixture_split(const struct load_fixture *f, unsigned n, const char *second)
{
	char command[13000];

	(void)snprintf(command, sizeof(command),
	               "cd '%s' && awk 'BEGIN{RS=\"\"; ORS=\"\\n\\n\"} NR > %u' in.ldif "
	               ">'%s' && awk 'BEGIN{RS=\"\"; ORS=\"\\n\\n\"} NR <= %u' in.ldif "
	               ">part.ldif && mv part.ldif in.ldif",
	               f->dir, n, second, n);
	assert_int_equal(system(command), 0);
}

static void digest_db(XXH3_state_t *state, struct dit_snapshot *snapshot,
                      const struct dit_stored_db *db)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {0};
	struct dit_span value = {0};
	int r = 0;

	(void)XXH3_64bits_update(state, db->name, strlen(db->name));
	(void)XXH3_64bits_update(state, &db->flags, sizeof(db->flags));
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, db->name), 0);
	while ((r = dit_tree_cursor_next(cursor, &key, &value)) > 0) {
		(void)XXH3_64bits_update(state, &key.len, sizeof(key.len));
		(void)XXH3_64bits_update(state, key.data, key.len);
		(void)XXH3_64bits_update(state, &value.len, sizeof(value.len));
		(void)XXH3_64bits_update(state, value.data, value.len);
	}
	assert_int_equal(r, 0);
	dit_tree_cursor_close(cursor);
}

uint64_t load_fixture_digest(const struct load_fixture *f)
{
	return load_fixture_digest_of(f->database);
}

struct dit_snapshot *load_fixture_snapshot(const char *directory)
{
	struct dit_fault fault = {{0}};
	const struct dit_snapshot_opts opts = {.nreaders = 1, .lmdb.fault = &fault};
	struct dit_snapshot *snapshot = NULL;
	char *path = test_text("%s/data.mdb", directory);
	int r = 0;

	if (access(path, F_OK) != 0) {
		return NULL;
	}
	r = dit_snapshot_open_readers(&snapshot, directory, &opts);
	if (r < 0) {
		fail_msg("%s: %d, %s. %s", path, r, dit_strerror(r), fault.text);
	}
	return snapshot;
}

uint64_t load_fixture_digest_of(const char *directory)
{
	struct dit_snapshot *snapshot = load_fixture_snapshot(directory);
	XXH3_state_t *state = NULL;
	uint64_t digest = 0;

	if (snapshot == NULL) {
		return 0;
	}
	state = XXH3_createState();
	assert_non_null(state);
	(void)XXH3_64bits_reset(state);
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		digest_db(state, snapshot, &snapshot->dbs[i]);
	}
	digest = XXH3_64bits_digest(state);
	(void)XXH3_freeState(state);
	dit_snapshot_close(snapshot);
	return digest;
}

static int is_empty(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *item = NULL;
	int is_nothing = 1;

	assert_non_null(dir);
	while ((item = readdir(dir)) != NULL) {
		if (item->d_name[0] != '.') {
			is_nothing = 0;
		}
	}
	(void)closedir(dir);
	return is_nothing;
}

int load_fixture_is_empty(const struct load_fixture *f)
{
	return is_empty(f->database) && is_empty(f->subordinate);
}

static void print_finding(void *ctx, const struct dit_check_finding *finding)
{
	(void)ctx;
	if (!finding->is_note) {
		print_message("%s: %s\n", finding->kind, finding->text);
	}
}

bool load_fixture_is_sound(const struct load_fixture *f, bool is_quick)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats = {0};
	bool is_sound = false;

	opts.conf = f->conf;
	opts.openldap = f->openldap;
	opts.threads = 1;
	opts.memory_bytes = 16u << 20;
	opts.found = print_finding;
	opts.is_quick = is_quick;
	is_sound = dit_check(&opts, &stats) == 0 && stats.nfindings == 0;
	dit_check_stats_deinit(&stats);
	return is_sound;
}
