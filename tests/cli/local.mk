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
	servers/cli/arguments.c servers/cli/common_options.c \
	servers/cli/config_database.c servers/cli/figures.c servers/cli/forecast.c \
	servers/cli/meter.c servers/cli/progress_text.c servers/cli/shell_word.c \
	servers/cli/user.c
%C%_test_config_database_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli
%C%_test_config_database_LDADD = $(test_libs)
long_scripts += \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/report-browser.sh \
	$(NULL)
EXTRA_DIST += %D%/report-browser.sh

common_tests = \
	%D%/test_advice \
	%D%/test_figures \
	%D%/test_report \
	%D%/test_result_file \
	%D%/test_run_record \
	%D%/test_samples \
	%D%/test_summary \
	%D%/test_thread_times \
	$(NULL)
check_PROGRAMS += $(common_tests)
common_test_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/servers/cli $(jansson_CFLAGS)
common_test_libs = $(runstats_libs) $(test_libs)
%C%_test_result_file_SOURCES = %D%/test_result_file.c
%C%_test_result_file_CPPFLAGS = $(common_test_cppflags)
%C%_test_result_file_LDADD = $(common_test_libs)
%C%_test_run_record_SOURCES = %D%/test_run_record.c
%C%_test_run_record_CPPFLAGS = $(common_test_cppflags)
%C%_test_run_record_LDADD = $(common_test_libs)
%C%_test_samples_SOURCES = %D%/test_samples.c
%C%_test_samples_CPPFLAGS = $(common_test_cppflags)
%C%_test_samples_LDADD = $(common_test_libs)
%C%_test_thread_times_SOURCES = %D%/test_thread_times.c
%C%_test_thread_times_CPPFLAGS = $(common_test_cppflags)
%C%_test_thread_times_LDADD = $(common_test_libs)
%C%_test_figures_SOURCES = %D%/test_figures.c
%C%_test_figures_CPPFLAGS = $(common_test_cppflags)
%C%_test_figures_LDADD = $(common_test_libs)
%C%_test_summary_SOURCES = %D%/test_summary.c
%C%_test_summary_CPPFLAGS = $(common_test_cppflags)
%C%_test_summary_LDADD = $(common_test_libs)
common_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli -I$(top_srcdir)/servers/ditadd

check_PROGRAMS += %D%/test_estimate_text
%C%_test_estimate_text_SOURCES = \
	servers/cli/arguments.c \
	servers/cli/estimate_text.c \
	servers/cli/forecast.c \
	servers/cli/meter.c \
	servers/cli/page_cache.c \
	servers/cli/progress_text.c \
	%D%/test_estimate_text.c \
	$(NULL)
%C%_test_estimate_text_CPPFLAGS = $(common_cppflags) $(jansson_CFLAGS)
%C%_test_estimate_text_LDADD = $(runstats_libs) $(test_libs)

check_PROGRAMS += %D%/test_forecast
%C%_test_forecast_SOURCES = \
	servers/cli/forecast.c \
	servers/cli/phases.c \
	%D%/test_forecast.c \
	$(NULL)
%C%_test_forecast_CPPFLAGS = $(common_cppflags)
%C%_test_forecast_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_progress_text
%C%_test_progress_text_SOURCES = servers/cli/progress_text.c %D%/test_progress_text.c
%C%_test_progress_text_CPPFLAGS = $(common_cppflags)
%C%_test_progress_text_LDADD = $(common_test_libs)
%C%_test_report_SOURCES = %D%/test_report.c
%C%_test_report_CPPFLAGS = $(common_test_cppflags)
%C%_test_report_LDADD = $(common_test_libs)
%C%_test_advice_SOURCES = %D%/test_advice.c
%C%_test_advice_CPPFLAGS = $(common_test_cppflags)
%C%_test_advice_LDADD = $(common_test_libs)

check_PROGRAMS += %D%/test_filter_log
%C%_test_filter_log_SOURCES = \
	servers/ditcheck/filter_log.c \
	%D%/test_filter_log.c \
	$(NULL)
%C%_test_filter_log_CPPFLAGS = $(common_cppflags) -I$(top_srcdir)/servers/ditcheck \
	$(jansson_CFLAGS)
%C%_test_filter_log_LDADD = $(common_test_libs) $(zlib_LIBS)
