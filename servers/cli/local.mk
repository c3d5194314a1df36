# servers/cli/local.mk
# Shared by the programs. It sees the installed headers.
noinst_LIBRARIES += %D%/libcli.a
%C%_libcli_a_SOURCES = \
	%D%/arguments.c \
	%D%/arguments.h \
	%D%/common_options.c \
	%D%/common_options.h \
	%D%/config_database.c \
	%D%/config_database.h \
	%D%/estimate_text.c \
	%D%/estimate_text.h \
	%D%/figures.c \
	%D%/figures.h \
	%D%/forecast.c \
	%D%/forecast.h \
	%D%/inputs.c \
	%D%/inputs.h \
	%D%/interrupts.c \
	%D%/interrupts.h \
	%D%/meter.c \
	%D%/meter.h \
	%D%/option_table.c \
	%D%/option_table.h \
	%D%/part_names.c \
	%D%/part_names.h \
	%D%/patterns.c \
	%D%/patterns.h \
	%D%/progress_text.c \
	%D%/progress_text.h \
	%D%/report.c \
	%D%/report.h \
	%D%/report_style.c \
	%D%/report_style.h \
	%D%/run_facts.c \
	%D%/run_facts.h \
	%D%/run_output.c \
	%D%/run_output.h \
	%D%/run_record.c \
	%D%/run_record.h \
	%D%/summary.c \
	%D%/summary.h \
	%D%/user.c \
	%D%/user.h \
	$(NULL)
# Programs see the installed headers, their own folder and servers/cli.
cli_cppflags = -D_GNU_SOURCE -I$(top_builddir)/include -I$(top_srcdir)/servers/cli $(libs_CFLAGS)
%C%_libcli_a_CPPFLAGS = $(cli_cppflags)
cli_libs = %D%/libcli.a libditkit.a $(libs)
EXTRA_DIST += %D%/README.md
