# The config database is changed by slapmodify, which has fewer options.
mkdir tree
slapadd -n 0 -F tree <<LDIF
dn: cn=config
objectClass: olcGlobal
cn: config

dn: olcDatabase={0}config,cn=config
objectClass: olcDatabaseConfig
olcDatabase: {0}config
LDIF
change() { # change VALUE
	printf 'dn: cn=config\nchangetype: modify\nreplace: olcIdleTimeout\nolcIdleTimeout: %s\n' "$1"
}
change 7 | "$DITMODIFY" -T 2 -n 0 -F tree
echo "$?: $(slapcat -n 0 -F tree | grep ^olcIdleTimeout)"
change 8 >file.ldif
"$DITMODIFY" -b cn=config -F tree file.ldif
echo "$?: $(slapcat -n 0 -F tree | grep ^olcIdleTimeout)"
"$DITMODIFY" -n 0 -F tree file.ldif file.ldif
echo "two inputs: $?"
"$DITMODIFY" --memory 1G -n 0 -F tree file.ldif
echo "an option that slapmodify does not have: $?"
mkdir none
"$DITMODIFY" -n 0 -F none file.ldif
echo "no tree: $?"
