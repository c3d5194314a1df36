# libraries/verbs/diff/local.mk
libditkit_a_SOURCES += \
	%D%/diff.c \
	%D%/diff.h \
	%D%/diff_digest.c \
	%D%/diff_entry.c \
	%D%/diff_impl.h \
	%D%/diff_match.c \
	%D%/diff_plan.c \
	%D%/diff_scan.c \
	%D%/diff_write.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
