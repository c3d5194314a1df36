# tests/cli/local.mk
script_tests += \
	%D%/advice.sh \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/messages.sh \
	%D%/progress.sh \
	%D%/run.sh \
	%D%/sealed.sh \
	%D%/statistics.sh \
	%D%/user.sh \
	$(NULL)
EXTRA_DIST += %D%/json_flat.awk %D%/figures_lib.sh %D%/orphan_site.sh
EXTRA_DIST += %D%/ditadd %D%/ditcat %D%/ditcheck %D%/ditindex %D%/ditsplit

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

long_scripts += \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/report-browser.sh \
	$(NULL)
EXTRA_DIST += %D%/report-browser.sh

# Unit tests of servers/cli, and of files of ditcheck's.
check_PROGRAMS += \
	%D%/test_advice \
	%D%/test_config_database \
	%D%/test_estimate_text \
	%D%/test_figures \
	%D%/test_filter_log \
	%D%/test_forecast \
	%D%/test_option_table \
	%D%/test_patterns \
	%D%/test_progress_text \
	%D%/test_report \
	%D%/test_result_file \
	%D%/test_run_record \
	%D%/test_samples \
	%D%/test_summary \
	%D%/test_thread_times \
	$(NULL)
cli_test_cppflags = $(AM_CPPFLAGS) $(cli_cppflags)
cli_test_libs = $(cli_libs) $(test_libs)
%C%_test_advice_SOURCES = servers/ditcheck/advice.c servers/ditcheck/advice_text.c \
	%D%/test_advice.c
%C%_test_advice_CPPFLAGS = $(cli_test_cppflags) -I$(top_srcdir)/servers/ditcheck
%C%_test_advice_LDADD = $(cli_test_libs)
%C%_test_config_database_SOURCES = %D%/test_config_database.c
%C%_test_config_database_CPPFLAGS = $(cli_test_cppflags)
%C%_test_config_database_LDADD = $(cli_test_libs)
%C%_test_estimate_text_SOURCES = %D%/test_estimate_text.c
%C%_test_estimate_text_CPPFLAGS = $(cli_test_cppflags)
%C%_test_estimate_text_LDADD = $(cli_test_libs)
%C%_test_figures_SOURCES = %D%/test_figures.c
%C%_test_figures_CPPFLAGS = $(cli_test_cppflags)
%C%_test_figures_LDADD = $(cli_test_libs)
%C%_test_filter_log_SOURCES = servers/ditcheck/filter_log.c %D%/test_filter_log.c
%C%_test_filter_log_CPPFLAGS = $(cli_test_cppflags) -I$(top_srcdir)/servers/ditcheck
%C%_test_filter_log_LDADD = $(cli_test_libs) $(zlib_LIBS)
%C%_test_forecast_SOURCES = %D%/test_forecast.c
%C%_test_forecast_CPPFLAGS = $(cli_test_cppflags)
%C%_test_forecast_LDADD = $(cli_test_libs)
%C%_test_option_table_SOURCES = %D%/test_option_table.c
%C%_test_option_table_CPPFLAGS = $(cli_test_cppflags)
%C%_test_option_table_LDADD = $(cli_test_libs)
%C%_test_patterns_SOURCES = %D%/test_patterns.c
%C%_test_patterns_CPPFLAGS = $(cli_test_cppflags)
%C%_test_patterns_LDADD = $(cli_test_libs)
%C%_test_progress_text_SOURCES = %D%/test_progress_text.c
%C%_test_progress_text_CPPFLAGS = $(cli_test_cppflags)
%C%_test_progress_text_LDADD = $(cli_test_libs)
%C%_test_report_SOURCES = %D%/test_report.c
%C%_test_report_CPPFLAGS = $(cli_test_cppflags)
%C%_test_report_LDADD = $(cli_test_libs)
%C%_test_result_file_SOURCES = %D%/test_result_file.c
%C%_test_result_file_CPPFLAGS = $(cli_test_cppflags)
%C%_test_result_file_LDADD = $(cli_test_libs)
%C%_test_run_record_SOURCES = %D%/test_run_record.c
%C%_test_run_record_CPPFLAGS = $(cli_test_cppflags)
%C%_test_run_record_LDADD = $(cli_test_libs)
%C%_test_samples_SOURCES = %D%/test_samples.c
%C%_test_samples_CPPFLAGS = $(cli_test_cppflags)
%C%_test_samples_LDADD = $(cli_test_libs)
%C%_test_summary_SOURCES = %D%/test_summary.c
%C%_test_summary_CPPFLAGS = $(cli_test_cppflags)
%C%_test_summary_LDADD = $(cli_test_libs)
%C%_test_thread_times_SOURCES = %D%/test_thread_times.c
%C%_test_thread_times_CPPFLAGS = $(cli_test_cppflags)
%C%_test_thread_times_LDADD = $(cli_test_libs)
