# A database of OpenLDAP 2.7 is printed as the same one of 2.6 is.
cat >in.ldif <<'END'
dn: dc=example,dc=com
objectClass: domain
dc: example
structuralObjectClass: domain

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
sn: b
structuralObjectClass: person

END
sed -i 's/^database.*/&\nlastmod off/' slapd.conf
for release in 2.6 2.7; do
	rm -f db/*
	"$DITADD" --openldap=$release -q -f slapd.conf -l in.ldif
	"$DITCAT" -f slapd.conf -l $release.ldif
done
cmp 2.6.ldif 2.7.ldif
"$DITCAT" -f slapd.conf -a '(sn=b)'
# While a load has the database it cannot be read.
mkfifo more
"$DITADD" --openldap=2.7 -q -f slapd.conf -l more &
exec 9>more
printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: device\n\n' more >&9
until grep -q "OFDLCK .* WRITE .*:$(stat -c %i db/lock.mdb 2>/dev/null) " /proc/locks; do
	sleep 0.05
done
"$DITCAT" -f slapd.conf 2>&1 | sed 's/process [0-9]*/process N/'
echo "${PIPESTATUS[0]}"
exec 9>&-
wait $!
echo $?
