/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of scans: all entries, each once, in one state, whatever the number of
 * threads; results in the order of IDs; ends and errors.
 */
#include "test.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "load/load_fixture.h"
#include "scan/scan.h"

#define NPEOPLE  1500u
#define NENTRIES (NPEOPLE + 5) /* the suffix and four departments */

/* The callbacks of a test see and do this. */
struct told {
	_Atomic unsigned nentries;
	_Atomic unsigned nholes;
	_Atomic unsigned nvalues; /* of cn */
	_Atomic unsigned nbegun;
	_Atomic unsigned nended;
	unsigned norder;
	unsigned ndropped;
	uint64_t next_range;
	uint64_t last_id;
	uint64_t fail_at; /* an ID */
	bool fail_in_order;
	volatile sig_atomic_t stop;
	uint64_t stop_at;
	char reports[2000];
};

/* Left by a range for in_order. */
struct result {
	unsigned n;
	uint64_t ids[2000];
};

static void note_report(void *ctx, const struct dit_report *report)
{
	struct told *told = ctx;

	test_append(told->reports, "%s\n", report->text);
}

static int begin(void *ctx, struct dit_scan_range *range)
{
	struct told *told = ctx;

	told->nbegun++;
	assert_null(range->result);
	range->result = dit_scan_range_alloc(range, sizeof(struct result));
	return range->result == NULL ? -ENOMEM : 0;
}

static bool is_cn(const struct dit_attr_view *attr)
{
	return dit_span_eq(attr->name, DIT_SPAN("cn"));
}

static int entry(void *ctx, struct dit_scan_range *range,
                 const struct dit_entry_view *view)
{
	struct told *told = ctx;
	struct result *result = range->result;

	if (view->id < range->first_id ||
	    (range->end_id != 0 && view->id >= range->end_id)) {
		return -ERANGE;
	}
	if (view->name_error < 0 || view->record_error < 0) {
		return -EBADMSG;
	}
	told->nentries += !view->is_hole;
	told->nholes += view->is_hole;
	for (uint32_t i = 0; i < view->nattrs; i++) {
		told->nvalues += is_cn(&view->attrs[i]) ? view->attrs[i].nvalues : 0;
	}
	if (result != NULL) {
		result->ids[result->n++] = view->id;
	}
	if (told->stop_at != 0 && view->id >= told->stop_at) {
		__atomic_store_n(&told->stop, SIGTERM, __ATOMIC_RELAXED);
	}
	return told->fail_at != 0 && view->id >= told->fail_at ? -(int)view->id : 0;
}

static int end(void *ctx, struct dit_scan_range *range)
{
	struct told *told = ctx;
	(void)range;

	told->nended++;
	return 0;
}

static int in_order(void *ctx, struct dit_scan_range *range)
{
	struct told *told = ctx;
	const struct result *result = range->result;

	assert_int_equal(range->number, told->next_range);
	told->next_range++;
	for (unsigned i = 0; i < result->n; i++) {
		assert_true(result->ids[i] > told->last_id);
		told->last_id = result->ids[i];
	}
	told->norder++;
	return told->fail_in_order ? -EPIPE : 0;
}

static void drop(void *ctx, struct dit_scan_range *range)
{
	struct told *told = ctx;

	/* A run that was ended gives no memory any more. */
	assert_true(range->result != NULL || told->stop != 0);
	told->ndropped++;
}

static const struct dit_entry_scan_ops all_ops = {.begin = begin,
                                                  .entry = entry,
                                                  .end = end,
                                                  .in_order = in_order,
                                                  .drop = drop};
static const struct dit_entry_scan_ops count_ops = {.entry = entry};

static struct dit_entry_scan_opts opts_for(struct load_fixture *f, struct told *told)
{
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;

	memset(told, 0, sizeof(*told));
	opts.conf = f->conf;
	opts.threads = 3;
	opts.range_pages = 1;
	opts.report = note_report;
	opts.report_ctx = told;
	opts.stop = &told->stop;
	return opts;
}

