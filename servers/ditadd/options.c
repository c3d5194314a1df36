/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options. A wrong call prints its specific error and one line of usage; an option of
 * slapadd that is not built yet is refused by name.
 */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"

enum long_option {
	OPT_BATCH = 256,
	OPT_GROW,
	OPT_HELP,
	OPT_INDEX_KEYS,
	OPT_MAX_REJECTS,
	OPT_MEMORY,
	OPT_NO_URLS,
	OPT_OPENLDAP,
	OPT_PAGE_CACHE,
	OPT_REJECTS,
	OPT_SPECIAL_URLS,
	OPT_STATS,
	OPT_STRICT,
	OPT_TMPDIR,
	OPT_WRITER,
};

static const struct option long_options[] = {
	{"batch", required_argument, NULL, OPT_BATCH},
	{"grow", no_argument, NULL, OPT_GROW},
	{"help", no_argument, NULL, OPT_HELP},
	{"index-keys", required_argument, NULL, OPT_INDEX_KEYS},
	{"max-rejects", required_argument, NULL, OPT_MAX_REJECTS},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"no-urls", no_argument, NULL, OPT_NO_URLS},
	{"openldap", required_argument, NULL, OPT_OPENLDAP},
	{"page-cache", no_argument, NULL, OPT_PAGE_CACHE},
	{"rejects", required_argument, NULL, OPT_REJECTS},
	{"special-urls", no_argument, NULL, OPT_SPECIAL_URLS},
	{"stats", no_argument, NULL, OPT_STATS},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"tmpdir", required_argument, NULL, OPT_TMPDIR},
	{"tool-threads", required_argument, NULL, 'T'},
	{"version", no_argument, NULL, 'V'},
	{"writer", required_argument, NULL, OPT_WRITER},
	{NULL, 0, NULL, 0},
};

static void print_usage(FILE *out)
{
	(void)fputs(
		"usage: ditadd [-cgqsuvVw] [-b suffix | -n dbnum] [-d level] "
		"[-f slapd.conf] [-F confdir]\n"
		"              [-j line] [-l file] [-o opt[=value]] [-S sid] [-T threads] "
		"[--grow]\n"
		"              [--index-keys integer|bytes] [--max-rejects n] "
		"[--memory size]\n"
		"              [--no-urls] [--openldap 2.5|2.6] [--page-cache] "
		"[--rejects file]\n"
		"              [--special-urls] [--stats] [--strict] [--tmpdir dir]\n"
		"              [--writer pages|append]\n",
		out);
}

/* clang-format off: the text is laid out by hand. */
static const char help_text[] =
	"\n"
	"Load LDIF into the database that slapd.conf describes: what slapadd stores,\n"
	"sooner, and all or nothing.\n"
	"\n"
	"  -b suffix         database that holds this suffix\n"
	"  -c                leave out records that cannot be stored, and go on\n"
	"  -d level          0: no diagnostic lines, errors only\n"
	"  -f file           slapd.conf to read\n"
	"  -F dir            cn=config tree to read; without -f and -F:\n"
	"                    [" DEFAULT_CONF_DIR " if it is there,\n"
	"                    else " DEFAULT_CONF "]\n"
	"  -g                leave subordinate databases alone, put all their entries\n"
	"                    into the superior one\n"
	"  -j line           leave out records that begin before this line\n"
	"  -l file           LDIF to load [standard input]\n"
	"  -n number         database number, as slapadd counts\n"
	"  -o opt[=value]    schema-check=yes|no, value-check=yes|no\n"
	"  -q                quick: do not gather attribute lines, no value check\n"
	"  -s                no schema check\n"
	"  -S sid            server ID in generated CSNs, 0 to 4095\n"
	"  -T, --tool-threads n\n"
	"                    threads that parse, make keys and sort\n"
	"                    [tool-threads of slapd.conf, else one per processor]\n"
	"  -u                dry run: check the input, touch no database\n"
	"  -v                print every entry stored\n"
	"  -w                write contextCSN: the highest entryCSN of each server\n"
	"  -V, --version     print the version\n"
	"\n"
	"  --batch n         records in a batch at most [512]\n"
	"  --grow            the result may be larger than maxsize\n"
	"  --help            print this text\n"
	"  --index-keys integer|bytes\n"
	"                    compare hashed index keys as integers, or as slapd does\n"
	"                    [integer]\n"
	"  --max-rejects n   -c, but give up when more than n records were left out\n"
	"  --memory size     memory to use, with suffix K, M or G [128M a thread, from 256M\n"
	"                    to 1G, but no more than a quarter of the machine's]\n"
	"  --no-urls         read no file that the LDIF names (attr:< file:..., include:)\n"
	"  --openldap 2.5|2.6\n"
	"                    read the configuration as this release of OpenLDAP does\n"
	"                    [the release of " DEFAULT_SLAPD ", without it 2.6]\n"
	"  --page-cache      write the database through the page cache, where slapd will\n"
	"                    find it, not past it [past it, where the file system can]\n"
	"  --rejects file    write the records that were left out to this LDIF file\n"
	"  --special-urls    the LDIF may name pipes and devices, not only regular files\n"
	"  --stats           print what was loaded and how long it took\n"
	"  --strict          refuse \"version: 1\", \"changetype: add\" and \"control:\" lines,\n"
	"                    as slapadd does\n"
	"  --tmpdir dir      where to spill what does not fit the memory\n"
	"                    [$TMPDIR, /tmp]\n"
	"  --writer pages|append\n"
	"                    who makes the pages of a new database: ditadd on all threads,\n"
	"                    or liblmdb on one [pages, if liblmdb has the known format]\n";
