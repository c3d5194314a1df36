# doc/local.mk
dist_man_MANS += %D%/man/ditadd.8 %D%/man/ditcat.8 %D%/man/ditcheck.8 %D%/man/ditindex.8
EXTRA_DIST += \
	%D%/compatibility.md \
	%D%/design.md \
	%D%/examples/people.ldif \
	%D%/examples/slapd.conf \
	%D%/measurements.md \
	%D%/messages.md \
	%D%/sort.md \
	%D%/upgrade-2.7.md \
	%D%/spec/README.md \
	%D%/spec/config.md \
	%D%/spec/storage.md \
	%D%/spec/storage-2.7.md \
	%D%/spec/values.md \
	%D%/style.md \
	$(NULL)
