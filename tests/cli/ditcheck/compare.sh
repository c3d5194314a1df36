# Two databases: the same content, the same with other IDs, other content, and one of them
# damaged or not there.
mkdir other
sed "s,/db$,/other," slapd.conf >other.conf
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITADD" -q -f other.conf -l "$DATA/ldif/bare.ldif"
"$DITCHECK" --compare --generated db other
echo $?
"$DITCHECK" --compare --generated --json db other
# A load of what the database holds gives other IDs and numbers.
mkdir again
sed "s,/db$,/again," slapd.conf >again.conf
"$DITCAT" -f slapd.conf | awk 'BEGIN { RS = ""; ORS = "\n\n" }
	/^dn: cn=group/ { first = $0 } { all[NR] = $0 }
	END { print all[1]; print first; for (i = 2; i < NR; i++) print all[i] }' >again.ldif
"$DITADD" -q -f again.conf -l again.ldif
"$DITCHECK" --compare db again
echo $?
"$DITCHECK" --compare --exact db again | grep -c .
sed 's/^description: Ann has/description: Ann had/' again.ldif >changed.ldif
rm again/*
"$DITADD" -q -f again.conf -l changed.ldif
"$DITCHECK" --compare db again
echo $?
printf 'dn: ou=more,dc=example,dc=com\nobjectClass: organizationalUnit\nou: more\n\n%s' \
	"$(printf 'dn: ou=still,dc=example,dc=com\nobjectClass: organizationalUnit\nou: still\n')" |
	"$DITADD" -f other.conf
"$DITCHECK" --compare --generated --max-findings 1 db other
echo $?
"$DITCHECK" --compare --generated --json db other | grep difference
"$DITCHECK" --compare db other >/dev/full
echo $?
"$DITCHECK" --compare db db
echo $?
"$DITCHECK" --compare db nowhere
echo $?
mkdir empty
"$DITCHECK" --compare db empty
echo $?
printf '\377\377' | dd of=db/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc status=none
"$DITCHECK" --compare other db
echo $?
