# The figures of the indexes that were built.
"$DITADD" -f slapd.conf -q -l "$DATA/ldif/bare.ldif"
"$DITINDEX" -f slapd.conf -T 1 --stats | sed 's/[0-9]*\.[0-9]* MiB/N MiB/g; s/[0-9]*\.[0-9]* s$/N s/'
"$DITINDEX" -f slapd.conf -T 2 -v uid
