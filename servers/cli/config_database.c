/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_database.h"

#include <argz.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "arguments.h"
#include "default_paths.h"

/* The arguments of the tool. */
struct arguments {
	const struct common_options *options;
	const struct config_tool *tool;
	char *text; /* argz(3); owned */
	size_t len;
	unsigned nfiles; /* how often a file was given */
};

/* @param text  NULL: nothing. @return 0; -1 after a message */
static int add(struct arguments *args, const char *text)
{
	return text == NULL || argz_add(&args->text, &args->len, text) == 0
	               ? 0
	               : common_say(-1, "out of memory");
}

bool config_database_is_meant(const struct common_options *options)
{
	return options->database == 0 ||
	       (options->suffix != NULL && strcasecmp(options->suffix, "cn=config") == 0);
}

static int refuse(const struct arguments *args, const char *why, const char *what)
{
	return common_say(-1, "%s %s the config database%s%s", args->tool->name,
	                  args->tool->does, why, what);
}

/* A common_own_option_fn. @return 0; -1 after a message: the tool has no such option */
static int take_option(void *ctx, int option, const char *value)
{
	struct arguments *args = ctx;
	const char letter[] = {'-', (char)option, '\0'};

	if (option == 'T') {
		return 0;
	}
	if (option >= OPT_LONG) {
		return refuse(args, ", and has no --", option_find(option)->name);
	}
	if (strchr(args->tool->letters, option) == NULL) {
		return refuse(args, ", and has no ", letter);
	}
	if (option == 'l' && args->nfiles++ > 0) {
		return refuse(args, ", and takes one -l", "");
	}
	return add(args, letter) < 0 ? -1 : add(args, value);
}

/* The command line once more; a file without -l gets one. */
static int take_arguments(struct arguments *args, int argc, char *argv[])
{
	struct common_options again = {.argc = 0};
	int r = 0;

	optind = 0;
	r = common_read_options(&again, argc, argv, take_option, args) < 0 ? -1 : 0;
	while (r == 0 && optind < argc) {
		r = take_option(args, 'l', argv[optind++]);
	}
	return r;
}

/* The tool would tell it under its own name. @return 0; -1 after a message */
static int check_tree(const struct common_options *options)
{
	const char *dir =
		options->conf_dir != NULL ? options->conf_dir : DIT_DEFAULT_CONF_DIR;
	char *root = NULL;
	int r = 0;

	if (options->conf == NULL && asprintf(&root, "%s/cn=config.ldif", dir) >= 0 &&
	    access(root, F_OK) != 0 && errno == ENOENT) {
		r = common_say(-1,
		               "%s: there is no configuration tree in it, which the "
		               "config database is: see -F",
		               dir);
	} else if (options->conf != NULL && options->conf_dir == NULL) {
		(void)common_say(0, "could not open database.");
		r = common_say(-1,
		               "%s is no configuration tree, which the config database "
		               "is: see -F",
		               options->conf);
	}
	free(root);
	return r;
}

int config_database_hand_over(const struct common_options *options,
                              const struct config_tool *tool, const char *slapd, int argc,
                              char *argv[])
{
	struct arguments args = {.options = options, .tool = tool};
	char **items = NULL;
	int r = tool->needs_tree ? check_tree(options) : 0;

	r = r ?: add(&args, tool->name);
	r = r ?: take_arguments(&args, argc, argv);
	if (r == 0) {
		items = calloc(argz_count(args.text, args.len) + 1, sizeof(*items));
		if (items == NULL) {
			(void)common_say(-1, "out of memory");
		}
	}
	if (items != NULL) {
		argz_extract(args.text, args.len, items);
		(void)execv(slapd, items);
		(void)common_say(-1, "%s %s the config database; %s: %s", tool->name,
		                 tool->does, slapd, strerror(errno));
	}
	free(items);
	free(args.text);
	return -1;
}
