# servers/ditsplit/local.mk
sbin_PROGRAMS += ditsplit
ditsplit_SOURCES = \
	%D%/split_main.c \
	$(NULL)
ditsplit_CPPFLAGS = $(cli_cppflags)
ditsplit_LDADD = $(cli_libs)
ditsplit_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
