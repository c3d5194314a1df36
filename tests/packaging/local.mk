# tests/packaging/local.mk
script_tests += \
	%D%/completion.sh \
	%D%/export.sh \
	%D%/install.sh \
	%D%/restore.sh \
	%D%/symbols.sh \
	$(NULL)
EXTRA_DIST += %D%/complete.zsh %D%/roots.sh %D%/try.sh %D%/try_guide.sh
# Without apparmor_parser, umoci or rpmbuild they are skipped.
packaging_long_scripts = %D%/apparmor.sh %D%/container.sh %D%/rpm.sh
long_scripts += $(packaging_long_scripts)
EXTRA_DIST += $(packaging_long_scripts)