static int setup(void **state)
{
	struct load_fixture *f = load_fixture_new("multival cn;lang-de 0,0\n");

	load_fixture_load_people(f, NPEOPLE);
	*state = f;
	return 0;
}

static struct dit_entry_scan *open_scan(const struct dit_entry_scan_opts *opts)
{
	struct dit_entry_scan *scan = NULL;

	assert_int_equal(dit_entry_scan_open(&scan, opts), 0);
	return scan;
}

/* ---- what is seen ---- */

SETUP_TEST(every_entry_comes_once_and_ranges_in_order)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	struct told told;

	for (unsigned i = 0; i < 4; i++) {
		struct dit_entry_scan_opts opts = opts_for(*state, &told);
		struct dit_entry_scan *scan = NULL;

		opts.threads = threads[i];
		scan = open_scan(&opts);
		assert_int_equal(dit_entry_scan_nthreads(scan), threads[i]);
		assert_int_equal(dit_entry_scan_nrecords(scan), NENTRIES);
		assert_true(dit_entry_scan_nranges(scan) > 100);
		assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
		assert_int_equal(told.nentries, NENTRIES);
		assert_int_equal(told.nholes, 0);
		assert_int_equal(told.nvalues, NPEOPLE);
		assert_int_equal(told.last_id, NENTRIES);
		assert_int_equal(told.norder, dit_entry_scan_nranges(scan));
		assert_int_equal(told.nbegun, told.norder);
		assert_int_equal(told.nended, told.norder);
		assert_int_equal(told.ndropped, 0);
		dit_entry_scan_close(scan);
	}
}

SETUP_TEST(a_run_can_be_repeated)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);

	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(dit_entry_scan_run(scan, &count_ops, &told), 0);
		assert_int_equal(told.nentries, i * NENTRIES);
	}
	dit_entry_scan_close(scan);
}

/* dc=x, then a person; by one thread, so that the first entries come first. */
static int look_at_first(void *ctx, struct dit_scan_range *range,
                         const struct dit_entry_view *view)
{
	const struct dit_attr_view *split = NULL;
	(void)ctx;
	(void)range;

	if (view->id == 1) {
		assert_span_equal(view->dn, "dc=x");
		assert_non_null(view->attrs[0].ad);
		return 0;
	}
	if (view->id != 5) {
		return 0;
	}
	assert_span_equal(view->dn, "uid=u1,ou=dept 1,dc=x");
	for (uint32_t i = 0; i < view->nattrs; i++) {
		if (view->attrs[i].is_split) {
			split = &view->attrs[i];
		}
	}
	assert_non_null(split);
	assert_span_equal(split->name, "cn;lang-de");
	assert_span_equal(split->values[0], "Nummer 1");
	assert_span_equal(split->normal[0], "nummer 1");
	return 0;
}

SETUP_TEST(entries_are_shown_in_full)
{
	static const struct dit_entry_scan_ops ops = {.entry = look_at_first};
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = NULL;

	opts.threads = 1;
	scan = open_scan(&opts);
	assert_int_equal(dit_entry_scan_run(scan, &ops, &told), 0);
	dit_entry_scan_close(scan);
}

static int refuse(const struct dit_entry_scan_opts *opts)
{
	struct dit_entry_scan *scan = NULL;
	int r = dit_entry_scan_open(&scan, opts);

	assert_null(scan);
	return r;
}

static int look_for_nothing(void *ctx, struct dit_scan_range *range,
                            const struct dit_entry_view *view)
{
	(void)ctx;
	(void)range;
	return view->dn.len > 0 || view->attrs[0].ad != NULL ? -EEXIST : 0;
}

SETUP_TEST(a_path_needs_no_configuration_and_names_can_be_left_out)
{
	static const struct dit_entry_scan_ops ops = {.entry = look_for_nothing};
	struct load_fixture *f = *state;
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(f, &told);
	struct dit_entry_scan *scan = NULL;

	opts.conf = NULL;
	opts.path = f->database;
	opts.without_dn = true;
	scan = open_scan(&opts);
	assert_int_equal(dit_entry_scan_run(scan, &ops, &told), 0);
	dit_entry_scan_close(scan);
}

