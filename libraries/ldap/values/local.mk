# libraries/ldap/values/local.mk
libditkit_a_SOURCES += \
	%D%/der.c \
	%D%/dn.c \
	%D%/dn.h \
	%D%/dn_list.c \
	%D%/dn_parse.c \
	%D%/dn_parse.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/filter_put.c \
	%D%/number.c \
	%D%/number.h \
	%D%/utf8_prep.c \
	%D%/utf8_prep.h \
	%D%/value.h \
	%D%/value_aci.c \
	%D%/value_authz.c \
	%D%/value_cert.c \
	%D%/value_normalize.c \
	%D%/value_order.c \
	%D%/value_order.h \
	%D%/value_scope.h \
	%D%/value_time.c \
	%D%/value_validate.c \
	$(NULL)
EXTRA_DIST += %D%/README.md

# Tables made of the specification's.
nodist_libditkit_a_SOURCES += \
	%D%/unicode_tables.c \
	$(NULL)
CLEANFILES += %D%/unicode_tables.c
EXTRA_DIST += \
	%D%/gen_unicode.awk \
	%D%/unicode-tables.tsv \
	$(NULL)

%D%/unicode_tables.c: %D%/gen_unicode.awk %D%/unicode-tables.tsv
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(AWK) -f $(srcdir)/%D%/gen_unicode.awk $(srcdir)/%D%/unicode-tables.tsv >$@.new && \
	mv $@.new $@
