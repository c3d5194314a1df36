# libraries/verbs/split/local.mk
libditkit_a_SOURCES += \
	%D%/split.h \
	%D%/split_map.c \
	%D%/split_map.h \
	%D%/split_name.c \
	%D%/split_name.h \
	%D%/split_output.c \
	%D%/split_output.h \
	%D%/split_rules.c \
	%D%/split_rules.h \
	%D%/split_run.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
