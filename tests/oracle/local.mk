# tests/oracle/local.mk
# Comparisons with slapadd and slapd.
slow_scripts += \
	%D%/cat.sh \
	%D%/check.sh \
	%D%/conf_errors.sh \
	%D%/errors.sh \
	%D%/existing.sh \
	%D%/index.sh \
	%D%/index_online.sh \
	%D%/interrupted.sh \
	%D%/killed.sh \
	%D%/killed-several.sh \
	$(NULL)
script_tests += \
	%D%/across.sh \
	%D%/apart.sh \
	%D%/beside.sh \
	%D%/collisions.sh \
	%D%/compatibility.sh \
	%D%/config.sh \
	%D%/content.sh \
	%D%/contextcsn.sh \
	%D%/diff.sh \
	%D%/dynlist.sh \
	%D%/exports.sh \
	%D%/fatal.sh \
	%D%/flows.sh \
	%D%/full.sh \
	%D%/generated.sh \
	%D%/glue.sh \
	%D%/golden-2.7.sh \
	%D%/history.sh \
	%D%/indexes.sh \
	%D%/memberof.sh \
	%D%/modify.sh \
	%D%/modules.sh \
	%D%/mixed_lines.sh \
	%D%/moved.sh \
	%D%/moved_variants.sh \
	%D%/openldap27.sh \
	%D%/provider.sh \
	%D%/python.sh \
	%D%/random.sh \
	%D%/read27.sh \
	%D%/messages.sh \
	%D%/rejects.sh \
	%D%/sealed27.sh \
	%D%/served.sh \
	%D%/shadow.sh \
	%D%/sound.sh \
	%D%/threads.sh \
	%D%/tools.sh \
	%D%/torture.sh \
	%D%/tree.sh \
	%D%/values.sh \
	%D%/waiting27.sh \
	%D%/writers.sh \
	$(NULL)
long_scripts += \
	%D%/cat.sh \
	%D%/check.sh \
	%D%/diff.sh \
	%D%/dynlist.sh \
	%D%/collisions.sh \
	%D%/conf_errors.sh \
	%D%/config.sh \
	%D%/content.sh \
	%D%/errors.sh \
	%D%/existing.sh \
	%D%/generated.sh \
	%D%/index.sh \
	%D%/index_online.sh \
	%D%/interrupted.sh \
	%D%/killed.sh \
	%D%/messages.sh \
	%D%/memberof.sh \
	%D%/modify.sh \
	%D%/modules.sh \
	%D%/random.sh \
	%D%/served.sh \
	%D%/torture.sh \
	%D%/tree.sh \
	%D%/values.sh \
	%D%/writers.sh \
	$(NULL)
EXTRA_DIST += %D%/fixtures.sh %D%/lib.sh %D%/sites_lib.sh %D%/slapd_lib.sh %D%/sound_lines.awk %D%/states.awk tests/data

# A library for LD_PRELOAD, made for the tests alone.
check_DATA += %D%/nosync.so
CLEANFILES += %D%/nosync.so
EXTRA_DIST += %D%/nosync.c %D%/random/memberships.awk

test_tools += %D%/brokengen %D%/pagedump %D%/spoil %D%/torture/torture %D%/valgen
%C%_brokengen_LDADD =
%C%_torture_torture_LDADD =
%C%_valgen_LDADD =
%C%_valgen_SOURCES = \
	%D%/valgen.c \
	%D%/valgen.h \
	%D%/valgen_der.c \
	%D%/valgen_dn.c \
	%D%/valgen_rights.c \
	%D%/valgen_rule.c \
	%D%/valgen_text.c \
	$(NULL)

test_tools += %D%/random/randchanges %D%/random/randdit
random_parts = \
	%D%/random/attributes.c \
	%D%/random/basics.c \
	%D%/random/random_pairs.c \
	%D%/random/random.h \
	%D%/random/tree.c \
	%D%/random/values.c \
	$(NULL)
%C%_random_randchanges_LDADD =
%C%_random_randchanges_SOURCES = \
	%D%/random/randchanges.c \
	%D%/random/random_changes.c \
	%D%/random/random_history.c \
	%D%/random/random_history.h \
	$(random_parts) \
	$(NULL)
%C%_random_randdit_LDADD =
%C%_random_randdit_SOURCES = %D%/random/randdit.c $(random_parts)