TEST(sealed_pages_of_a_path_need_a_configuration)
{
	static const char text[] =
		"name the configuration of OpenLDAP 2.7 that has their "
		"\"crypto\" and \"passphrase\"";
	const char *build = getenv("DIT_BUILDDIR");
	struct load_fixture *f = NULL;
	struct told told;
	struct dit_entry_scan_opts opts;
	struct dit_load_opts load_opts;
	struct dit_entry_scan *scan = NULL;
	char *extra = test_text(
		"crypto %s/tests/system/xor_module.so\npassphrase \"open sesame\"\n",
		build == NULL ? "." : build);

	f = load_fixture_new(extra);
	load_fixture_write_people(f, 300);
	load_opts = load_fixture_opts(f);
	load_opts.openldap = DIT_OPENLDAP_2_7;
	load_opts.reject = NULL;
	assert_int_equal(load_fixture_run(&load_opts), 0);
	opts = opts_for(f, &told);
	opts.openldap = DIT_OPENLDAP_2_7;
	opts.path = f->database;
	scan = open_scan(&opts);
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
	assert_int_equal(told.nentries, dit_entry_scan_nrecords(scan));
	assert_string_equal(told.reports, "");
	dit_entry_scan_close(scan);
	opts.conf = NULL;
	assert_int_equal(refuse(&opts), DIT_E_UNSUPPORTED);
	assert_non_null(strstr(told.reports, text));
}

TEST(holes_come_as_holes)
{
	struct load_fixture *f = load_fixture_new("");
	struct told told;
	struct dit_entry_scan_opts opts;
	struct dit_load_opts load_opts;
	struct dit_entry_scan *scan = NULL;

	load_fixture_write(f, "dn: dc=x\nobjectClass: domain\ndc: x\n\n"
	                      "dn: cn=a,ou=b,dc=x\nobjectClass: person\ncn: a\nsn: a\n");
	load_opts = load_fixture_opts(f);
	assert_int_equal(load_fixture_run(&load_opts), 0);
	opts = opts_for(f, &told);
	scan = open_scan(&opts);
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
	assert_int_equal(told.nentries, 2);
	assert_int_equal(told.nholes, 1);
	dit_entry_scan_close(scan);
}

TEST(an_empty_database_has_one_empty_range)
{
	struct load_fixture *f = load_fixture_new("");
	struct told told;
	struct dit_entry_scan_opts opts;
	struct dit_load_opts load_opts;
	struct dit_entry_scan *scan = NULL;

	load_fixture_write(f, "");
	load_opts = load_fixture_opts(f);
	assert_int_equal(load_fixture_run(&load_opts), 0);
	opts = opts_for(f, &told);
	scan = open_scan(&opts);
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
	assert_int_equal(told.nentries, 0);
	assert_int_equal(told.norder, 1);
	dit_entry_scan_close(scan);
}

/* ---- entries that a program pulls ---- */

/* A thread that pulls. */
struct puller {
	pthread_t thread;
	struct dit_entry_scan *scan;
	unsigned reader;
	_Atomic unsigned *seen; /* by ID */
	unsigned n;
	int result;
};

static void *pull_all(void *arg)
{
	struct puller *puller = arg;
	const struct dit_entry_view *view = NULL;
	uint64_t last = 0;
	int r = 0;

	while ((r = dit_entry_scan_next(puller->scan, puller->reader, &view)) > 0) {
		assert_true(view->id > last);
		assert_int_equal(view->name_error, 0);
		assert_true(view->dn.len > 0);
		last = view->id;
		puller->seen[view->id]++;
		puller->n++;
	}
	puller->result = r;
	return NULL;
}

