# servers/ditcat/local.mk
sbin_PROGRAMS += ditcat
ditcat_SOURCES = \
	%D%/cat_main.c \
	$(NULL)
ditcat_CPPFLAGS = $(cli_cppflags)
ditcat_LDADD = $(cli_libs)
ditcat_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
