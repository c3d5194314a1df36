# doc/local.mk
dist_man_MANS += \
	%D%/man/dit_check.3 \
	%D%/man/dit_compare.3 \
	%D%/man/dit_entry_scan.3 \
	%D%/man/dit_estimate.3 \
	%D%/man/dit_export.3 \
	%D%/man/dit_load.3 \
	%D%/man/dit_reindex.3 \
	%D%/man/dit_sorter.3 \
	%D%/man/ditadd.8 \
	%D%/man/ditcat.8 \
	%D%/man/ditcheck.8 \
	%D%/man/ditindex.8 \
	%D%/man/ditkit.5 \
	%D%/man/ditkit.7 \
	%D%/man/libditkit.3 \
	$(NULL)
EXTRA_DIST += \
	%D%/README.md \
	%D%/compatibility.md \
	%D%/design.md \
	%D%/examples/first-start.sh \
	%D%/examples/people.ldif \
	%D%/examples/restore.sh \
	%D%/examples/slapd.conf \
	%D%/guide.md \
	%D%/install.md \
	%D%/limits.md \
	%D%/measurements.md \
	%D%/messages.md \
	%D%/sort.md \
	%D%/speed.svg \
	%D%/stats.md \
	%D%/upgrade-2.7.md \
	%D%/spec/README.md \
	%D%/spec/config.md \
	%D%/spec/storage.md \
	%D%/spec/storage-2.7.md \
	%D%/spec/values.md \
	%D%/style.md \
	$(NULL)

include doc/packaging/local.mk