SETUP_TEST(readers_share_all_entries)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	struct told told;

	for (unsigned i = 0; i < 4; i++) {
		struct dit_entry_scan_opts opts = opts_for(*state, &told);
		_Atomic unsigned seen[NENTRIES + 1] = {0};
		struct puller pullers[8];
		unsigned n = 0;
		struct dit_entry_scan *scan = NULL;

		opts.threads = threads[i];
		scan = open_scan(&opts);
		for (unsigned t = 0; t < threads[i]; t++) {
			pullers[t] =
				(struct puller){.scan = scan, .reader = t, .seen = seen};
			assert_int_equal(pthread_create(&pullers[t].thread, NULL,
			                                pull_all, &pullers[t]),
			                 0);
		}
		for (unsigned t = 0; t < threads[i]; t++) {
			assert_int_equal(pthread_join(pullers[t].thread, NULL), 0);
			assert_int_equal(pullers[t].result, 0);
			n += pullers[t].n;
		}
		assert_int_equal(n, NENTRIES);
		for (unsigned id = 1; id <= NENTRIES; id++) {
			assert_int_equal(seen[id], 1);
		}
		dit_entry_scan_close(scan);
	}
}

/* @return how many reader 0 gets until the end, or until the error */
static unsigned pull(struct dit_entry_scan *scan, unsigned most, int *ret)
{
	const struct dit_entry_view *view = NULL;
	unsigned n = 0;

	*ret = 1;
	while (n < most && (*ret = dit_entry_scan_next(scan, 0, &view)) > 0) {
		n++;
	}
	return n;
}

SETUP_TEST(a_scan_can_be_closed_early_and_a_run_begins_again)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);
	const struct dit_entry_view *view = NULL;
	int r = 0;

	assert_int_equal(pull(scan, 100, &r), 100);
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
	assert_int_equal(told.nentries, NENTRIES);
	assert_int_equal(pull(scan, UINT_MAX, &r), NENTRIES);
	assert_int_equal(r, 0);
	assert_int_equal(pull(scan, UINT_MAX, &r), 0);
	assert_int_equal(r, 0);
	assert_int_equal(dit_entry_scan_next(scan, opts.threads, &view), -EINVAL);
	dit_entry_scan_close(scan);

	scan = open_scan(&opts);
	assert_int_equal(pull(scan, 7, &r), 7);
	dit_entry_scan_close(scan);
}

/* ---- a choice ---- */

SETUP_TEST(entries_can_be_chosen)
{
	static const struct {
		const char *base;
		enum dit_scope scope;
		const char *filter;
		unsigned n;
	} cases[] = {
		{NULL, DIT_SCOPE_BASE, NULL, 1},
		{NULL, DIT_SCOPE_ONE, NULL, 4},
		{"OU=dept  1,dc=x", DIT_SCOPE_CHILDREN, NULL, NPEOPLE / 4},
		{NULL, DIT_SCOPE_SUBTREE, "(uid=u17)", 1},
		{NULL, DIT_SCOPE_SUBTREE, "(&(sn=common)(!(uid=u17)))", NPEOPLE - 1},
		{"ou=dept 1,dc=x", DIT_SCOPE_ONE, "(cn;lang-de=nummer 1)", NPEOPLE / 100},
		{NULL, DIT_SCOPE_SUBTREE, "(sn=nobody)", 0},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told;
		struct dit_entry_scan_opts opts = opts_for(*state, &told);
		struct dit_entry_scan *scan = NULL;
		int r = 0;

		opts.base = cases[i / 2].base;
		opts.scope = cases[i / 2].scope;
		opts.filter = cases[i / 2].filter;
		opts.no_index = i % 2 == 1;
		scan = open_scan(&opts);
		assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
		assert_int_equal(told.nentries, cases[i / 2].n);
		assert_int_equal(pull(scan, UINT_MAX, &r), cases[i / 2].n);
		assert_int_equal(r, 0);
		dit_entry_scan_close(scan);
	}
}

