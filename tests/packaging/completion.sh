#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash and zsh: each option that a program's --help names is completed and
# none else, the program takes each of them, its man page describes each of them and none
# else, with the same default of --memory, and arguments are completed as what they are: one
# of some words, a file, a directory.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITINDEX:?}"
: "${DITDIFF:?}" "${DITMODIFY:?}" "${DITSPLIT:?}"

here=$DIT_SRCDIR/doc/packaging/completion

mkdir "$work/bin" "$work/dir" "$work/dir/one" "$work/dir/two"
: >"$work/dir/some.ldif"
for program in "$DITADD" "$DITCAT" "$DITCHECK" "$DITDIFF" "$DITINDEX" "$DITMODIFY" \
	"$DITSPLIT"; do
	ln -s "$program" "$work/bin/"
done
cp "$DIT_SRCDIR/doc/packaging/systemd/ditkit-history.in" "$work/bin/ditkit-history"
chmod +x "$work/bin/ditkit-history"
PATH=$work/bin:$PATH

# Options that a man page describes: "-b" of the line ".It Fl b Ar suffix".
page_options() { # page_options PAGE
	sed -n 's/^\.It Fl //p' "$1" | sed 's/ , Fl /\n/g' |
		sed -E 's/ .*//; s/^/-/' | sort -u
}

# --- bash -----------------------------------------------------------------------

# shellcheck source=/dev/null
. "$here/ditkit.bash"
compopt() { :; } # outside of a completion there are no options of it

# bash_words PROGRAM WORD...: what the last word can become
bash_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	"${complete_by:-_ditkit}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "${COMPREPLY[@]}" | sort
}

for program in ditadd ditcat ditcheck ditdiff ditindex ditmodify ditsplit; do
	words=$(bash_words $program -)
	listed=$($program --help | sed -n 's/^  \(-[^ ,]*\(, -[^ ,]*\)*\).*/\1/p' | tr ',' '\n' |
		sed 's/ //g; s/\[*=.*//' | sort -u)
	same "$program: bash completes what --help lists" "$listed" "$words"
	same "$program: the man page describes the same options" "$words" \
		"$(page_options "$DIT_SRCDIR/doc/man/$program.8")"
	grep -q '^\.Op Ar long options' "$DIT_SRCDIR/doc/man/$program.8" ||
		same "$program: the synopsis has the same options" \
			"$(grep -e -- <<<"$words" | grep -vx -e --help -e --version)" \
			"$(sed -n '/^\.Sh SYN/,/^\.Sh DES/s/Fl -/\n--/gp' "$DIT_SRCDIR/doc/man/$program.8" |
				sed -n 's/^\(--[a-z-]*\).*/\1/p' | sort -u)"
	! grep -qx -- --memory <<<"$words" ||
		for text in <($program --help) "$DIT_SRCDIR/doc/man/$program.8"; do
			same "$program: the default of --memory" '64M to 1G' \
				"$(grep -A9 -e '^  --memory ' -e '^.It Fl -memory ' "$text" |
					grep -o '64M to 1G')"
		done
	for option in $words; do
		nchecks=$((nchecks + 1))
		said=$($program "$option" 2>&1 </dev/null | head -n 1)
		case $said in
		*'unrecognized option'* | *'invalid option'* | *ambiguous*)
			fail "$program does not take $option: $said"
			;;
		esac
	done
done
same 'bash: one of some words' $'append\npages' "$(bash_words ditadd --writer '')"
same 'bash: after a sign' pages "$(bash_words ditadd --writer = p)"
same 'bash: after a sign alone' $'gzip\nzstd' "$(bash_words ditcat --compress =)"
same 'bash: a file after a sign' "$work/dir/some.ldif" \
	"$(bash_words ditadd --stats = "$work/dir/so")"
same 'bash: no file without a sign' '' "$(bash_words ditindex --stats "$work/dir/so")"
same 'bash: a file' "$work/dir/some.ldif" "$(bash_words ditadd -l "$work/dir/so")"
same 'bash: a file without -l' "$work/dir/some.ldif" "$(bash_words ditadd "$work/dir/so")"
same 'bash: a directory' "$work/dir/one"$'\n'"$work/dir/two" \
	"$(bash_words ditadd --tmpdir "$work/dir/")"
same 'bash: directories that are compared' "$work/dir/one"$'\n'"$work/dir/two" \
	"$(bash_words ditcheck --compare "$work/dir/")"
same 'bash: what an argument is' $' \n<number> database number, as slapcat counts' "$(bash_words ditcat -n '')"
same 'bash: an argument that was begun' '' "$(bash_words ditcat -n 1)"
same 'bash: options that begin so' $'--max-record\n--max-rejects' \
	"$(bash_words ditadd --max-re)"

complete_by=_ditkit_history
commands=$(sed -n '/^\.Sh SYN/,/^\.Sh DES/s/^\.Cm //p' "$DIT_SRCDIR/doc/man/ditkit-history.8" |
	sed 's/ | /\n/' | sort)
same 'bash: the commands of ditkit-history' "$commands" "$(bash_words ditkit-history '')"
same 'bash: an option of a command' --at "$(bash_words ditkit-history restore 1 '')"
same 'bash: options of another one' $'--from\n--subtree' "$(bash_words ditkit-history undo 1 -)"
same 'bash: a command without options' '' "$(bash_words ditkit-history take 1 '')"
same 'ditkit-history: the status after --help' 0 "$(ditkit-history --help >/dev/null; echo $?)"
same 'ditkit-history: the status if nothing can be printed' 2 "$(ditkit-history --help 2>/dev/null >/dev/full; echo $?)"
complete_by=

# --- zsh ------------------------------------------------------------------------

if ! command -v zsh >/dev/null; then
	echo 'SKIPPED: no zsh, so completion is not tried in it' >&2
	[ -z "${CI:-}" ] || nfailed=$((nfailed + 1))
else
	# zsh_words LINE: what the last word of a command line can become. A zsh on a
	# terminal of its own gets the line and a key that lists.
	zsh_words() {
		COMPLETIONS=$here DUMP=$work/zcompdump LINE=$1 HOME=$work \
			zsh -f "$DIT_SRCDIR/tests/packaging/complete.zsh" </dev/null 2>"$work/err"
		[ ! -s "$work/err" ] || sed 's/^/zsh: /' "$work/err" >&2
	}
	cd "$work/dir" || exit 1
	for program in ditadd ditcat ditcheck ditdiff ditindex ditmodify ditsplit; do
		same "$program: zsh completes what bash does" "$(bash_words $program -)" \
			"$(zsh_words "$program -" | sort -u)"
	done
	same 'zsh: the commands of ditkit-history' "$commands" \
		"$(zsh_words 'ditkit-history ' | sort -u)"
	same 'zsh: options of a command' $'--from\n--subtree' \
		"$(zsh_words 'ditkit-history undo 1 ' | sort -u)"
	same 'zsh: one of some words' $'append\npages' "$(zsh_words 'ditadd --writer ' | sort)"
	same 'zsh: a file after a sign' some.ldif "$(zsh_words 'ditadd --stats=so' | sort -u)"
	same 'zsh: a file' some.ldif "$(zsh_words 'ditadd -l so')"
	same 'zsh: a file without -l' some.ldif "$(zsh_words 'ditadd so' | sort -u)"
	same 'zsh: a directory' $'one\ntwo' "$(zsh_words 'ditadd --tmpdir ' | sort -u)"
	same 'zsh: directories that are compared' $'one\ntwo' \
		"$(zsh_words 'ditcheck --compare ' | sort -u)"
fi

finish
