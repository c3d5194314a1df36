# SPDX-License-Identifier: BSD-2-Clause
# bash completion for the programs of ditkit. The program itself is asked for its options
# (--help), so that they are those of the program that is installed.

# _ditkit_options PROGRAM: a line for each option of its help, "OPTION [KIND TEXT]". KIND is the
# word that stands for the argument; with "=" in front the argument needs that sign. TEXT is the
# first line that the help has about it.
_ditkit_options() {
	"$1" --help 2>/dev/null | awk '
		/^  -/ {
			line = substr($0, 3)
			n = 0
			while (match(line, /^--?[A-Za-z][-A-Za-z0-9]*/)) {
				names[++n] = substr(line, 1, RLENGTH)
				line = substr(line, RLENGTH + 1)
				if (!sub(/^, /, "", line)) {
					break
				}
			}
			kind = ""
			if (match(line, /^\[=[^] ]+\]/)) {
				kind = substr(line, 2, RLENGTH - 2)
			} else if (match(line, /^=[^ ]+/)) {
				kind = substr(line, 1, RLENGTH)
			} else if (match(line, /^ [^ ]+/)) {
				kind = substr(line, 2, RLENGTH - 1)
			}
			text = substr(line, RLENGTH + 1)
			sub(/^ +/, "", text)
			for (i = 1; i <= n; i++) {
				print names[i], (kind == "" ? "" : kind " " text)
			}
		}'
}

_ditkit() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
	local after_sign=no options kind text

	# bash takes --option=value apart into three words.
	if [[ $cur == = ]]; then
		cur='' after_sign=yes
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]} after_sign=yes
	fi
	COMPREPLY=()
	options=$(_ditkit_options "$program")
	# An option may be listed twice, without an argument and with one.
	read -r kind text < <(awk -v option="$option" \
		'$1 == option && NF > 1 { sub(/^[^ ]+ /, ""); print }' <<<"$options")
	if [[ $kind == =* ]]; then
		[[ $after_sign == yes ]] && kind=${kind#=} || kind=
	fi
	case $kind in
	'')
		if [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W \
				"$(awk '!seen[$1]++ { print $1 }' <<<"$options")" -- "$cur")
		elif [[ ${program##*/} == ditcheck ]]; then
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
			compopt -o filenames 2>/dev/null
		elif [[ ${program##*/} == dit@(add|diff|modify|split) ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames 2>/dev/null
		fi
		;;
	*\|*) mapfile -t COMPREPLY < <(compgen -W "${kind//|/ }" -- "$cur") ;;
	*file | *FILE)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		;;
	dir | DIR)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames 2>/dev/null
		;;
	*)
		# Two words without a common beginning are listed, and none is typed.
		[[ -n $cur ]] || COMPREPLY=("<$kind> $text" ' ')
		;;
	esac
}

# A line of the usage: "ditkit-history list | verify NUMBER", or with options behind NUMBER.
_ditkit_history() {
	mapfile -t COMPREPLY < <(compgen -W "$("$1" --help | awk \
		-v at="$COMP_CWORD" -v command="${COMP_WORDS[1]}" '
		sub(/^(usage:)? *ditkit-history /, "") {
			n = split($0, word, /[][ |.]+/)
			for (i = 1; word[i] != "NUMBER"; i++) {
				if (word[i] == command) is_its = 1
				if (at == 1) print word[i]
			}
			for (; i <= n; i++) {
				if (at > 1 && is_its && word[i] ~ /^--/) print word[i]
			}
			is_its = 0
		}')" -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -F _ditkit_history ditkit-history
complete -F _ditkit ditadd ditcat ditindex ditmodify ditcheck ditdiff ditsplit
