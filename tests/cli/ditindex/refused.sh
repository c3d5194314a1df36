# Wrong calls are refused before anything is done.
"$DITINDEX" -f slapd.conf
"$DITADD" -f slapd.conf -q -l /dev/null
"$DITINDEX" -f slapd.conf uid nothing
"$DITINDEX" -f slapd.conf uid sn
"$DITINDEX" -f slapd.conf -d 0 'cn;lang-de'
"$DITINDEX" -f slapd.conf -d 0 jpegPhoto # has no equality
"$DITINDEX" -f slapd.conf -d 0 entryDN    # slapd computes it
"$DITINDEX" -f slapd.conf -d 0 'userCertificate;binary'
"$DITINDEX" -f slapd.conf --tmpdir /nonexistent
: >empty.conf
"$DITINDEX" -f empty.conf
