# An index that is not configured any more is named, and removed if that is wanted.
"$DITADD" -f slapd.conf -q -l "$DATA/ldif/bare.ldif"
sed -i 's/^index objectClass,uid eq/index objectClass eq/' slapd.conf
"$DITINDEX" -f slapd.conf
"$DITINDEX" -f slapd.conf --drop-unconfigured
"$DITINDEX" -f slapd.conf --drop-unconfigured
