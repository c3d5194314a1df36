/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_split():
 * - whatever the records look like and however many parts there are, each shard gets its
 *   records, each once and unchanged, and the parts put together are the one part;
 * - the digests are those of the files;
 * - packed files go to one part each;
 * - a failure leaves no file, and says why.
 *
 * The generator of records knows the shard of each record that it writes.
 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <xxhash.h>
#include <zlib.h>

#include "split/split.h"

#include "../load/load_fixture.h"

#define PARTS_MAX 17
#define NSHARDS   3

static const char map[] = "# all that a map can have\n"
			  "shard a b\r\n"
			  "shard\tc\n"
			  "\n"
			  "below \"OU=people , dc=X\" hash 7 a b c\n"
			  "below ou=groups,dc=x to b\n"
			  "below \"cn=\\\"q\\\",dc=x\" to c a\n"
			  "below dc=x to c\n"
			  "entry dc=x to all\n"
			  "entry cn=boss,ou=people,dc=x to b";

struct text {
	char bytes[300000];
	size_t len;
};

static void add(struct text *text, const char *bytes, size_t len)
{
	assert_true(text->len + len <= sizeof(text->bytes));
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
}

static void add_string(struct text *text, const char *string)
{
	add(text, string, strlen(string));
}

struct fixture {
	struct load_fixture load;
	char map[4200];
	char output[4200];
	uint64_t seed;
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	load_fixture_init(&f->load, "");
	(void)snprintf(f->map, sizeof(f->map), "%s/map", f->load.dir);
	(void)snprintf(f->output, sizeof(f->output), "%s/out", f->load.dir);
	test_write_file(f->map, map, strlen(map));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	load_fixture_deinit(&f->load);
	return 0;
}

static unsigned any(struct fixture *f, unsigned n)
{
	f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(f->seed >> 33) % n;
}

static struct dit_split_opts opts_of(struct fixture *f)
{
	struct dit_load_opts load = load_fixture_opts(&f->load);
	struct dit_split_opts opts = DIT_SPLIT_OPTS_INIT;

	opts.conf = f->load.conf;
	opts.map = f->map;
	opts.output = f->output;
	opts.compression = DIT_EXPORT_PLAIN;
	opts.report = load.report;
	opts.report_ctx = load.report_ctx;
	opts.threads = 1;
	return opts;
}

static void forget_reports(struct fixture *f)
{
	free(f->load.reports);
	f->load.reports = strdup("");
}

/* ---- is it on the disk? ---- */

#define SYNCS_MAX 64

/* The state of a file or a directory when it was synced last. */
struct synced {
	ino_t number;
	off_t size; /* of a directory: the names in it */
};

static struct synced synced[SYNCS_MAX];
static size_t nsynced;
static bool is_watched;

static off_t size_of(int dir_fd, const char *name, ino_t *ret)
{
	int fd = openat(dir_fd, name, O_RDONLY);
	DIR *dir = NULL;
	struct stat st;
	off_t n = 0;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*ret = st.st_ino;
	if (!S_ISDIR(st.st_mode)) {
		assert_int_equal(close(fd), 0);
		return st.st_size;
	}
	dir = fdopendir(fd);
	assert_non_null(dir);
	for (const struct dirent *entry = readdir(dir); entry != NULL;
	     entry = readdir(dir)) {
		n++;
	}
	assert_int_equal(closedir(dir), 0);
	return n;
}

/* In place of the C library's: no disk is waited for. */
int fsync(int fd)
{
	char name[64];
	struct synced *found = &synced[nsynced];

	if (!is_watched) {
		return 0;
	}
	assert_true(++nsynced <= SYNCS_MAX);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	found->size = size_of(AT_FDCWD, name, &found->number);
	return 0;
}

static void expect_synced(const struct fixture *f, const char *name)
{
	char *path = test_text("%s/%s", f->load.dir, name);
	ino_t number = 0;
	off_t size = 0;
	size_t i = nsynced;

	size = size_of(AT_FDCWD, path, &number);
	while (i > 0 && synced[i - 1].number != number) {
		i--;
	}
	if (i == 0 || synced[i - 1].size != size) {
		fail_msg("%s is not on the disk", path);
	}
}

