# servers/ditcheck/local.mk
sbin_PROGRAMS += ditcheck
ditcheck_SOURCES = \
	%D%/advice.c \
	%D%/advice.h \
	%D%/advice_text.c \
	%D%/check_compare.c \
	%D%/check_compare.h \
	%D%/check_main.c \
	%D%/check_options.c \
	%D%/check_options.h \
	%D%/check_output.c \
	%D%/check_output.h \
	%D%/filter_log.c \
	%D%/filter_log.h \
	$(NULL)
ditcheck_CPPFLAGS = $(cli_cppflags)
ditcheck_LDADD = $(cli_libs)
ditcheck_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
