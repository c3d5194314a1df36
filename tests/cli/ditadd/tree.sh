# A cn=config tree, as small as one can be written by hand; one file has been changed since
# its checksum was made.
mkdir -p conf/cn=config
printf '# CRC32\n# CRC32 00000000\ndn: cn=config\nobjectClass: olcGlobal\n%s\n' \
	"olcObjectClasses: ( 1.2.3 NAME 'thing' SUP top STRUCTURAL MUST cn )" \
	>conf/cn=config.ldif
cat >'conf/cn=config/olcDatabase={1}mdb.ldif' <<-LDIF
	dn: olcDatabase={1}mdb
	objectClass: olcMdbConfig
	olcDatabase: mdb
	olcSuffix: cn=top
	olcDbDirectory: db
	olcDbIndex: cn eq
LDIF
printf 'dn: cn=top\nobjectClass: thing\n\ndn: cn=a,cn=top\nobjectClass: thing\n' >in.ldif
"$DITADD" -F conf --openldap=2.5 -l in.ldif -v
echo $?
ls db
"$DITADD" -F nowhere -l in.ldif
echo $?
"$DITADD" -F conf -f slapd.conf -l in.ldif
echo $?
