# libraries/config/local.mk
noinst_LTLIBRARIES += %D%/libconfig.la
rooms += %D%/libconfig.la
%C%_libconfig_la_SOURCES = \
	%D%/conf_database.c \
	%D%/conf_directives.c \
	%D%/conf_file.c \
	%D%/conf_index.c \
	%D%/conf_lines.c \
	%D%/conf_lines.h \
	%D%/conf_modules.c \
	%D%/conf_parser.h \
	%D%/conf_values.c \
	%D%/settings.c \
	%D%/settings.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
