# libraries/work/indexing/local.mk
libditkit_a_SOURCES += \
	%D%/builders.c \
	%D%/builders.h \
	%D%/estimate_sizes.c \
	%D%/estimate_sizes.h \
	%D%/index_cost.h \
	%D%/index_setup.c \
	%D%/index_setup.h \
	%D%/index_writer.c \
	%D%/index_writer.h \
	%D%/key_changes.c \
	%D%/key_changes.h \
	%D%/stored_keys.c \
	%D%/stored_keys.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
