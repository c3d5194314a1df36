head -c 8192 /dev/zero | tr '\0' x >db/data.mdb
cp db/data.mdb before
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
cmp before db/data.mdb && ls db
