# As slapadd does, a value is stored as far as its base64 can be read. It is told of which entry.
printf '%s\n' '# a comment' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' \
	'userPassword:: YWJj!!!' >in.ldif
"$DITADD" -f slapd.conf -l in.ldif
"$DITCAT" -f slapd.conf | grep userPassword
"$DITADD" -f slapd.conf -u --explain=no -l in.ldif
