# tests/packaging/local.mk
script_tests += \
	%D%/completion.sh \
	%D%/export.sh \
	%D%/install.sh \
	%D%/restore.sh \
	%D%/symbols.sh \
	$(NULL)
EXTRA_DIST += %D%/complete.zsh %D%/roots.sh %D%/try.sh %D%/try_guide.sh
# Without apparmor_parser it is skipped.
long_scripts += %D%/apparmor.sh
EXTRA_DIST += %D%/apparmor.sh