static int look_at_choice(void *ctx, struct dit_scan_range *range,
                          const struct dit_entry_view *view)
{
	struct told *told = ctx;
	(void)range;

	told->nentries++;
	for (uint32_t i = 0; i < view->nattrs; i++) {
		struct dit_span name = view->attrs[i].name;

		if (!dit_span_eq(name, DIT_SPAN("cn;lang-de")) &&
		    !dit_span_eq(name, DIT_SPAN("description"))) {
			return -EBADMSG;
		}
	}
	return view->nattrs == 2 ? 0 : -EBADMSG;
}

SETUP_TEST(attributes_can_be_chosen)
{
	static const struct dit_entry_scan_ops ops = {.entry = look_at_choice};
	static const char *const attrs[] = {"DESCRIPTION", "cn;lang-de", "uid"};
	static const struct {
		const char *base;
		const char *filter; /* of attributes that are not shown */
		unsigned n;
	} cases[] = {{"uid=u1,ou=dept 1,dc=x", NULL, 1},
	             {NULL, "(telephoneNumber=*)", NPEOPLE}};

	for (size_t i = 0; i < 2; i++) {
		struct told told;
		struct dit_entry_scan_opts opts = opts_for(*state, &told);
		struct dit_entry_scan *scan = NULL;

		opts.attrs = attrs;
		opts.nattrs = 2;
		opts.base = cases[i].base;
		opts.filter = cases[i].filter;
		scan = open_scan(&opts);
		assert_int_equal(dit_entry_scan_run(scan, &ops, &told), 0);
		assert_int_equal(told.nentries, cases[i].n);
		dit_entry_scan_close(scan);
		opts.nattrs = 3;
		scan = open_scan(&opts);
		assert_int_equal(dit_entry_scan_run(scan, &ops, &told), -EBADMSG);
		dit_entry_scan_close(scan);
	}
}

/* ---- one state ---- */

/*
 * Each commit adds one record: as many holes as commits. The pause is for readers without
 * a lock: they begin again if somebody commits between two of them, but not for ever.
 */
static void commit_for_ever(const char *directory, int ready)
{
	const struct timespec interval = {0, 200000};
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	int r = mdb_env_create(&env);

	r = r != 0 ? r : mdb_env_set_maxdbs(env, 8);
	r = r != 0 ? r : mdb_env_set_mapsize(env, (size_t)1 << 30);
	r = r != 0 ? r : mdb_env_open(env, directory, MDB_NOSYNC, 0600);
	for (uint64_t id = NENTRIES + 1; r == 0; id++) {
		MDB_val key = {sizeof(id), &id};
		MDB_val value = {0, NULL};

		r = mdb_txn_begin(env, NULL, 0, &txn);
		r = r != 0 ? r : mdb_dbi_open(txn, "id2e", 0, &dbi);
		r = r != 0 ? r : mdb_put(txn, dbi, &key, &value, 0);
		r = r != 0 ? r : mdb_txn_commit(txn);
		(void)nanosleep(&interval, NULL);
		if (id == NENTRIES + 1 && write(ready, "r", 1) != 1) {
			break;
		}
	}
	_exit(1);
}

/* Tree nodes are not added, so names are not looked at. */
static int count(void *ctx, struct dit_scan_range *range,
                 const struct dit_entry_view *view)
{
	struct told *told = ctx;
	(void)range;

	told->nentries += !view->is_hole;
	told->nholes += view->is_hole;
	return view->record_error;
}

/* @return commits so far */
static uint64_t scan_beside(struct load_fixture *f, unsigned threads, bool no_lock,
                            uint64_t first_txn)
{
	static const struct dit_entry_scan_ops ops = {.entry = count};
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(f, &told);
	struct dit_entry_scan *scan = NULL;
	uint64_t ncommits = 0;

	opts.threads = threads;
	opts.no_lock = no_lock;
	opts.without_dn = true;
	scan = open_scan(&opts);
	ncommits = dit_entry_scan_txn_id(scan) - first_txn;
	for (unsigned run = 1; run <= 3; run++) {
		assert_int_equal(dit_entry_scan_run(scan, &ops, &told), 0);
		assert_int_equal(told.nentries, run * NENTRIES);
		assert_int_equal(told.nholes, run * ncommits);
	}
	dit_entry_scan_close(scan);
	return ncommits;
}