/* clang-format on */

void options_help(void)
{
	print_usage(stdout);
	(void)fputs(help_text, stdout);
}

static int wrong(const char *what, const char *value)
{
	(void)fprintf(stderr, "ditadd: %s \"%s\"\n", what, value);
	print_usage(stderr);
	return -1;
}

static int read_size(const char *text, uint64_t *ret)
{
	static const char suffixes[] = "KMGT";
	unsigned long long number = 0;
	char digits[32];
	size_t len = strlen(text);
	unsigned shift = 0;

	if (len > 0) {
		const char *suffix = strchr(suffixes, text[len - 1] & ~0x20);

		if (suffix != NULL && *suffix != '\0') {
			shift = (unsigned)(suffix - suffixes + 1) * 10;
			len--;
		}
	}
	if (len == 0 || len >= sizeof(digits)) {
		return -1;
	}
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (common_read_number(digits, UINT64_MAX >> shift, &number) < 0) {
		return -1;
	}
	*ret = (uint64_t)number << shift;
	return 0;
}

/* -o name[=value]: "yes" if there is no value. Unknown names of slapd's are ignored. */
static int read_o(struct options *options, const char *text)
{
	const char *value = strchr(text, '=');
	size_t len = value == NULL ? strlen(text) : (size_t)(value - text);
	bool is_yes = value == NULL || strcasecmp(value + 1, "yes") == 0;

	if (!is_yes && strcasecmp(value + 1, "no") != 0 &&
	    (strncasecmp(text, "schema-check", len) == 0 ||
	     strncasecmp(text, "value-check", len) == 0)) {
		return wrong("unable to handle option -o", text);
	}
	if (len == 12 && strncasecmp(text, "schema-check", len) == 0) {
		options->load.no_schema_check = !is_yes;
	} else if (len == 11 && strncasecmp(text, "value-check", len) == 0) {
		options->load.check_values = is_yes;
	} else if ((len == 4 && strncasecmp(text, "slp", 3) == 0) ||
	           strncasecmp(text, "syslog", 6) == 0 ||
	           strncasecmp(text, "ldif-", 5) == 0) {
		return 0;
	} else {
		return wrong("unknown option -o", text);
	}
	return 0;
}

static int read_index_keys(struct options *options, const char *text)
{
	if (strcmp(text, "integer") == 0) {
		options->load.byte_keys = false;
	} else if (strcmp(text, "bytes") == 0) {
		options->load.byte_keys = true;
	} else {
		return wrong("--index-keys takes integer or bytes, not", text);
	}
	return 0;
}

static int read_writer(struct options *options, const char *text)
{
	if (strcmp(text, "pages") == 0) {
		options->load.writer = DIT_LOAD_WRITER_PAGES;
	} else if (strcmp(text, "append") == 0) {
		options->load.writer = DIT_LOAD_WRITER_APPEND;
	} else {
		return wrong("--writer takes pages or append, not", text);
	}
	return 0;
}

static bool is_level_name(const char *name, size_t len)
{
	static const char *const names[] = {
		"any", "trace", "packets", "args",  "conns", "BER",  "filter", "config",
		"ACL", "stats", "stats2",  "shell", "parse", "sync", "none"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == len && strncasecmp(names[i], name, len) == 0) {
			return true;
		}
	}
	return false;
}

/* A number, or names separated by commas, as slapd knows them. */
static bool is_level(const char *text)
{
	char *end = NULL;
	const char *name = text;

	(void)strtol(text, &end, 0);
	if (end != text && *end == '\0') {
		return true;
	}
	for (;;) {
		size_t len = strcspn(name, ",");

		if (len > 0 && !is_level_name(name, len)) {
			return false;
		}
		if (name[len] == '\0') {
			return true;
		}
		name += len + 1;
	}
}

static int read_debug(struct options *options, const char *text)
{
	char *end = NULL;

	options->has_debug = true;
	if (!is_level(text)) {
		/*
		 * slapd looks at names twice, the second time after its schema is there.
		 */
		bool is_number = (*text >= '0' && *text <= '9') || *text == '-';

		if (!is_number) {
			(void)fprintf(stderr,
			              "unrecognized log level \"%s\" (deferred)\n", text);
		}
		(void)fprintf(stderr, "unrecognized log level \"%s\"\n", text);
		if (is_number) {
			print_usage(stderr);
		}
		return -1;
	}
	options->is_silent = strtol(text, &end, 0) == 0 && end != text;
	return 0;
}