/* ---- records whose shards are known ---- */

/* The line of a map about the children of ou=people. */
static unsigned hashed(const char *norm_rdn)
{
	return 1u << XXH64(norm_rdn, strlen(norm_rdn), 7) % NSHARDS;
}

/* "dn: ..." of any form. @return bits of its shards */
static unsigned make_dn(struct fixture *f, char *ret, size_t size)
{
	static const struct {
		const char *line;
		unsigned shards; /* bits */
	} fixed[] = {
		{"dn: dc=x", 7},
		{"DN:dc=X", 7},
		{"dn: ou=People,dc=x", 7},
		{"dn: cn=boss,ou=people,dc=x", 2},
		{"dn: CN=Boss , ou=people,dc=x", 2},
		{"dn: cn=g,OU=Groups,dc=x", 2},
		{"dn: ou=groups,dc=x", 2},
		{"dn: cn=deep,cn=g,ou=groups,\n  dc=x", 2},
		{"dn: cn=\\22q\\22,dc=x", 5},
		{"dn: cn=z,cn=\\\"q\\\",dc=x", 5},
		{"dn: cn=y,dc=x", 4},
		{"dn: cn=y,dc=\n x", 4},
		{"dn: cn=y\\,dc=x,dc=x", 4},
		{"dn:: Y249eSxkYz14", 4},                    /* cn=y,dc=x */
		{"dn:: Y249Z\n yxvdT1ncm91cHMsZGM9eA==", 2}, /* cn=g,ou=groups,dc=x */
		{"# comment\n over lines\n# more\r\ndn: cn=y,dc=x", 4},
		{"17\ndn: cn=y,dc=x", 4},
		{"sn: s\ndn: cn=g,ou=groups,dc=x", 2},
		{"sn: without a DN", 1},
		{"dn: no dn", 1},
		{"dn: nosuch=a,dc=x", 1},
		{"dn: nosuch=a,cn=y,dc=x", 4}, /* nothing of the child is looked at */
		{"dn: cn=a,nosuch=b,dc=x", 1},
		{"dn: cn=a,", 1},
		{"dn:: !!!!", 1},
		{"dn:: ", 1},
		{"dn:< file:///no/such/file", 1},
	};
	unsigned n = any(f, 2 * sizeof(fixed) / sizeof(fixed[0]));
	char rdn[32];

	if (n < sizeof(fixed) / sizeof(fixed[0])) {
		(void)snprintf(ret, size, "%s", fixed[n].line);
		return fixed[n].shards;
	}
	(void)snprintf(rdn, sizeof(rdn), "cn=user %u", any(f, 1000));
	switch (any(f, 4)) {
	case 0:
		(void)snprintf(ret, size, "dn: %s,ou=people,dc=x", rdn);
		break;
	case 1:
		(void)snprintf(ret, size, "dn: CN=User  %s , OU=People,dc=x", rdn + 8);
		break;
	case 2:
		(void)snprintf(ret, size, "dn: cn=child,%s,ou=people,dc=x", rdn);
		break;
	default:
		(void)snprintf(ret, size, "dn: %s,ou=pe\n ople,dc=x", rdn);
	}
	return hashed(rdn);
}

/* The other lines. @param has_nul  they may have bytes that the start of no LDIF has */
static void make_record(struct fixture *f, struct text *record, bool has_nul)
{
	static const char *const lines[] = {
		"\nsn: x",           "\n a fold",   "\r\nsn: x\r",
		"\nversion: 1",      "\n: \r x",    "\n\r\r",
		"\n# comment",       "\nsn:: eA==", "\n \n  \n ",
		"\ninclude: file:x",
	};

	add_string(record, "\nobjectClass: top");
	for (unsigned n = any(f, 6); n > 0; n--) {
		add_string(record, lines[any(f, sizeof(lines) / sizeof(lines[0]))]);
	}
	if (has_nul && any(f, 10) == 0) {
		add(record, "\nsn: \0\0", 7);
	}
	if (any(f, 15) == 0) {
		static char huge[3000];

		memset(huge, 'h', sizeof(huge));
		add_string(record, "\nsn: ");
		add(record, huge, sizeof(huge));
	}
}

