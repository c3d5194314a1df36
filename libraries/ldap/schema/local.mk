# libraries/ldap/schema/local.mk
libditkit_a_SOURCES += \
	%D%/attr_desc.c \
	%D%/define_class.c \
	%D%/define_type.c \
	%D%/element_names.c \
	%D%/name_table.c \
	%D%/schema.c \
	%D%/schema.h \
	%D%/schema_builtin.c \
	%D%/schema_parse.c \
	%D%/schema_private.h \
	$(NULL)
EXTRA_DIST += %D%/README.md

# Tables made of the specification's.
nodist_libditkit_a_SOURCES += \
	%D%/builtin_schema.c \
	$(NULL)
CLEANFILES += %D%/builtin_schema.c
EXTRA_DIST += \
	%D%/builtin-schema.tsv \
	%D%/gen_builtin.awk \
	$(NULL)

%D%/builtin_schema.c: %D%/gen_builtin.awk %D%/builtin-schema.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -f $(srcdir)/%D%/gen_builtin.awk $(srcdir)/%D%/builtin-schema.tsv >$@.new && \
	mv $@.new $@
