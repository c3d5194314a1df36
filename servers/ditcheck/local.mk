# servers/ditcheck/local.mk
sbin_PROGRAMS += ditcheck
ditcheck_SOURCES = \
	servers/common/arguments.c \
	servers/common/arguments.h \
	servers/common/common_options.c \
	servers/common/common_options.h \
	servers/common/forecast.c \
	servers/common/forecast.h \
	servers/common/interrupts.c \
	servers/common/interrupts.h \
	servers/common/meter.c \
	servers/common/meter.h \
	servers/common/phases.c \
	servers/common/phases.h \
	servers/common/progress_text.c \
	servers/common/progress_text.h \
	servers/common/user.c \
	servers/common/user.h \
	%D%/check_compare.c \
	%D%/check_compare.h \
	%D%/check_config_output.c \
	%D%/check_config_output.h \
	%D%/check_main.c \
	%D%/check_options.c \
	%D%/check_options.h \
	%D%/check_output.c \
	%D%/check_output.h \
	%D%/check_sizes_output.c \
	%D%/check_sizes_output.h \
	%D%/check_status.h \
	%D%/filter_log.c \
	%D%/filter_log.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/common.
ditcheck_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/common $(jansson_CFLAGS) $(zlib_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"'
ditcheck_LDADD = $(runstats_libs) libditkit.la $(zlib_LIBS)
# One static copy of our library: no installed libditkit is needed to run it.
ditcheck_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
