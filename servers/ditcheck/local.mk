# servers/ditcheck/local.mk
sbin_PROGRAMS += ditcheck
ditcheck_SOURCES = \
	%D%/advice.c \
	%D%/advice.h \
	%D%/check_compare.c \
	%D%/check_main.c \
	%D%/check_options.c \
	%D%/check_options.h \
	%D%/check_output.c \
	%D%/check_output.h \
	%D%/filter_log.c \
	%D%/filter_log.h \
	$(NULL)
ditcheck_CPPFLAGS = $(cli_cppflags) -I$(top_srcdir)/%D%
ditcheck_LDADD = $(cli_libs)
ditcheck_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)

# The rules are a table.
nodist_ditcheck_SOURCES = %D%/advice_rules.c
CLEANFILES += %D%/advice_rules.c
EXTRA_DIST += %D%/advice_rules.tsv %D%/gen_advice.awk

%D%/advice_rules.c: %D%/gen_advice.awk %D%/advice_rules.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -f $(srcdir)/%D%/gen_advice.awk \
		$(srcdir)/%D%/advice_rules.tsv >$@.new && mv $@.new $@
