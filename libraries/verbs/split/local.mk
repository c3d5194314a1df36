# libraries/verbs/split/local.mk
libditkit_a_SOURCES += \
	%D%/split.h \
	%D%/split_impl.h \
	%D%/split_map.c \
	%D%/split_output.c \
	%D%/split_run.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
