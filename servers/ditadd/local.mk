# servers/ditadd/local.mk
sbin_PROGRAMS += ditadd
ditadd_SOURCES = \
	servers/cli/arguments.c \
	servers/cli/arguments.h \
	servers/cli/common_options.c \
	servers/cli/common_options.h \
	servers/cli/config_database.c \
	servers/cli/config_database.h \
	servers/cli/estimate_text.c \
	servers/cli/estimate_text.h \
	servers/cli/forecast.c \
	servers/cli/forecast.h \
	servers/cli/interrupts.c \
	servers/cli/interrupts.h \
	servers/cli/meter.c \
	servers/cli/meter.h \
	servers/cli/page_cache.c \
	servers/cli/page_cache.h \
	servers/cli/phases.c \
	servers/cli/phases.h \
	servers/cli/progress_text.c \
	servers/cli/progress_text.h \
	servers/cli/user.c \
	servers/cli/user.h \
	%D%/inputs.c \
	%D%/inputs.h \
	%D%/load_json.c \
	%D%/load_json.h \
	%D%/main.c \
	%D%/options.c \
	%D%/options.h \
	%D%/rejects.c \
	%D%/rejects.h \
	%D%/stats.c \
	%D%/stats.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/cli.
ditadd_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli $(jansson_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditadd_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditadd_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
