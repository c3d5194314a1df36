# Structure and content of a database of OpenLDAP 2.7 are checked, as the configuration says:
# that of an older release makes other keys.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >in.ldif
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
rm db/lock.mdb
"$DITCHECK" --openldap=2.7 -f slapd.conf
echo $?
"$DITCHECK" --quick -f slapd.conf
echo $?
"$DITCHECK" --openldap=2.6 -f slapd.conf
echo $?
ls db
# While a load has the database it cannot be checked.
mkfifo more
"$DITADD" --openldap=2.7 -q -f slapd.conf -l more &
exec 9>more
printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: device\n\n' more >&9
until grep -q "OFDLCK .* WRITE .*:$(stat -c %i db/lock.mdb 2>/dev/null) " /proc/locks; do
	sleep 0.05
done
"$DITCHECK" --openldap=2.7 -f slapd.conf 2>&1 | sed 's/process [0-9]*/process N/'
echo "${PIPESTATUS[0]}"
exec 9>&-
wait $!
echo $?
rm db/data.mdb
"$DITADD" --openldap=2.6 -q -f slapd.conf -l in.ldif
"$DITCHECK" --openldap=2.7 -f slapd.conf
