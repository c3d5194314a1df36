# libraries/ldap/config/local.mk
noinst_LTLIBRARIES += %D%/libconfig.la
rooms += %D%/libconfig.la
%C%_libconfig_la_SOURCES = \
	%D%/conf_checked.c \
	%D%/conf_database.c \
	%D%/conf_directives.c \
	%D%/conf_entry.c \
	%D%/conf_file.c \
	%D%/conf_index.c \
	%D%/conf_lines.c \
	%D%/conf_lines.h \
	%D%/conf_modules.c \
	%D%/conf_parser.c \
	%D%/conf_parser.h \
	%D%/conf_reporter.c \
	%D%/conf_reporter.h \
	%D%/conf_tree.c \
	%D%/conf_values.c \
	%D%/conf_words.c \
	%D%/settings.c \
	%D%/settings.h \
	%D%/slapd_version.c \
	%D%/slapd_version.h \
	$(NULL)
%C%_libconfig_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DDIT_DEFAULT_CONF='"$(default_conf)"' \
	-DDIT_DEFAULT_CONF_DIR='"$(default_conf_dir)"' \
	-DDIT_SLAPD='"$(slapd)"'
EXTRA_DIST += %D%/README.md

nodist_libraries_ldap_config_libconfig_la_SOURCES = \
	%D%/directive_table.c \
	$(NULL)
CLEANFILES += $(nodist_libraries_ldap_config_libconfig_la_SOURCES)
EXTRA_DIST += \
	%D%/directives.tsv \
	%D%/gen_directives.awk \
	$(NULL)

%D%/directive_table.c: %D%/gen_directives.awk %D%/directives.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -f $(srcdir)/%D%/gen_directives.awk $(srcdir)/%D%/directives.tsv >$@.new && \
	mv $@.new $@
