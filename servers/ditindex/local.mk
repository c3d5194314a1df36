# servers/ditindex/local.mk
sbin_PROGRAMS += ditindex
ditindex_SOURCES = \
	servers/cli/arguments.c \
	servers/cli/arguments.h \
	servers/cli/common_options.c \
	servers/cli/common_options.h \
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
	%D%/index_json.c \
	%D%/index_json.h \
	%D%/index_main.c \
	%D%/index_options.c \
	%D%/index_options.h \
	%D%/index_stats.c \
	%D%/index_stats.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/cli.
ditindex_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli $(jansson_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditindex_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditindex_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
