# Two databases: the same content, other content, and one of them damaged or not there.
mkdir other
sed "s,/db$,/other," slapd.conf >other.conf
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITADD" -q -f other.conf -l "$DATA/ldif/bare.ldif"
"$DITCHECK" --compare --generated db other
echo $?
"$DITCHECK" --compare --generated --json db other
printf 'dn: ou=more,dc=example,dc=com\nobjectClass: organizationalUnit\nou: more\n' |
	"$DITADD" -f other.conf
"$DITCHECK" --compare --generated --max-findings 1 db other | grep -v objectClass
echo "${PIPESTATUS[0]}"
"$DITCHECK" --compare --generated --json db other | grep -e difference -e ad2i
"$DITCHECK" --compare db other >/dev/full
echo $?
"$DITCHECK" --compare db db
echo $?
"$DITCHECK" --compare db nowhere
echo $?
printf '\377\377' | dd of=db/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc status=none
"$DITCHECK" --compare other db
echo $?
