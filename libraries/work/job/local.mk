# libraries/work/job/local.mk
libditkit_a_SOURCES += \
	%D%/csn_list.c \
	%D%/csn_list.h \
	%D%/glue.c \
	%D%/job.c \
	%D%/job.h \
	%D%/release_rules.c \
	%D%/release_rules.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
