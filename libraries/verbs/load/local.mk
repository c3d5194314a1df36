# libraries/verbs/load/local.mk
libditkit_a_SOURCES += \
	%D%/dn_tree.c \
	%D%/dn_tree.h \
	%D%/dn_tree_write.c \
	%D%/entries.c \
	%D%/entries.h \
	%D%/estimate_load.c \
	%D%/load.h \
	%D%/load_ahead.c \
	%D%/load_csn.c \
	%D%/load_look.c \
	%D%/load_memberof.c \
	%D%/load_parse.c \
	%D%/load_prepared.c \
	%D%/load_refuse.c \
	%D%/load_report.c \
	%D%/load_resolve.c \
	%D%/load_run.c \
	%D%/load_scratch.c \
	%D%/load_setup.c \
	%D%/load_size.c \
	%D%/load_target.c \
	%D%/loader.h \
	%D%/prepared.c \
	%D%/prepared.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
