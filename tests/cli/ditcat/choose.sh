# Filters, subtrees, URLs.
"$DITADD" -f slapd.conf -l "$DATA/filters/entries.ldif" 2>/dev/null
try() {
	echo "$*"
	"$DITCAT" -f slapd.conf "$@" | sed -n 's/^dn: /  /p'
}
try -s ou=hole,dc=example,dc=com
try -s 'OU = Hole,dc=example,dc=com' -a '(cn=*)'
try -H 'ldap:///dc=example,dc=com??one?(objectClass=person)'
try -H 'ldap:///???(uidNumber>=1)'
try -a '(uniqueMember=*)'
try -a '(foo=*)'
try -a 'cn=a)'
try -s foo
try -s dc=org
try -H ldap:///cn=e,dc=example,dc=com -H 'ldap:///???(cn=a)'
