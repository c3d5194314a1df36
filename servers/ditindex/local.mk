# servers/ditindex/local.mk
sbin_PROGRAMS += ditindex
ditindex_SOURCES = \
	servers/common/arguments.c \
	servers/common/arguments.h \
	servers/common/common_options.c \
	servers/common/common_options.h \
	servers/common/estimate_text.c \
	servers/common/estimate_text.h \
	servers/common/forecast.c \
	servers/common/forecast.h \
	servers/common/interrupts.c \
	servers/common/interrupts.h \
	servers/common/meter.c \
	servers/common/meter.h \
	servers/common/page_cache.c \
	servers/common/page_cache.h \
	servers/common/phases.c \
	servers/common/phases.h \
	servers/common/progress_text.c \
	servers/common/progress_text.h \
	servers/common/user.c \
	servers/common/user.h \
	%D%/index_json.c \
	%D%/index_json.h \
	%D%/index_main.c \
	%D%/index_options.c \
	%D%/index_options.h \
	%D%/index_stats.c \
	%D%/index_stats.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/common.
ditindex_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/common $(jansson_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditindex_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditindex_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
