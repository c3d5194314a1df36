# doc/local.mk
# The pages of the library, made of their frames, the headers and programs.
library_pages = \
	man/dit_check.3 \
	man/dit_compare.3 \
	man/dit_diff.3 \
	man/dit_entry_scan.3 \
	man/dit_estimate.3 \
	man/dit_export.3 \
	man/dit_load.3 \
	man/dit_modify.3 \
	man/dit_prepared.3 \
	man/dit_reindex.3 \
	man/dit_sorter.3 \
	man/dit_split.3 \
	man/libditkit.3 \
	$(NULL)
library_programs = \
	%D%/examples/check_database.c \
	%D%/examples/compare_two.c \
	%D%/examples/export_part.c \
	%D%/examples/index_online.c \
	%D%/examples/load_estimate.c \
	%D%/examples/load_watch.c \
	%D%/examples/make_changes.c \
	%D%/examples/prepare_publish.c \
	%D%/examples/safe_copy.c \
	%D%/examples/scan_count.c \
	%D%/examples/scan_pull.c \
	%D%/examples/sort_lines.c \
	%D%/examples/sort_replace.c \
	%D%/examples/sort_sum.c \
	%D%/examples/sort_union.c \
	%D%/examples/split_part.c \
	%D%/examples/what_changed.c \
	$(NULL)
man_MANS = $(library_pages)
CLEANFILES += $(library_pages)
$(library_pages): $(pkginclude_HEADERS) $(library_programs) $(library_pages:%=doc/%) \
		doc/man/page.awk
	@$(MKDIR_P) man
	$(AM_V_GEN)(cd $(srcdir) && $(AWK) -f doc/man/page.awk doc/$@) >$@.tmp && mv $@.tmp $@

dist_man_MANS += \
	%D%/man/ditadd-prepare.8 \
	%D%/man/ditadd.8 \
	%D%/man/ditcat.8 \
	%D%/man/ditcheck.8 \
	%D%/man/ditdiff.8 \
	%D%/man/ditindex.8 \
	%D%/man/ditmodify.8 \
	%D%/man/ditsplit.8 \
	%D%/man/ditkit.5 \
	%D%/man/ditkit-history.8 \
	%D%/man/ditkit.7 \
	$(NULL)
EXTRA_DIST += \
	%D%/examples/.clang-format \
	$(library_programs) \
	$(library_pages:%=doc/%) \
	%D%/README.md \
	%D%/compatibility.md \
	%D%/design.md \
	%D%/examples/first-start.sh \
	%D%/examples/machines/README.md \
	%D%/examples/machines/access.conf \
	%D%/examples/machines/copies.sh \
	%D%/examples/machines/database.conf \
	%D%/examples/machines/front-hash.conf \
	%D%/examples/machines/front-suffix.conf \
	%D%/examples/machines/kubernetes/Dockerfile \
	%D%/examples/machines/kubernetes/load.sh \
	%D%/examples/machines/kubernetes/prepare.yaml \
	%D%/examples/machines/kubernetes/publish.yaml \
	%D%/examples/machines/kubernetes/split.yaml \
	%D%/examples/machines/kubernetes/volume.yaml \
	%D%/examples/machines/load_mpi.c \
	%D%/examples/machines/map \
	%D%/examples/machines/map-suffix \
	%D%/examples/machines/parallel.sh \
	%D%/examples/machines/schema.conf \
	%D%/examples/machines/site.sh \
	%D%/examples/machines/slapd-a.conf \
	%D%/examples/machines/slapd-copy.conf \
	%D%/examples/machines/slapd-groups.conf \
	%D%/examples/machines/slapd-people.conf \
	%D%/examples/machines/slapd-shard.conf \
	%D%/examples/machines/slurm-step.sh \
	%D%/examples/machines/slurm.sh \
	%D%/examples/machines/ssh.sh \
	%D%/examples/machines/step.sh \
	%D%/examples/people.ldif \
	%D%/examples/restore.sh \
	%D%/examples/shards.map \
	%D%/examples/slapd.conf \
	%D%/distance.md \
	%D%/figures.md \
	%D%/guide.md \
	%D%/install.md \
	%D%/limits.md \
	%D%/machines.md \
	%D%/man/page.awk \
	%D%/measurements.md \
	%D%/messages.md \
	%D%/report.svg \
	%D%/schemas/check.schema.json \
	%D%/schemas/comparison.schema.json \
	%D%/schemas/difference.schema.json \
	%D%/schemas/digest.schema.json \
	%D%/schemas/digests.schema.json \
	%D%/schemas/estimate.schema.json \
	%D%/schemas/manifest.schema.json \
	%D%/schemas/prepared.schema.json \
	%D%/schemas/progress.schema.json \
	%D%/schemas/run.schema.json \
	%D%/sinks.md \
	%D%/sort.md \
	%D%/sound.md \
	%D%/speed.svg \
	%D%/stability.md \
	%D%/stats.md \
	%D%/upgrade-2.7.md \
	%D%/spec/README.md \
	%D%/spec/changes.md \
	%D%/spec/config.md \
	%D%/spec/overlays.md \
	%D%/spec/storage.md \
	%D%/spec/storage-2.7.md \
	%D%/spec/values.md \
	%D%/style.md \
	$(NULL)

include doc/packaging/local.mk
