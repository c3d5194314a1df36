/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The arguments of the tool. The texts after letters are those of our own arguments. */
struct arguments {
	char **items;       /* owned; what it points to is not */
	char (*letters)[3]; /* "-f"; owned */
	size_t nitems;
	size_t nletters;
	unsigned nfiles; /* how often -l was given */
};

static int arguments_init(struct arguments *args, int argc, char *argv[])
{
	/* An argument "-qcv" holds one option for each of its bytes. */
	size_t most = 2;

	for (int i = 0; i < argc; i++) {
		most += 1 + strlen(argv[i]);
	}
	*args = (struct arguments){
		.items = calloc(most, sizeof(*args->items)),
		.letters = calloc(most, sizeof(*args->letters)),
	};
	return args->items == NULL || args->letters == NULL ? -1 : 0;
}

static void arguments_deinit(struct arguments *args)
{
	free((void *)args->items);
	free((void *)args->letters);
}

static void add_letter(struct arguments *args, int letter)
{
	char *text = args->letters[args->nletters++];

	text[0] = '-';
	text[1] = (char)letter;
	args->items[args->nitems++] = text;
	if (optarg != NULL) {
		args->items[args->nitems++] = optarg;
	}
}

bool config_database_is_meant(const struct common_options *options)
{
	return options->database == 0 ||
	       (options->suffix != NULL && strcasecmp(options->suffix, "cn=config") == 0);
}

static int refuse(const struct common_options *options, const struct config_tool *tool,
                  const char *why, const char *what)
{
	(void)fprintf(stderr, "%s: %s %s the config database%s%s\n", options->program,
	              tool->name, tool->does, why, what);
	return -1;
}

/* @return 0; -1 after a message: the tool has no such option */
static int take_letter(struct arguments *args, const struct common_options *options,
                       const struct config_tool *tool, int letter)
{
	char text[] = {(char)letter, '\0'};

	if (letter == 'T') {
		return 0;
	}
	if (strchr(tool->letters, letter) == NULL) {
		return refuse(options, tool, ", and has no -", text);
	}
	if (letter == 'l' && args->nfiles++ > 0) {
		return refuse(options, tool, ", and takes one -l", "");
	}
	add_letter(args, letter);
	return 0;
}

static int take_arguments(struct arguments *args, const struct common_options *options,
                          const struct config_tool *tool, int argc, char *argv[])
{
	struct common_getopt known = common_getopt_of(options->program);

	optind = 0; /* from the beginning once more */
	for (;;) {
		int at = -1;
		int option =
			getopt_long(argc, argv, known.letters, known.long_options, &at);
		int r = 0;

		if (option == -1 && optind == argc) {
			return 0;
		}
		if (option == -1) { /* a file without -l */
			option = 'l';
			optarg = argv[optind++];
		}
		if (at >= 0) {
			r = refuse(options, tool, ", and has no --",
			           known.long_options[at].name);
		} else {
			r = take_letter(args, options, tool, option);
		}
		if (r < 0) {
			return r;
		}
	}
}

int config_database_hand_over(const struct common_options *options,
                              const struct config_tool *tool, const char *slapd, int argc,
                              char *argv[])
{
	struct arguments args;
	char *name = strdup(tool->name);
	int r = -1;

	if (arguments_init(&args, argc, argv) < 0 || name == NULL) {
		(void)fprintf(stderr, "%s: out of memory\n", options->program);
		goto out;
	}
	args.items[args.nitems++] = name;
	r = take_arguments(&args, options, tool, argc, argv);
	if (r == 0) {
		(void)execv(slapd, args.items);
		(void)fprintf(stderr, "%s: %s %s the config database; %s: %s\n",
		              options->program, tool->name, tool->does, slapd,
		              strerror(errno));
		r = -1;
	}
out:
	free(name);
	arguments_deinit(&args);
	return r;
}
