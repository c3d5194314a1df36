# doc/local.mk
dist_man_MANS += %D%/man/ditadd.8
EXTRA_DIST += \
	%D%/compatibility.md \
	%D%/examples/people.ldif \
	%D%/examples/slapd.conf \
	%D%/sort.md \
	$(NULL)
