# libraries/ldap/entry/local.mk
libditkit_a_SOURCES += \
	%D%/class_sets.c \
	%D%/entry.c \
	%D%/entry.h \
	%D%/entry_check.c \
	%D%/entry_check_class.c \
	%D%/entry_check_names.c \
	%D%/entry_check_values.c \
	%D%/entry_complete.c \
	%D%/entry_read.c \
	%D%/entry_runs.c \
	%D%/entry_work.h \
	%D%/value_sort.c \
	%D%/why.c \
	%D%/why.h \
	$(NULL)
EXTRA_DIST += %D%/README.md

# The kinds and texts of refusals are made of one table. configure makes the first header, since
# objects of all rooms are compiled at the same time.
nodist_libditkit_a_SOURCES += \
	%D%/refusal_kinds.h \
	%D%/refusal_table.c \
	$(NULL)
CLEANFILES += %D%/refusal_kinds.h %D%/refusal_table.c
EXTRA_DIST += \
	%D%/gen_refusals.awk \
	%D%/refusals.tsv \
	$(NULL)

%D%/refusal_kinds.h: %D%/gen_refusals.awk %D%/refusals.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -v part=kinds -f $(srcdir)/%D%/gen_refusals.awk \
		$(srcdir)/%D%/refusals.tsv >$@.new && mv $@.new $@

%D%/refusal_table.c: %D%/gen_refusals.awk %D%/refusals.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -v part=table -f $(srcdir)/%D%/gen_refusals.awk \
		$(srcdir)/%D%/refusals.tsv >$@.new && mv $@.new $@
