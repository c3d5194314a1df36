# libraries/verbs/compare/local.mk
libditkit_a_SOURCES += \
	%D%/compare.c \
	%D%/compare.h \
	%D%/compare_entry.c \
	%D%/compare_impl.h \
	%D%/compare_index.c \
	%D%/compare_pairs.c \
	%D%/compare_records.c \
	%D%/compare_text.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
