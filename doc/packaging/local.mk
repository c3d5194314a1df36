# doc/packaging/local.mk: what "make install" puts next to programs, library and man pages
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
systemdunitdir = $(prefix)/lib/systemd/system

# bash looks for a file with the name of the program.
bash_completions = \
	%D%/completion/ditadd \
	%D%/completion/ditcat \
	%D%/completion/ditcheck \
	%D%/completion/ditdiff \
	%D%/completion/ditindex \
	%D%/completion/ditmodify \
	%D%/completion/ditkit-history \
	%D%/completion/ditsplit \
	$(NULL)
nodist_bashcompletion_DATA = $(bash_completions)
dist_zshcompletion_DATA = %D%/completion/_ditkit
nodist_systemdunit_DATA = \
	%D%/systemd/ditkit-export@.service \
	%D%/systemd/ditkit-export@.timer \
	%D%/systemd/ditkit-history@.service \
	%D%/systemd/ditkit-history@.timer \
	$(NULL)
nodist_pkglibexec_SCRIPTS = %D%/systemd/ditkit-export
nodist_sbin_SCRIPTS = %D%/systemd/ditkit-history
substituted = $(nodist_systemdunit_DATA) $(nodist_pkglibexec_SCRIPTS) $(nodist_sbin_SCRIPTS)
CLEANFILES += $(bash_completions) $(substituted)

$(bash_completions): %D%/completion/ditkit.bash
	$(AM_V_GEN)$(MKDIR_P) %D%/completion && cp $(srcdir)/%D%/completion/ditkit.bash $@

$(substituted): Makefile
	$(AM_V_GEN)$(MKDIR_P) %D%/systemd && sed -e 's,@sbindir[@],$(sbindir),g' \
		-e 's,@pkglibexecdir[@],$(pkglibexecdir),g' $(srcdir)/$@.in >$@
%D%/systemd/ditkit-export@.service: %D%/systemd/ditkit-export@.service.in
%D%/systemd/ditkit-export@.timer: %D%/systemd/ditkit-export@.timer.in
%D%/systemd/ditkit-export: %D%/systemd/ditkit-export.in
%D%/systemd/ditkit-history@.service: %D%/systemd/ditkit-history@.service.in
%D%/systemd/ditkit-history@.timer: %D%/systemd/ditkit-history@.timer.in
%D%/systemd/ditkit-history: %D%/systemd/ditkit-history.in

EXTRA_DIST += \
	%D%/README.md \
	%D%/apparmor.md \
	%D%/ci/check.yml \
	%D%/completion/ditkit.bash \
	%D%/container/Containerfile \
	%D%/container/README.md \
	%D%/container/container_setup.sh \
	%D%/container/oci_image.sh \
	%D%/debian/changelog \
	%D%/debian/control \
	%D%/debian/copyright \
	%D%/debian/ditkit-doc.doc-base \
	%D%/debian/ditkit-doc.docs \
	%D%/debian/ditkit-doc.examples \
	%D%/debian/ditkit.docs \
	%D%/debian/ditkit.install \
	%D%/debian/libditkit-dev.install \
	%D%/debian/libditkit1.install \
	%D%/debian/libditkit1.symbols \
	%D%/debian/not-installed \
	%D%/debian/python3-ditkit.install \
	%D%/debian/rules \
	%D%/debian/source/format \
	%D%/debian/source/lintian-overrides \
	%D%/html.sh \
	%D%/python/declarations.py \
	%D%/python/ditkit/__init__.py \
	%D%/python/ditkit/py.typed \
	%D%/rpm/ditkit.spec \
	%D%/systemd/ditkit-export.in \
	%D%/systemd/ditkit-export@.service.in \
	%D%/systemd/ditkit-export@.timer.in \
	%D%/systemd/ditkit-history.in \
	%D%/systemd/ditkit-history@.service.in \
	%D%/systemd/ditkit-history@.timer.in \
	$(NULL)
