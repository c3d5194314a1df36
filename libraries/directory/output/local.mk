# libraries/directory/output/local.mk
libditkit_a_SOURCES += \
	%D%/ad_numbers.c \
	%D%/ad_numbers.h \
	%D%/claimed_output.c \
	%D%/claimed_output.h \
	%D%/data_check.c \
	%D%/index_tables.c \
	%D%/index_tables.h \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/new_output.c \
	%D%/new_output_impl.h \
	%D%/online.c \
	%D%/online.h \
	%D%/online_impl.h \
	%D%/online_rounds.c \
	%D%/output.h \
	%D%/prepared_output.c \
	%D%/prepared_state.h \
	%D%/publication.c \
	%D%/publication.h \
	%D%/record_output.h \
	%D%/record_tables.c \
	%D%/record_tables.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