/* An input, and what the shards get of it. */
static void make_input(struct fixture *f, struct text *input, struct text *shards)
{
	static const char *const gaps[] = {
		"\n\n",
		"\r\n\r\n",
		"\n\n\n\n",
		"\n\r\n\n# a comment alone\n\n\r\n",
		"\n\n# c\n f\n\n",
	};
	static const char *const starts[] = {
		"",
		"\n\r\n",
		"version: 1\n\n",
		"version: 1\n",
		"\357\273\277",
		"# c\n\nversion: 1\n\n",
	};
	unsigned nrecords = 1 + any(f, 60);
	static struct text record;

	input->len = 0;
	add_string(input, starts[any(f, sizeof(starts) / sizeof(starts[0]))]);
	while (nrecords-- > 0) {
		const char *gap = gaps[any(f, sizeof(gaps) / sizeof(gaps[0]))];
		char dn[200];
		unsigned bits = make_dn(f, dn, sizeof(dn));
		bool has_end = nrecords > 0 || any(f, 2) == 0;

		record.len = 0;
		add_string(&record, dn);
		make_record(f, &record, input->len > 512);
		if (has_end) {
			/* The line end that belongs to the record. */
			size_t len = gap[0] == '\r' ? 2 : 1;

			add(&record, gap, len);
			add(input, record.bytes, record.len);
			add_string(input, gap + len);
		} else {
			add(input, record.bytes, record.len);
			add_string(&record,
			           record.bytes[record.len - 1] == '\r' &&
			                           record.bytes[record.len - 2] == '\n'
			                   ? "\r\n"
			                   : "\n");
		}
		add_string(&record, "\n");
		for (unsigned i = 0; i < NSHARDS; i++) {
			if ((bits >> i & 1) != 0) {
				add(&shards[i], record.bytes, record.len);
			}
		}
	}
}

/* ---- what a split has written ---- */

/* "DIGEST  NAME" */
static void expect_line(FILE *file, const char *bytes, size_t len, const char *name)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, len);
	char *expected =
		test_text("%016llx%016llx  %s\n", (unsigned long long)hash.high64,
	                  (unsigned long long)hash.low64, name);
	char line[200] = "";

	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, expected);
}

/* The digests of the part and of the map, which lies next to it, after a label. */
static void check_digest(const struct fixture *f, const char *path, const char *bytes,
                         size_t len)
{
	char other[4400];
	size_t copy_len = 0;
	char *map_text = test_read_file(f->map, &copy_len);
	char *copy = NULL;
	FILE *file = NULL;

	(void)snprintf(other, sizeof(other), "%.*s/map", (int)(strrchr(path, '/') - path),
	               path);
	copy = test_read_file(other, &copy_len);
	assert_int_equal(strncmp(copy, "# ditsplit: shard ", 18), 0);
	assert_string_equal(strchr(copy, '\n') + 1, map_text);
	(void)snprintf(other, sizeof(other), "%s.xxh128", path);
	file = fopen(other, "rb");
	assert_non_null(file);
	expect_line(file, bytes, len, strrchr(path, '/') + 1);
	expect_line(file, copy, copy_len, "map");
	assert_int_equal(fgetc(file), EOF);
	assert_int_equal(fclose(file), 0);
	free(copy);
	free(map_text);
}

static void read_shard(const struct fixture *f, unsigned shard, unsigned part, unsigned n,
                       struct text *ret)
{
	size_t before = ret->len;
	char *path =
		test_text("%s/%c/part-%u-of-%u.ldif", f->output, "abc"[shard], part, n);
	FILE *file = NULL;

	file = fopen(path, "rb");
	assert_non_null(file);
	ret->len += fread(ret->bytes + ret->len, 1, sizeof(ret->bytes) - ret->len, file);
	assert_int_equal(fclose(file), 0);
	check_digest(f, path, ret->bytes + before, ret->len - before);
}

