# The config database is loaded and exported by slapadd and slapcat, with one schema file
# of a tree; what slapadd says of a wrong entry stays, and so does its exit status. (2.6 ends
# that message with bytes from its memory.)
mkdir tree same
cat >config.ldif <<LDIF
dn: cn=config
objectClass: olcGlobal
cn: config

dn: cn=schema,cn=config
objectClass: olcSchemaConfig
cn: schema

include: file://${DIT_SCHEMA_DIR:-/etc/ldap/schema}/core.ldif

dn: olcDatabase={0}config,cn=config
objectClass: olcDatabaseConfig
olcDatabase: {0}config
LDIF
unmade='^entryUUID:\|^entryCSN:\|^createTimestamp:\|^modifyTimestamp:'
slapadd -n 0 -F same -l config.ldif
"$DITADD" -T 2 -n 0 -F tree -l config.ldif
echo "load: $?"
slapcat -n 0 -F same | grep -v "$unmade" >same.ldif
"$DITCAT" -b cn=config -F tree | grep -v "$unmade" | cmp - same.ldif && grep -c '^dn:' same.ldif
"$DITCAT" -n 0 -F tree -a '(cn=config)' -o ldif-wrap=no | grep '^dn:'
mkdir none
"$DITCAT" -n 0 -F none
echo "no tree: $?"
"$DITCAT" -n 0 -f slapd.conf
echo "a file: $?"
"$DITADD" -n 0 -F tree -l config.ldif 2>again
echo "again: $?"
sed -z 's/\((line=1): \).*/\1\n/' again >&2
"$DITADD" --memory 1G -n 0 -F tree -l config.ldif
echo "an option that slapadd does not have: $?"
"$DITCAT" -n 0 -F tree --compress gzip
echo "an option that slapcat does not have: $?"
