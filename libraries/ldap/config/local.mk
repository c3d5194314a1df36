# libraries/ldap/config/local.mk
libditkit_a_SOURCES += \
	%D%/conf_database.c \
	%D%/conf_directives.c \
	%D%/conf_entry.c \
	%D%/conf_file.c \
	%D%/conf_index.c \
	%D%/conf_modules.c \
	%D%/conf_parser.c \
	%D%/conf_parser.h \
	%D%/conf_tree.c \
	%D%/settings.c \
	%D%/settings.h \
	%D%/slapd_version.c \
	$(NULL)
EXTRA_DIST += %D%/README.md %D%/default_paths.h.in

nodist_libditkit_a_SOURCES += \
	%D%/directive_table.c \
	%D%/module_table.c \
	$(NULL)
CLEANFILES += %D%/directive_table.c %D%/module_table.c
EXTRA_DIST += \
	%D%/directives.tsv \
	%D%/gen_directives.awk \
	%D%/gen_modules.awk \
	%D%/modules.tsv \
	$(NULL)

%D%/directive_table.c: %D%/gen_directives.awk %D%/directives.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -f $(srcdir)/%D%/gen_directives.awk $(srcdir)/%D%/directives.tsv >$@.new && \
	mv $@.new $@

%D%/module_table.c: %D%/gen_modules.awk %D%/modules.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -f $(srcdir)/%D%/gen_modules.awk $(srcdir)/%D%/modules.tsv >$@.new && \
	mv $@.new $@