static void expect_same(const struct text *found, const struct text *expected, unsigned n,
                        unsigned shard)
{
	size_t at = 0;
	int len = 0;

	while (at < found->len && at < expected->len &&
	       found->bytes[at] == expected->bytes[at]) {
		at++;
	}
	if (found->len == expected->len && at == found->len) {
		return;
	}
	len = at < 100 ? (int)at : 100;
	fail_msg("%u parts, shard %c, after \"%.*s\":\n\"%.100s\"\nand not\n\"%.100s\"",
	         n, "abc"[shard], len, found -> bytes + at - len, found -> bytes + at,
	         expected -> bytes + at);
}

FIXTURE_TEST(parts_hold_each_record_once_and_unchanged)
{
	static struct text inputs[2];
	static struct text expected[NSHARDS];
	static struct text found;
	struct fixture *f = *state;
	const char *paths[] = {f->load.input, NULL};
	char *second = test_text("%s/second", f->load.dir);
	unsigned nrounds = (getenv("DIT_LONG") != NULL ? 5 : 2) * PARTS_MAX;

	paths[1] = second;
	for (unsigned round = 0; round < nrounds; round++) {
		unsigned n = 1 + round % PARTS_MAX;

		for (unsigned i = 0; i < NSHARDS; i++) {
			expected[i].len = 0;
		}
		make_input(f, &inputs[0], expected);
		test_write_file(f->load.input, inputs[0].bytes, inputs[0].len);
		if (n == 1) {
			make_input(f, &inputs[1], expected);
			test_write_file(second, inputs[1].bytes, inputs[1].len);
		}
		for (unsigned part = 0; part < n; part++) {
			struct dit_split_opts opts = opts_of(f);
			struct dit_split_stats stats;

			opts.inputs = paths;
			opts.ninputs = n == 1 ? 2 : 1;
			opts.part = part;
			opts.nparts = n;
			assert_int_equal(dit_split(&opts, &stats), 0);
			assert_string_equal(f->load.reports, "");
			dit_split_stats_deinit(&stats);
		}
		for (unsigned i = 0; i < NSHARDS; i++) {
			found.len = 0;
			for (unsigned part = 0; part < n; part++) {
				read_shard(f, i, part, n, &found);
			}
			expect_same(&found, &expected[i], n, i);
		}
	}
}

/* ---- packed files ---- */

static const char one_record[] = "dn: cn=y,dc=x\n\n";

FIXTURE_TEST(a_packed_file_goes_to_one_part)
{
	static struct text found;
	struct fixture *f = *state;
	char packed[4200];
	const char *paths[] = {packed, packed, packed};
	gzFile file = NULL;

	(void)snprintf(packed, sizeof(packed), "%s/p.gz", f->load.dir);
	file = gzopen(packed, "wb");
	assert_non_null(file);
	assert_true(gzputs(file, one_record) > 0);
	assert_int_equal(gzclose(file), Z_OK);
	for (unsigned part = 0; part < 2; part++) {
		struct dit_split_opts opts = opts_of(f);
		struct dit_split_stats stats;

		opts.inputs = paths;
		opts.ninputs = 3;
		opts.part = part;
		opts.nparts = 2;
		opts.threads = part;
		assert_int_equal(dit_split(&opts, &stats), 0);
		assert_int_equal(stats.nrecords, 2 - part);
		assert_int_equal(stats.shards[2].nrecords, 2 - part);
		assert_int_equal(stats.shards[0].nrecords, 0);
		dit_split_stats_deinit(&stats);
		found.len = 0;
		read_shard(f, 2, part, 2, &found);
		assert_int_equal(found.len, (2 - part) * strlen(one_record));
	}
}

