# servers/ditcat/local.mk
sbin_PROGRAMS += ditcat
ditcat_SOURCES = \
	servers/common/arguments.c \
	servers/common/arguments.h \
	servers/common/common_options.c \
	servers/common/common_options.h \
	servers/common/config_database.c \
	servers/common/config_database.h \
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
	%D%/cat_main.c \
	%D%/cat_options.c \
	%D%/cat_options.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/common.
ditcat_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/common \
	-DDEFAULT_CONF='"$(default_conf)"' \
	-DDEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDEFAULT_SLAPD='"$(slapd)"'
ditcat_LDADD = $(runstats_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditcat_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
