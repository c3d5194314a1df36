# An input that is no LDIF at all is told so in one line, with -c as well; text is not refused.
printf '\0\1\2\3\n\0\n' >binary
tar cf archive.tar "$DATA/ldif/bare.ldif" 2>/dev/null
gzip -c archive.tar >archive.tgz
iconv -f UTF-8 -t UTF-16 "$DATA/ldif/bare.ldif" >wide
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp db/data.mdb copy.mdb
rm db/*
for file in binary archive.tar archive.tgz wide copy.mdb; do
	"$DITADD" -c -f slapd.conf -l $file
	echo "$?"
done
"$DITADD" -f slapd.conf <binary
printf 'not LDIF, but text\n' >text
"$DITADD" -f slapd.conf -l text
ls db