/* A frame for each piece of the text, and the digest of them all. */
FIXTURE_TEST(packed_shards_are_the_same_bytes_each_time)
{
	static char big[3 << 20];
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};
	uint64_t digests[2][3] = {{0}};
	size_t len = 0;

	while (len < sizeof(big) - 200) {
		len += (size_t)sprintf(big + len, "dn: cn=%zu,dc=x\nsn: %zu\n\n", len,
		                       len * len);
	}
	test_write_file(f->load.input, big, len);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned kind = DIT_EXPORT_GZIP; kind <= DIT_EXPORT_ZSTD; kind++) {
			struct dit_split_opts opts = opts_of(f);
			struct dit_split_stats stats;
			char path[4300];
			FILE *file = NULL;
			size_t n = 0;

			opts.inputs = paths;
			opts.ninputs = 1;
			opts.compression = (enum dit_export_compression)kind;
			assert_int_equal(dit_split(&opts, &stats), 0);
			(void)snprintf(path, sizeof(path), "%s/c/part-0-of-1.ldif.%s",
			               f->output, kind == DIT_EXPORT_GZIP ? "gz" : "zst");
			file = fopen(path, "rb");
			assert_non_null(file);
			n = fread(big, 1, sizeof(big), file);
			assert_int_equal(fclose(file), 0);
			assert_int_equal(n, stats.shards[2].nbytes);
			assert_in_range(n, 1, len / 2);
			check_digest(f, path, big, n);
			/* An empty file is not a valid gzip or zstd file. */
			assert_in_range(stats.shards[0].nbytes, 8, 40);
			digests[round][kind] = XXH3_64bits(big, n);
			dit_split_stats_deinit(&stats);
		}
	}
	assert_memory_equal(digests[0], digests[1], sizeof(digests[0]));
}

/* ---- failures ---- */

static void expect_failure(struct fixture *f, const struct dit_split_opts *opts, int code,
                           const char *words)
{
	struct dit_split_stats stats;

	forget_reports(f);
	assert_int_equal(dit_split(opts, &stats), code);
	dit_split_stats_deinit(&stats);
	if (strstr(f->load.reports, words) == NULL) {
		fail_msg("\"%s\" is not in \"%s\"", words, f->load.reports);
	}
}

FIXTURE_TEST(a_wrong_map_is_told_with_its_line)
{
	static const struct {
		const char *map;
		const char *words;
	} cases[] = {
		{"", "map:0: no line names a shard"},
		{"# ditsplit: shard b of 1 bytes of input\nshard ..\n", "map:2: \"..\""},
		{"\xef\xbb\xbfshards a\n", "with \"shards\""},
		{"# c\n\nshards a\n", "map:3: a line begins with \"shard\""},
		{"shard\n", "map:1: \"shard\" needs names"},
		{"shard a/b\n", "map:1: \"a/b\" cannot be the name of a shard"},
		{"shard ..\n", "cannot be the name of a shard"},
		{"shard \"\"\n", "cannot be the name of a shard"},
		{"shard all\n", "cannot be the name of a shard"},
		{"shard a b\nshard a\n", "map:2: shard \"a\" has been named before"},
		{"shard a\nbelow\n", "map:2: a DN is missing"},
		{"shard a\nbelow \"dc=x\n", "map:2: a quote without its end"},
		{"shard a\nbelow nosuch=x to a\n",
	         "\"nosuch=x\" is no DN of this schema"},
		{"shard a\nbelow dc=x\n", "after the DN comes \"to\" or \"hash\""},
		{"shard a\nentry dc=x hash 7 a\n", "after the DN comes \"to\""},
		{"shard a\nbelow dc=x hash a\n", "after \"hash\" comes a number"},
		{"shard a\nbelow dc=x hash\n", "after \"hash\" comes a number"},
		{"shard a\nbelow dc=x hash 99999999999999999999 a\n",
	         "after \"hash\" comes a number"},
		{"shard a\nbelow dc=x to\n", "names of shards are missing"},
		{"shard a\nbelow dc=x to b\n", "no line before names a shard \"b\""},
		{"shard a\nbelow dc=x to a a\n", "shard \"a\" is named twice"},
		{"shard a\nbelow dc=x to all a\n", "nothing can follow \"all\""},
		{"shard a\nbelow dc=x to a\nbelow DC=X to a\n",
	         "map:3: there is such a line for this DN already"},
		{"shard a\nentry dc=x to a\nentry dc=x to a\n", "for this DN already"},
	};
	struct fixture *f = *state;
	struct dit_split_opts opts = opts_of(f);
	char longest[120];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_write_file(f->map, cases[i].map, strlen(cases[i].map));
		expect_failure(f, &opts, DIT_E_CONFIG, cases[i].words);
	}
	(void)snprintf(longest, sizeof(longest), "shard %0101d\n", 1);
	test_write_text(f->map, longest);
	expect_failure(f, &opts, DIT_E_CONFIG, "cannot be the name of a shard");
	test_write_file(f->map, "shard a\0", 8);
	expect_failure(f, &opts, DIT_E_CONFIG, "a byte with the value zero");
	opts.map = f->load.database;
	expect_failure(f, &opts, -EISDIR, f->load.database);
	opts.map = "/no/such/map";
	expect_failure(f, &opts, -ENOENT, "/no/such/map: No such file");
}

