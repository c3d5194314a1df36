# servers/cli/local.mk
# What the statistics of all programs are made with. It sees the installed headers.
noinst_LTLIBRARIES += %D%/librunstats.la
%C%_librunstats_la_SOURCES = \
	%D%/advice.c \
	%D%/advice.h \
	%D%/advice_text.c \
	%D%/figures.c \
	%D%/figures.h \
	%D%/html.c \
	%D%/html.h \
	%D%/json_text.c \
	%D%/json_text.h \
	%D%/report.c \
	%D%/report.h \
	%D%/report_charts.c \
	%D%/report_charts.h \
	%D%/report_check.c \
	%D%/report_check.h \
	%D%/report_lists.c \
	%D%/report_lists.h \
	%D%/report_parts.c \
	%D%/report_parts.h \
	%D%/report_style.c \
	%D%/report_style.h \
	%D%/result_file.c \
	%D%/result_file.h \
	%D%/run_facts.c \
	%D%/run_facts.h \
	%D%/run_output.c \
	%D%/run_output.h \
	%D%/run_record.c \
	%D%/run_record.h \
	%D%/samples.c \
	%D%/samples.h \
	%D%/shell_word.c \
	%D%/shell_word.h \
	%D%/summary.c \
	%D%/summary.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/thread_times.c \
	%D%/thread_times.h \
	$(NULL)
%C%_librunstats_la_CPPFLAGS = -D_GNU_SOURCE -I$(top_builddir)/include \
	-I$(top_srcdir)/servers/cli $(jansson_CFLAGS)
runstats_libs = %D%/librunstats.la $(jansson_LIBS) -lm
EXTRA_DIST += %D%/README.md
