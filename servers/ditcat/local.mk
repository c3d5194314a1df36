# servers/ditcat/local.mk
sbin_PROGRAMS += ditcat
ditcat_SOURCES = \
	servers/cli/arguments.c \
	servers/cli/arguments.h \
	servers/cli/common_options.c \
	servers/cli/common_options.h \
	servers/cli/config_database.c \
	servers/cli/config_database.h \
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
	%D%/cat_main.c \
	%D%/cat_options.c \
	%D%/cat_options.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/cli.
ditcat_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditcat_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditcat_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