FIXTURE_TEST(records_without_a_line_leave_no_file)
{
	static const char text[] = "dn: dc=x\n\n"
				   "dn: dc=y\n\n"
				   "# c\ndn: cn=\xc3\xa4,dc=z\n\n";
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};
	struct dit_split_opts opts = opts_of(f);
	char path[4300];

	test_write_file(f->load.input, text, strlen(text));
	opts.inputs = paths;
	opts.ninputs = 1;
	expect_failure(f, &opts, DIT_E_REFUSED, "in.ldif:3: no line of");
	assert_non_null(strstr(f->load.reports, "in.ldif:5: no line of"));
	assert_non_null(strstr(f->load.reports, "2 of 3 records match no line of"));
	opts.part = 1;
	opts.nparts = 2;
	expect_failure(f, &opts, DIT_E_REFUSED, "in.ldif:5: no line of");
	/* Ten of them are told. */
	test_write_text(f->load.input, "dn: dc=y\n\ndn: dc=y\n\ndn: dc=y\n\ndn: dc=y\n\n"
	                               "dn: dc=y\n\ndn: dc=y\n\ndn: dc=y\n\ndn: dc=y\n\n"
	                               "dn: dc=y\n\ndn: dc=y\n\ndn: dc=y\n\n");
	opts.part = 0;
	opts.nparts = 1;
	expect_failure(f, &opts, DIT_E_REFUSED, "in.ldif:19: no line of");
	assert_null(strstr(f->load.reports, "in.ldif:21: no line of"));
	for (unsigned i = 0; i < NSHARDS; i++) {
		(void)snprintf(path, sizeof(path), "%s/%c", f->output, "abc"[i]);
		assert_int_equal(rmdir(path), 0);
	}
}

FIXTURE_TEST(all_files_and_names_are_on_the_disk)
{
	static const char *const names[] = {
		".",
		"out",
		"out/a",
		"out/b",
		"out/c",
		"out/a/map",
		"out/a/part-0-of-1.ldif",
		"out/c/part-0-of-1.ldif",
		"out/b/part-0-of-1.ldif.xxh128",
	};
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};
	struct dit_split_opts opts = opts_of(f);
	struct dit_split_stats stats;

	test_write_file(f->load.input, one_record, strlen(one_record));
	opts.inputs = paths;
	opts.ninputs = 1;
	is_watched = true;
	assert_int_equal(dit_split(&opts, &stats), 0);
	is_watched = false;
	dit_split_stats_deinit(&stats);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		expect_synced(f, names[i]);
	}
}

