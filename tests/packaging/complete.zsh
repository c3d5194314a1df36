# SPDX-License-Identifier: BSD-2-Clause
# Print what zsh completes at the end of the command line LINE, a word in a line.
#
#   COMPLETIONS=DIR DUMP=FILE LINE='ditadd --' zsh -f complete.zsh
#
# A second zsh runs on a pseudo terminal, with the functions of COMPLETIONS in its path. This
# file is read there too, with the argument "inner". All that its completion functions give to
# compadd is printed between two marks.

if [[ ${1-} == inner ]]; then
	PROMPT=
	fpath=($COMPLETIONS $fpath)
	autoload -Uz compinit
	compinit -u -d $DUMP
	# Told what matches (-O, -A, -D), compadd adds nothing: those calls are left alone.
	compadd() {
		if [[ ${@[1,(i)(-|--)]} == *-[a-zA-Z]#(O|A|D)\ * ]]; then
			builtin compadd "$@"
			return
		fi
		local -a matches
		local word
		builtin compadd -O matches "$@"
		for word in $matches; do
			print -r -- "WORD $word"
		done
		builtin compadd "$@"
	}
	list() {
		print
		zle complete-now
		print -r -- "LISTED"
	}
	zle -C complete-now complete-word _main_complete
	zle -N list
	bindkey '^I' list
	print -r -- "PREPARED"
	return
fi

zmodload zsh/zpty || exit 1
zpty -b second zsh -f -i
zpty -w second "setopt extendedglob; source ${(q)0:A} inner"

# read_to MARK: lines of the second shell up to one that ends so, 20 s at most
read_to() {
	local line deadline=$((SECONDS + 20))
	while ((SECONDS < deadline)); do
		if ! zpty -r -t second line; then
			zpty -t second || return 1
			sleep 0.02
			continue
		fi
		line=${line%%[$'\r\n']##}
		lines+=$line
		[[ $line == *$1 ]] && return 0
	done
	return 1
}

setopt extendedglob
lines=()
read_to PREPARED || { print -u2 "zsh does not start: $lines"; exit 1 }
lines=()
zpty -n -w second "$LINE"$'\t'
read_to LISTED || { print -u2 "zsh does not complete: $lines"; exit 1 }
zpty -d second
print -rl -- ${${(M)lines:#*WORD *}##*WORD }
