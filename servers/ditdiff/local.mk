# servers/ditdiff/local.mk
sbin_PROGRAMS += ditdiff
ditdiff_SOURCES = \
	%D%/diff_main.c \
	$(NULL)
ditdiff_CPPFLAGS = $(cli_cppflags)
ditdiff_LDADD = $(cli_libs)
ditdiff_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
