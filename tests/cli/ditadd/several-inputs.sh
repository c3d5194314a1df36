# Several -l are read in their order, as one; the lines are counted on.
sed '/^$/q' "$DATA/ldif/bare.ldif" >a
printf 'dn: cn=b,dc=example,dc=com\nobjectClass: organizationalRole\ncn: b' >b
printf 'version: 1\ndn: cn=c,dc=example,dc=com\nobjectClass: organizationalRole\ncn: c\n' >c
gzip c
"$DITADD" -v -f slapd.conf -l a -l b -l c.gz
"$DITCAT" -f slapd.conf | grep ^dn:
rm db/*
"$DITADD" -v -f slapd.conf -l - -l b -l c.gz <a
rm db/*
# In the other order the parent follows its child.
"$DITADD" -f slapd.conf -l b -l a
rm -f db/*
printf 'dn: cn=d,dc=example,dc=com\n' >d
wc -l a b
"$DITADD" -f slapd.conf -l a -l b -l d
"$DITADD" -v -c -j "$(($(wc -l <a) + 2))" -f slapd.conf -l a -l b -l d
"$DITADD" -f slapd.conf -l a -l missing -l b
"$DITADD" -f slapd.conf -l - -l - <a 2>&1 | head -1
ls db
# A byte order mark, which Windows programs write, is passed over.
rm -f db/*
{ printf '\357\273\277' && cat a; } >marked
{ printf '\357\273\277' && zcat c.gz; } | gzip >marked.gz
"$DITADD" -v -f slapd.conf -l marked -l marked.gz
"$DITADD" --estimate -c -f slapd.conf -l marked -l marked.gz | grep entries
"$DITADD" --strict -f slapd.conf -l marked
