# The figures of the indexes that were built.
"$DITADD" -f slapd.conf -q -l "$DATA/ldif/bare.ldif"
"$DITINDEX" -f slapd.conf -T 1 --stats |
	sed 's/[0-9.,]* \(s\|KiB\|MiB\|page faults\)\>/N \1/g; s/[^ ]* %.*$/N %/; s/  *N/ N/g'
"$DITINDEX" -f slapd.conf -T 2 -v uid