/* More parents than there is room for what they say, of one length. */
FIXTURE_TEST(each_parent_has_its_own_answer)
{
	static const struct {
		const char *map;
		const char *line;     /* with a number */
		const char *norm_rdn; /* that is hashed */
	} cases[] = {
		{"shard a b c\nbelow dc=x hash 7 a b c", "cn=y,ou=%05u,dc=x", "ou=%05u"},
		{"shard a b c\nbelow dc=x hash 7 a b c", "ou=%05u,dc=x", "ou=%05u"},
		{"shard a b c\nbelow \"\" hash 7 a b c", "cn=y,dc=%05u", "dc=%05u"},
		{"shard a b c\nbelow \"\" hash 7 a b c", "dc=%05u", "dc=%05u"},
		{"shard a b c\nbelow ou=00001,dc=x to a\nbelow dc=x hash 7 a b c",
	         "cn=y,ou=1%04u,dc=x", "ou=1%04u"},
	};
	static struct text input;
	static struct text expected[NSHARDS];
	static struct text found;
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct dit_split_opts opts = opts_of(f);
		struct dit_split_stats stats;

		input.len = 0;
		for (unsigned i = 0; i < NSHARDS; i++) {
			expected[i].len = 0;
		}
		for (unsigned i = 0; i < 9000; i++) {
			char record[64] = "dn: ";
			char rdn[32];

			(void)snprintf(record + 4, sizeof(record) - 6, cases[k].line, i);
			strcat(record, "\n\n");
			(void)snprintf(rdn, sizeof(rdn), cases[k].norm_rdn, i);
			add_string(&input, record);
			for (unsigned b = 0; b < NSHARDS; b++) {
				if ((hashed(rdn) >> b & 1) != 0) {
					add_string(&expected[b], record);
				}
			}
		}
		test_write_file(f->map, cases[k].map, strlen(cases[k].map));
		test_write_file(f->load.input, input.bytes, input.len);
		opts.inputs = paths;
		opts.ninputs = 1;
		assert_int_equal(dit_split(&opts, &stats), 0);
		dit_split_stats_deinit(&stats);
		for (unsigned i = 0; i < NSHARDS; i++) {
			found.len = 0;
			read_shard(f, i, 0, 1, &found);
			expect_same(&found, &expected[i], (unsigned)k, i);
		}
	}
}

FIXTURE_TEST(what_cannot_be_read_or_written_is_told)
{
	static const volatile sig_atomic_t flag = 1;
	struct fixture *f = *state;
	const char *paths[] = {f->load.input, "/no/such/input", NULL};
	struct dit_split_opts opts = opts_of(f);
	char path[4300];

	test_write_file(f->load.input, one_record, strlen(one_record));
	opts.inputs = paths;
	opts.ninputs = 2;
	expect_failure(f, &opts, -ENOENT, "/no/such/input: No such file");
	opts.ninputs = 1;
	opts.record_max_bytes = 10;
	expect_failure(f, &opts, DIT_E_TOOLONG, "as many as --max-record allows");
	opts.record_max_bytes = 0;
	opts.part = 2;
	opts.nparts = 2;
	expect_failure(f, &opts, -EINVAL, "there is no part 2 of 2");
	opts.part = 0;
	paths[0] = NULL;
	expect_failure(f, &opts, -ESPIPE, "standard input cannot be read in parts");
	paths[0] = f->load.input;
	opts.stop = &flag;
	expect_failure(f, &opts, DIT_E_STOPPED, "interrupted");
	opts.stop = NULL;
	opts.map = NULL;
	expect_failure(f, &opts, -EINVAL, "the map is missing");
	opts.map = f->map;
	opts.suffix = "dc=other";
	expect_failure(f, &opts, DIT_E_CONFIG, "dc=other");
	opts.suffix = NULL;
	opts.output = "";
	expect_failure(f, &opts, -EINVAL, "the directory for the shards is missing");
	opts.output = "/no/such/directory";
	expect_failure(f, &opts, -ENOENT, "/no/such/directory: No such file");
	opts.output = f->output;
	opts.nparts = 1;
	(void)snprintf(path, sizeof(path), "%s/b", f->output);
	(void)rmdir(path);
	test_write_file(path, "", 0);
	expect_failure(f, &opts, -ENOTDIR, "b/part-0-of-1.ldif: ");
	assert_int_equal(unlink(path), 0);
	test_write_file(f->load.input, "include: file:/no/such/file\n", 28);
	expect_failure(f, &opts, -ENOENT, "include file:/no/such/file failed");
	opts.no_urls = true;
	expect_failure(f, &opts, -EPERM, "include file:/no/such/file failed");
}

