# tests/cli/local.mk
script_tests += \
	%D%/advice.sh \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/messages.sh \
	%D%/progress.sh \
	%D%/run.sh \
	%D%/schemas.sh \
	%D%/sealed.sh \
	%D%/statistics.sh \
	%D%/user.sh \
	$(NULL)
EXTRA_DIST += %D%/json_flat.awk %D%/figures_lib.sh %D%/orphan_site.sh %D%/schemas.py
EXTRA_DIST += %D%/ditadd %D%/ditcat %D%/ditcheck %D%/ditdiff %D%/ditindex %D%/ditmodify %D%/ditsplit

test_tools += %D%/hostile
%C%_hostile_LDADD =

# For LD_PRELOAD, made for hostile.sh alone.
check_DATA += %D%/unprotected.so
CLEANFILES += %D%/unprotected.so
EXTRA_DIST += %D%/unprotected.c

long_scripts += \
	%D%/estimate.sh \
	%D%/hostile.sh \
	%D%/report-browser.sh \
	%D%/sealed.sh \
	$(NULL)
EXTRA_DIST += %D%/report-browser.sh

# Unit tests of servers/cli, and of files of ditcheck's.
check_PROGRAMS += \
	%D%/test_advice \
	%D%/test_check_output \
	%D%/test_config_database \
	%D%/test_estimate_text \
	%D%/test_figures \
	%D%/test_filter_log \
	%D%/test_meter \
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
%C%_test_advice_SOURCES = servers/ditcheck/advice.c %D%/test_advice.c
nodist_%C%_test_advice_SOURCES = servers/ditcheck/advice_rules.c
%C%_test_check_output_SOURCES = \
	servers/ditcheck/advice.c \
	servers/ditcheck/check_output.c \
	servers/ditcheck/filter_log.c \
	%D%/test_check_output.c
nodist_%C%_test_check_output_SOURCES = servers/ditcheck/advice_rules.c
%C%_test_filter_log_SOURCES = servers/ditcheck/filter_log.c %D%/test_filter_log.c
%D%/%.o servers/ditcheck/%.o: AM_CPPFLAGS += -I$(top_srcdir)/servers/cli \
	-I$(top_srcdir)/servers/ditcheck
thread_tests += \
	%D%/test_thread_times \
	$(NULL)
