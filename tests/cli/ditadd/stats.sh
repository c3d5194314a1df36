"$DITADD" --stats --openldap=2.6 -f slapd.conf -T 1 -l "$DATA/ldif/bare.ldif" |
	sed 's/[0-9.,]* \(s\|KiB\|MiB\|page faults\)\>/N \1/g; s/[^ ]* %.*$/N %/; s/  *N/ N/g'
# The entries are stored, and the lines are lost.
rm db/*
"$DITADD" --stats -f slapd.conf -l "$DATA/ldif/bare.ldif" >/dev/full
echo "full: $?"
"$DITINDEX" --stats -f slapd.conf >/dev/full
echo "full: $?"
