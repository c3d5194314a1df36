for arguments in '-T 0' '-T -1' '-T 2000' '-T two' '-S 4096' '-S -1' \
	'-S 0x5' '-j x' '-n x' '-n -1'; do
	echo "$arguments"
	# shellcheck disable=SC2086 # several words
	"$DITADD" -f slapd.conf $arguments 2>&1 | head -1
done
"$DITADD" -f slapd.conf -T 0 2>/dev/null
