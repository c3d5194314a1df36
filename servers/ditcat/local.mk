# servers/ditcat/local.mk
sbin_PROGRAMS += ditcat
ditcat_SOURCES = \
	%D%/cat_main.c \
	%D%/cat_options.c \
	%D%/cat_options.h \
	$(NULL)
ditcat_CPPFLAGS = $(cli_cppflags)
ditcat_LDADD = $(cli_libs) libditkit.la
# One static copy of our library: no installed libditkit is needed to run it.
ditcat_LDFLAGS = $(AM_LDFLAGS) $(program_ldflags) -static