SETUP_TEST(all_threads_of_all_runs_see_one_state_while_others_commit)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(f, &told);
	struct dit_entry_scan *scan = open_scan(&opts);
	uint64_t first_txn = dit_entry_scan_txn_id(scan);
	uint64_t ncommits = 0;
	int pipe_fds[2];
	char byte = 0;
	pid_t pid = -1;

	dit_entry_scan_close(scan);
	assert_int_equal(pipe(pipe_fds), 0);
	pid = test_fork();
	if (pid == 0) {
		commit_for_ever(f->database, pipe_fds[1]);
	}
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	for (unsigned i = 0; i < 8; i++) {
		uint64_t n = scan_beside(f, 1 + i % 4, i % 2 == 1, first_txn);

		assert_true(n >= ncommits);
		ncommits = n;
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	/* They did come in between. */
	assert_true(ncommits > 8);
}

/* ---- ends and errors ---- */

SETUP_TEST(the_first_error_in_order_ends_a_run)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);

	/* All ranges from there on fail. */
	for (unsigned i = 0; i < 20; i++) {
		memset(&told, 0, sizeof(told));
		told.fail_at = 700;
		assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), -700);
		assert_true(told.last_id < 700);
		assert_int_equal(told.norder + told.ndropped, told.nbegun);
		assert_true(told.ndropped > 0);
	}

	/* The scan is as good as new. */
	memset(&told, 0, sizeof(told));
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), 0);
	assert_int_equal(told.nentries, NENTRIES);
	dit_entry_scan_close(scan);
}

SETUP_TEST(an_error_in_order_drops_that_range_too)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);

	told.fail_in_order = true;
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), -EPIPE);
	assert_int_equal(told.norder, 1);
	assert_int_equal(told.ndropped, told.nbegun);
	dit_entry_scan_close(scan);
}

SETUP_TEST(a_run_can_be_ended)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);

	told.stop_at = 100;
	assert_int_equal(dit_entry_scan_run(scan, &all_ops, &told), DIT_E_STOPPED);
	assert_true(told.nentries < NENTRIES);
	assert_int_equal(told.norder + told.ndropped, told.nbegun);
	dit_entry_scan_close(scan);
}

SETUP_TEST(what_cannot_be_opened_is_told)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(f, &told);
	struct dit_entry_scan_opts of_path = opts;

	opts.conf = "/nonexistent";
	assert_int_equal(refuse(&opts), DIT_E_CONFIG);
	assert_non_null(strstr(told.reports, "/nonexistent"));

	of_path.path = f->tmpdir;
	told.reports[0] = '\0';
	assert_int_equal(refuse(&of_path), -ENOENT);
	assert_non_null(strstr(told.reports, f->tmpdir));
}

SETUP_TEST(a_choice_that_cannot_be_read_is_told)
{
	static const char *const unknown[] = {"noSuchThing"};
	static const struct {
		const char *base;
		const char *filter;
		size_t nattrs;
		bool has_path;
		int result;
		const char *report;
	} cases[] = {
		{NULL, "(cn=", 0, false, DIT_E_CONFIG, "(cn=: this is no filter\n"},
		{"=", NULL, 0, false, DIT_E_CONFIG, "=: this is no DN\n"},
		{NULL, NULL, 1, false, DIT_E_CONFIG,
	         "noSuchThing: no such attribute is configured\n"},
		{NULL, "(cn=a)", 0, true, -EINVAL, "need a configuration\n"},
		{NULL, NULL, 1, true, -EINVAL, "need a configuration\n"},
	};
	struct load_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told;
		struct dit_entry_scan_opts opts = opts_for(f, &told);

		opts.suffix = "dc=x";
		opts.base = cases[i].base;
		opts.filter = cases[i].filter;
		opts.attrs = unknown;
		opts.nattrs = cases[i].nattrs;
		if (cases[i].has_path) {
			opts.conf = NULL;
			opts.suffix = NULL;
			opts.path = f->database;
		}
		assert_int_equal(refuse(&opts), cases[i].result);
		assert_non_null(strstr(told.reports, cases[i].report));
	}
}

