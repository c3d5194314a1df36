# servers/ditmodify/local.mk
sbin_PROGRAMS += ditmodify
ditmodify_SOURCES = \
	%D%/modify_main.c \
	$(NULL)
ditmodify_CPPFLAGS = $(cli_cppflags)
ditmodify_LDADD = $(cli_libs)
ditmodify_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags)
