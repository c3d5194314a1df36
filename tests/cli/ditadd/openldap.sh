# The schema and the directives of a release; ppolicy of 2.6 has pwdUseCheckModule.
cat >entry.ldif <<'END'
dn: dc=example,dc=com
objectClass: domain
objectClass: pwdPolicyChecker
dc: example
pwdUseCheckModule: TRUE
END
for release in 2.5 2.6 2.7; do
	echo "$release:" >&2
	{
		echo "logfile-only on"
		cat slapd.conf
	} >later.conf
	sed '/^moduleload/a moduleload ppolicy' slapd.conf >ppolicy.conf
	"$DITADD" --openldap=$release -u -f later.conf -l /dev/null
	"$DITADD" --openldap=$release -u -v --stats -f ppolicy.conf -l entry.ldif |
		head -n 2
done
for release in 2.4 2.8 2 ""; do
	"$DITADD" --openldap="$release" -u -f slapd.conf -l /dev/null 2>&1 | head -n 1
done
# Without the option the slapd that is here is asked.
"$DITADD" -u -v -f slapd.conf -l /dev/null 2>&1 | sed 's/2\.[567]/N/; s,/[^ ]*,SLAPD,'