FIXTURE_TEST(a_digest_that_cannot_be_written_is_told_with_path_and_cause)
{
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};
	struct dit_split_opts opts = opts_of(f);
	char path[4300];

	test_write_file(f->load.input, one_record, strlen(one_record));
	opts.inputs = paths;
	opts.ninputs = 1;
	assert_int_equal(mkdir(f->output, 0755), 0);
	(void)snprintf(path, sizeof(path), "%s/b", f->output);
	assert_int_equal(mkdir(path, 0755), 0);
	(void)snprintf(path, sizeof(path), "%s/b/part-0-of-1.ldif", f->output);
	assert_int_equal(mkfifo(path, 0644), 0);
	expect_failure(f, &opts, -EEXIST, "b/part-0-of-1.ldif: no regular file");
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/b/part-0-of-1.ldif.xxh128", f->output);
	assert_int_equal(mkfifo(path, 0644), 0);
	expect_failure(f, &opts, -EEXIST, "b/part-0-of-1.ldif.xxh128: no regular file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	expect_failure(f, &opts, -EISDIR, "b/part-0-of-1.ldif.xxh128: Is a directory");
	/* All parts come before the first digest. */
	(void)snprintf(path, sizeof(path), "%s/c/part-0-of-1.ldif", f->output);
	assert_int_equal(access(path, F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s/c/map", f->output);
	assert_int_equal(access(path, F_OK), 0);
}

/* The link leads to a directory of root's, and another user can exchange it. */
FIXTURE_TEST(root_makes_nothing_by_way_of_a_foreign_link)
{
	static const struct {
		const char *link; /* below "home" */
		const char *output;
		const char *told;
	} cases[] = {
		{"link", "link/out", "link/out: \"link\" is a symbolic link"},
		{"out", "out", "out/a: \"out\" is a symbolic link"},
		{"out", "out///", "out////a: \"out\" is a symbolic link"},
		{"real/a", "real", "real/a/part-0-of-1.ldif: \"a\" is a symbolic link"},
	};
	struct fixture *f = *state;
	struct dit_split_opts opts = opts_of(f);
	char precious[4200];
	char home[4200];
	char path[4300];
	char output[4300];

	if (geteuid() != 0) {
		skip_because("only root can give a directory away");
	}
	(void)snprintf(precious, sizeof(precious), "%s/precious", f->load.dir);
	(void)snprintf(home, sizeof(home), "%s/home", f->load.dir);
	(void)snprintf(path, sizeof(path), "%s/real", home);
	assert_int_equal(mkdir(precious, 0755), 0);
	assert_int_equal(mkdir(home, 0755), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(home, 54321, 54321), 0);
	assert_int_equal(chown(path, 54321, 54321), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", home, cases[i].link);
		(void)snprintf(output, sizeof(output), "%s/%s", home, cases[i].output);
		assert_int_equal(symlink(precious, path), 0);
		opts.output = output;
		expect_failure(f, &opts, -ELOOP, cases[i].told);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(precious), 0); /* it is empty */
}

/* The progress of the first batch is told before the rest of the file is read. */
static void shorten(void *ctx, const struct dit_progress *progress)
{
	if (progress->phase == DIT_SPLIT_RECORDS && progress->bytes_read > 0) {
		assert_int_equal(truncate(ctx, 2 << 20), 0);
	}
}

static void lengthen(void *ctx, const struct dit_progress *progress)
{
	if (progress->phase == DIT_SPLIT_RECORDS && progress->bytes_read > 0) {
		assert_int_equal(truncate(ctx, 6 << 20), 0);
	}
}

FIXTURE_TEST(an_input_that_changes_is_told)
{
	static char big[5 << 20];
	struct fixture *f = *state;
	const char *paths[] = {f->load.input};
	struct dit_split_opts opts = opts_of(f);
	size_t len = 0;

	while (len < sizeof(big) - 200) {
		len += (size_t)sprintf(big + len, "dn: cn=%zu,dc=x\nsn: x\n\n", len);
	}
	opts.inputs = paths;
	opts.ninputs = 1;
	opts.progress_ctx = f->load.input;
	for (opts.nparts = 1; opts.nparts <= 2; opts.nparts++) {
		test_write_file(f->load.input, big, len);
		opts.progress = shorten;
		expect_failure(f, &opts, DIT_E_INVALID, "has become shorter");
		test_write_file(f->load.input, big, len);
		opts.progress = lengthen;
		expect_failure(f, &opts, DIT_E_INVALID, "has become longer");
	}
}
