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
	%D%/html_report.c \
	%D%/html_report.h \
	%D%/inputs.c \
	%D%/inputs.h \
	%D%/interrupts.c \
	%D%/interrupts.h \
	%D%/meter.c \
	%D%/meter.h \
	%D%/option_table.c \
	%D%/option_table.h \
	%D%/patterns.c \
	%D%/patterns.h \
	%D%/rejects.c \
	%D%/rejects.h \
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

# The options are a table; the summary, the page of --report and its style sheet are texts. configure makes
# the header as well, since objects of all programs are compiled at the same time.
nodist_%C%_libcli_a_SOURCES = \
	include/option_ids.h \
	%D%/option_rows.c \
	%D%/report_page.c \
	%D%/report_page_style.c \
	%D%/summary_text.c \
	$(NULL)
CLEANFILES += include/option_ids.h %D%/option_rows.c
CLEANFILES += %D%/report_page.c %D%/report_page_style.c %D%/summary_text.c
EXTRA_DIST += \
	%D%/gen_options.awk \
	%D%/gen_text.awk \
	%D%/option_rows.tsv \
	%D%/report_page.html \
	%D%/report_page.css \
	%D%/summary.txt \
	$(NULL)

%D%/report_page.c: %D%/gen_text.awk %D%/report_page.html
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v name=report_page -v header=html_report.h \
		-f $(srcdir)/%D%/gen_text.awk $(srcdir)/%D%/report_page.html >$@.new && mv $@.new $@

%D%/report_page_style.c: %D%/gen_text.awk %D%/report_page.css
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v name=report_style -v header=html_report.h \
		-f $(srcdir)/%D%/gen_text.awk $(srcdir)/%D%/report_page.css >$@.new && mv $@.new $@

%D%/summary_text.c: %D%/gen_text.awk %D%/summary.txt
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v name=summary_text -v header=summary.h \
		-f $(srcdir)/%D%/gen_text.awk $(srcdir)/%D%/summary.txt >$@.new && mv $@.new $@

include/option_ids.h: %D%/gen_options.awk %D%/option_rows.tsv
	$(AM_V_GEN)$(MKDIR_P) include && $(AWK) -v part=ids \
		-f $(srcdir)/%D%/gen_options.awk $(srcdir)/%D%/option_rows.tsv >$@.new && mv $@.new $@

%D%/option_rows.c: %D%/gen_options.awk %D%/option_rows.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v part=rows \
		-f $(srcdir)/%D%/gen_options.awk $(srcdir)/%D%/option_rows.tsv >$@.new && mv $@.new $@