static int read_numbers(struct options *options, int option, const char *text)
{
	unsigned long long n = 0;

	switch (option) {
	case 'j':
		if (common_read_number(text, UINT64_MAX, &n) < 0) {
			return wrong("-j takes a line number, not", text);
		}
		options->load.first_line = n;
		return 0;
	case 'n':
		if (common_read_number(text, INT_MAX, &n) < 0) {
			return wrong("-n takes a database number, not", text);
		}
		options->load.database = (int)n;
		return 0;
	case 'S':
		if (common_read_number(text, 4095, &n) < 0) {
			return wrong("-S takes a server ID from 0 to 4095, not", text);
		}
		options->load.sid = (unsigned)n;
		return 0;
	case 'T':
		if (common_read_number(text, 1024, &n) < 0 || n == 0) {
			return wrong("-T takes a number from 1 to 1024, not", text);
		}
		options->load.threads = (unsigned)n;
		return 0;
	case OPT_BATCH:
		if (common_read_number(text, 1 << 20, &n) < 0 || n == 0) {
			return wrong("--batch takes a number from 1 to 1048576, not",
			             text);
		}
		options->load.batch_records = n;
		return 0;
	case OPT_MAX_REJECTS:
		if (common_read_number(text, UINT64_MAX, &n) < 0) {
			return wrong("--max-rejects takes a number, not", text);
		}
		options->load.keep_going = true;
		options->load.max_rejects = n;
		return 0;
	case OPT_MEMORY:
		if (read_size(text, &options->load.memory_bytes) < 0) {
			return wrong("--memory takes a size such as 512M, not", text);
		}
		if (options->load.memory_bytes < DIT_LOAD_MEMORY_MIN) {
			return wrong("--memory takes at least 8M, not", text);
		}
		return 0;
	}
	return -1;
}

static int read_option(struct options *options, int option, const char *text)
{
	switch (option) {
	case 'b':
		options->load.suffix = text;
		return 0;
	case 'c':
		options->load.keep_going = true;
		return 0;
	case 'd':
		return read_debug(options, text);
	case 'f':
		options->load.conf = text;
		return 0;
	case 'F':
		options->load.conf_dir = text;
		return 0;
	case 'g':
		options->load.no_glue = true;
		return 0;
	case 'l':
		options->load.input = text;
		return 0;
	case 'o':
		return read_o(options, text);
	case 'q':
		options->load.is_quick = true;
		return 0;
	case 's':
		options->load.no_schema_check = true;
		return 0;
	case 'u':
		options->load.is_dry_run = true;
		return 0;
	case 'v':
		options->load.is_verbose = true;
		return 0;
	case 'V':
		options->want_version = true;
		return 0;
	case 'w':
		options->load.write_context_csn = true;
		return 0;
	case OPT_GROW:
		options->load.may_grow = true;
		return 0;
	case OPT_HELP:
		options->want_help = true;
		return 0;
	case OPT_INDEX_KEYS:
		return read_index_keys(options, text);
	case OPT_OPENLDAP:
		return dit_openldap_parse(text, &options->load.openldap) < 0
		               ? wrong("--openldap takes 2.5 or 2.6, not", text)
		               : 0;
	case OPT_WRITER:
		return read_writer(options, text);
	case OPT_REJECTS:
		options->rejects = text;
		return 0;
	case OPT_NO_URLS:
		options->load.no_urls = true;
		return 0;
	case OPT_SPECIAL_URLS:
		options->load.special_urls = true;
		return 0;
	case OPT_PAGE_CACHE:
		options->load.use_page_cache = true;
		return 0;
	case OPT_STATS:
		options->want_stats = true;
		return 0;
	case OPT_STRICT:
		options->load.is_strict = true;
		return 0;
	case OPT_TMPDIR:
		options->load.tmpdir = text;
		return 0;
	case '?':
		print_usage(stderr);
		return -1;
	default:
		return read_numbers(options, option, text);
	}
}

int options_read(struct options *options, int argc, char *argv[])
{
	int option = 0;

	*options = (struct options){.load = DIT_LOAD_OPTS_INIT};
	while ((option = getopt_long(argc, argv, "b:cd:f:F:gj:l:n:o:qsS:T:uvVw",
	                             long_options, NULL)) != -1) {
		if (read_option(options, option, optarg) < 0) {
			return -1;
		}
		if (options->want_help || options->want_version) {
			return 0;
		}
	}
	if (optind < argc) {
		return wrong("unexpected argument", argv[optind]);
	}
	if (options->load.suffix != NULL && options->load.database >= 0) {
		(void)fputs("ditadd: -b and -n exclude each other\n", stderr);
		print_usage(stderr);
		return -1;
	}
	/* With a slapd.conf slapadd has words for it, see dit_settings_choose(). */
	if (options->load.database == 0 && options->load.conf == NULL) {
		(void)fputs("ditadd: the config database (-n 0) can be loaded by slapadd "
		            "only\n",
		            stderr);
		return -1;
	}
	return 0;
}
