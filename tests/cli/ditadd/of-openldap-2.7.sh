# A database of OpenLDAP 2.7 (LMDB 1.0: magic and version behind 24 bytes) is told by name.
{
	head -c 24 /dev/zero
	printf '\336\300\357\276\003\0\0\0'
	head -c 8160 /dev/zero
} >db/data.mdb
cp db/data.mdb before
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
cmp before db/data.mdb && ls -A db
