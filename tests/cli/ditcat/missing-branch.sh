# A branch that is not there is told; what is written, and the status, are slapcat's.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
for branch in ou=none,dc=example,dc=com dc=example,dc=com; do
	"$DITCAT" -f slapd.conf -s $branch | grep -c ^dn
	"$DITCAT" -f slapd.conf -s $branch -a '(cn=none)' | grep -c ^dn
done
"$DITCAT" -f slapd.conf -d 0 -s ou=none,dc=example,dc=com
