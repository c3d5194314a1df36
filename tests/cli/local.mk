# tests/cli/local.mk
script_tests += \
	%D%/advice.sh \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/messages.sh \
	%D%/progress.sh \
	%D%/run.sh \
	%D%/statistics.sh \
	%D%/user.sh \
	$(NULL)
EXTRA_DIST += %D%/json_flat.awk %D%/figures_lib.sh %D%/orphan_site.sh
EXTRA_DIST += %D%/ditadd %D%/ditcat %D%/ditcheck %D%/ditindex

noinst_PROGRAMS += %D%/hostile
%C%_hostile_SOURCES = %D%/hostile.c

# For LD_PRELOAD, made for hostile.sh alone.
check_DATA += %D%/unprotected.so
CLEANFILES += %D%/unprotected.so
EXTRA_DIST += %D%/unprotected.c
%D%/unprotected.so: %D%/unprotected.c
	@$(MKDIR_P) %D%
	$(AM_V_CC)$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -O1 -g -fPIC -shared -o $@ \
		$(srcdir)/%D%/unprotected.c

check_PROGRAMS += %D%/test_config_database
%C%_test_config_database_SOURCES = %D%/test_config_database.c \
	servers/common/arguments.c servers/common/common_options.c \
	servers/common/config_database.c servers/common/figures.c servers/common/forecast.c \
	servers/common/meter.c servers/common/progress_text.c servers/common/shell_word.c \
	servers/common/user.c
%C%_test_config_database_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/common
%C%_test_config_database_LDADD = $(test_libs)
long_scripts += \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/report-browser.sh \
	$(NULL)
EXTRA_DIST += %D%/report-browser.sh
