# A database with entries is refused, with their number; it stays as it is.
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp db/data.mdb before
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
cmp before db/data.mdb && ls db
