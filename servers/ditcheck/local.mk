# servers/ditcheck/local.mk
sbin_PROGRAMS += ditcheck
ditcheck_SOURCES = \
	servers/cli/arguments.c \
	servers/cli/arguments.h \
	servers/cli/common_options.c \
	servers/cli/common_options.h \
	servers/cli/forecast.c \
	servers/cli/forecast.h \
	servers/cli/interrupts.c \
	servers/cli/interrupts.h \
	servers/cli/meter.c \
	servers/cli/meter.h \
	servers/cli/phases.c \
	servers/cli/phases.h \
	servers/cli/progress_text.c \
	servers/cli/progress_text.h \
	servers/cli/user.c \
	servers/cli/user.h \
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
# Programs see the installed headers, their own folder and servers/cli.
ditcheck_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli $(jansson_CFLAGS) $(zlib_CFLAGS) \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"'
ditcheck_LDADD = $(runstats_libs) libditkit.la $(zlib_LIBS)
# One static copy of our library: no installed libditkit is needed to run it.
ditcheck_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
