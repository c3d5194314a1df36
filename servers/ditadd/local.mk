# servers/ditadd/local.mk
sbin_PROGRAMS += ditadd
ditadd_SOURCES = \
	servers/common/arguments.c \
	servers/common/arguments.h \
	servers/common/common_options.c \
	servers/common/common_options.h \
	servers/common/config_database.c \
	servers/common/config_database.h \
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
# Programs see the installed headers, their own folder and servers/common.
ditadd_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/common $(jansson_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditadd_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditadd_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
