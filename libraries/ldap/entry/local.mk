# libraries/ldap/entry/local.mk
noinst_LTLIBRARIES += %D%/libentry.la
rooms += %D%/libentry.la
%C%_libentry_la_SOURCES = \
	%D%/class_sets.c \
	%D%/class_sets.h \
	%D%/entry.c \
	%D%/entry.h \
	%D%/entry_check.c \
	%D%/entry_check.h \
	%D%/entry_check_class.c \
	%D%/entry_check_names.c \
	%D%/entry_check_values.c \
	%D%/entry_complete.c \
	%D%/entry_read.c \
	%D%/entry_runs.c \
	%D%/entry_work.h \
	%D%/explain.c \
	%D%/explain.h \
	%D%/sid_set.c \
	%D%/sid_set.h \
	%D%/value_sort.c \
	%D%/value_sort.h \
	%D%/why.c \
	%D%/why.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
