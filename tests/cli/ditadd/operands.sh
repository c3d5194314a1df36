# Files without -l, and the LDIF files of a directory, by name; a line belongs to its file.
mkdir init init/sub.d empty
sed '/^$/q' "$DATA/ldif/bare.ldif" >init/10-suffix.ldif
printf 'dn: cn=b,dc=example,dc=com\nobjectClass: organizationalRole\ncn: b\n' |
	gzip >init/9-b.ldif.gz
printf 'dn: cn=c,dc=example,dc=com\nobjectClass: organizationalRole\ncn: c\n' >init/20-c.ldif
printf 'no LDIF\n' | tee init/.hidden.ldif init/README >init/sub.d/x.ldif
"$DITADD" -v -f slapd.conf -l init
rm db/*
"$DITADD" init/10-suffix.ldif -v -f slapd.conf init/20-c.ldif
rm db/*
printf 'dn: cn=d,dc=example,dc=com\n\n' >init/30-d.ldif
"$DITADD" -f slapd.conf init
"$DITADD" --estimate -f slapd.conf init/10-suffix.ldif init/20-c.ldif | grep entries
"$DITADD" -f slapd.conf -l empty
echo "no LDIF in it: $?"
"$DITADD" -f slapd.conf missing.ldif
mkdir init/40.ldif
rm init/30*
"$DITADD" -f slapd.conf init
# The config database is slapadd's, which takes one file.
"$DITADD" -n 0 -F empty init/10-suffix.ldif -l - 2>&1
ls db
