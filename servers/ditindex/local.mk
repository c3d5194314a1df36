# servers/ditindex/local.mk
sbin_PROGRAMS += ditindex
ditindex_SOURCES = \
	%D%/index_main.c \
	$(NULL)
ditindex_CPPFLAGS = $(cli_cppflags)
ditindex_LDADD = $(cli_libs)
ditindex_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
