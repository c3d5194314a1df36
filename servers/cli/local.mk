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
	%D%/html_report.c \
	%D%/inputs.c \
	%D%/inputs.h \
	%D%/meter.c \
	%D%/meter.h \
	%D%/patterns.c \
	%D%/patterns.h \
	%D%/process.c \
	%D%/process.h \
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
	$(NULL)
# Programs see the installed headers, their own folder and servers/cli.
cli_cppflags = -D_GNU_SOURCE -I$(top_builddir)/include -I$(top_srcdir)/servers/cli $(libs_CFLAGS)
%C%_libcli_a_CPPFLAGS = $(cli_cppflags)
cli_libs = %D%/libcli.a libditkit.a $(libs)
EXTRA_DIST += %D%/README.md

# The options are a table; what the programs show are texts. configure makes the header as well,
# since objects of all programs are compiled at the same time.
cli_texts = \
	%D%/estimate.txt \
	%D%/report_page.css \
	%D%/report_page.html \
	%D%/summary.txt \
	servers/ditcheck/check_end.txt \
	servers/ditcheck/check_file.txt \
	servers/ditdiff/diff_summary.txt \
	$(NULL)
nodist_%C%_libcli_a_SOURCES = \
	include/option_ids.h \
	%D%/option_rows.c \
	%D%/texts.c \
	$(NULL)
CLEANFILES += include/option_ids.h %D%/option_rows.c %D%/texts.c
EXTRA_DIST += \
	%D%/gen_options.awk \
	%D%/gen_text.awk \
	%D%/option_rows.tsv \
	$(cli_texts) \
	$(NULL)

%D%/texts.c: %D%/gen_text.awk $(cli_texts)
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(AWK) -f %D%/gen_text.awk $(cli_texts)) \
		>$@.new && mv $@.new $@

include/option_ids.h: %D%/gen_options.awk %D%/option_rows.tsv
	$(AM_V_GEN)$(MKDIR_P) include && $(AWK) -v part=ids \
		-f $(srcdir)/%D%/gen_options.awk $(srcdir)/%D%/option_rows.tsv >$@.new && mv $@.new $@

%D%/option_rows.c: %D%/gen_options.awk %D%/option_rows.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v part=rows \
		-f $(srcdir)/%D%/gen_options.awk $(srcdir)/%D%/option_rows.tsv >$@.new && mv $@.new $@