SETUP_TEST(an_end_from_outside_ends_pulling_too)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = open_scan(&opts);
	const struct dit_entry_view *view = NULL;
	int r = 0;

	assert_int_equal(pull(scan, 100, &r), 100);
	told.stop = SIGTERM;
	assert_int_equal(dit_entry_scan_next(scan, 0, &view), DIT_E_STOPPED);
	assert_int_equal(dit_entry_scan_next(scan, 0, &view), DIT_E_STOPPED);
	assert_int_equal(dit_entry_scan_next(scan, 1, &view), 0);
	/* A run begins it again, without the error. */
	told.stop = 0;
	assert_int_equal(dit_entry_scan_run(scan, &count_ops, &told), 0);
	(void)pull(scan, NENTRIES, &r);
	assert_int_equal(dit_entry_scan_next(scan, 0, &view), 0);
	assert_int_equal(dit_entry_scan_next(scan, 0, &view), 0);
	dit_entry_scan_close(scan);
}

/* The page in the middle that has a value is no page any more. */
static void damage_leaf(const struct load_fixture *f, const char *value)
{
	char *name = test_text("%s/data.mdb", f->database);
	char page[4096];
	uint16_t no_flags = 0;
	FILE *file = NULL;

	file = fopen(name, "r+");
	assert_non_null(file);
	do {
		assert_int_equal(fread(page, sizeof(page), 1, file), 1);
	} while (memmem(page, sizeof(page), value, strlen(value)) == NULL);
	memcpy(page + 10, &no_flags, sizeof(no_flags)); /* mp_flags */
	assert_int_equal(fseek(file, -(long)sizeof(page), SEEK_CUR), 0);
	assert_int_equal(fwrite(page, sizeof(page), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

SETUP_TEST(damage_in_the_middle_ends_pulling_with_its_error)
{
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(*state, &told);
	struct dit_entry_scan *scan = NULL;
	const struct dit_entry_view *view = NULL;
	unsigned n = 0;
	int r = 0;

	damage_leaf(*state, "+1 555-0750");
	scan = open_scan(&opts);
	n = pull(scan, UINT_MAX, &r);
	assert_true(n > 500 && n < NENTRIES);
	assert_int_equal(r, DIT_E_CORRUPT);
	assert_int_equal(dit_entry_scan_next(scan, 0, &view), DIT_E_CORRUPT);
	assert_int_equal(dit_entry_scan_next(scan, 1, &view), 0);
	dit_entry_scan_close(scan);
}

SETUP_TEST(an_lmdb_file_of_others_is_no_database)
{
	struct load_fixture *f = *state;
	struct told told;
	struct dit_entry_scan_opts opts = opts_for(f, &told);
	MDB_env *env = test_env(f->subordinate, 0, 0);
	char expected[4300];

	mdb_env_close(env);
	opts.path = f->subordinate;
	assert_int_equal(refuse(&opts), DIT_E_UNKNOWN);
	(void)snprintf(expected, sizeof(expected), "%s: this is no database of slapd's\n",
	               f->subordinate);
	assert_string_equal(told.reports, expected);
}

TEST(a_database_of_another_type_is_refused)
{
	struct load_fixture *f = load_fixture_new("");
	struct told told;
	struct dit_entry_scan_opts opts;
	FILE *file = NULL;

	file = fopen(f->conf, "w");
	assert_non_null(file);
	(void)fputs("database ldap\nsuffix dc=x\nuri ldap://localhost\n", file);
	assert_int_equal(fclose(file), 0);
	opts = opts_for(f, &told);
	opts.database = 1;
	assert_int_equal(refuse(&opts), DIT_E_CONFIG);
	assert_true(strlen(told.reports) > 0);
}
