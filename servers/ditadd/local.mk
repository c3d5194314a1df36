# servers/ditadd/local.mk
sbin_PROGRAMS += ditadd
ditadd_SOURCES = \
	%D%/main.c \
	%D%/options.c \
	%D%/options.h \
	%D%/prepared_text.c \
	$(NULL)
ditadd_CPPFLAGS = $(cli_cppflags)
ditadd_LDADD = $(cli_libs)
ditadd_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
