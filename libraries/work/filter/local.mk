# libraries/work/filter/local.mk
libditkit_a_SOURCES += \
	%D%/filter_index.c \
	%D%/filter_index.h \
	%D%/filter_match.c \
	%D%/filter_match.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
