# libraries/verbs/check/local.mk
libditkit_a_SOURCES += \
	%D%/check.h \
	%D%/check_content.c \
	%D%/check_content.h \
	%D%/check_csn.c \
	%D%/check_entry.c \
	%D%/check_findings.c \
	%D%/check_findings.h \
	%D%/check_index.c \
	%D%/check_numbers.c \
	%D%/check_one.c \
	%D%/check_overlays.c \
	%D%/check_pieces.c \
	%D%/check_pieces.h \
	%D%/check_run.c \
	%D%/check_sizes.c \
	%D%/check_sizes.h \
	%D%/check_sums.c \
	%D%/check_sums.h \
	%D%/check_split.c \
	%D%/check_tree.c \
	%D%/check_tree_sums.c \
	%D%/check_tree_sums.h \
	%D%/check_use.c \
	%D%/check_use.h \
	%D%/check_values.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
