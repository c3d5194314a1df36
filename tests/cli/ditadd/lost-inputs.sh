# No result is written over an input.
printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' '' 'dn: cn=a' >in.ldif
cp in.ldif same.ldif
mkdir parts
cp in.ldif parts/
try() {
	"$@"
	echo "$?"
	cmp in.ldif same.ldif
}
try "$DITADD" -c -f slapd.conf --rejects in.ldif -l in.ldif
try "$DITADD" -c -f slapd.conf --rejects ./in.ldif <in.ldif
try "$DITADD" -c -f slapd.conf --rejects parts/in.ldif -l parts
try "$DITADD" -c -f slapd.conf --stats=in.ldif same.ldif in.ldif
try "$DITMODIFY" -c -f slapd.conf --rejects in.ldif in.ldif
# Nor over the configuration, or another result.
cp slapd.conf same.conf
try "$DITADD" -c -f slapd.conf --stats=slapd.conf -l in.ldif
try "$DITADD" -c -f slapd.conf --report ./slapd.conf -l in.ldif
cmp slapd.conf same.conf || cp same.conf slapd.conf
try "$DITADD" -c -f slapd.conf --rejects result --stats=result -l in.ldif
try "$DITADD" -c -f slapd.conf --rejects result --report ./parts/../result -l in.ldif
touch result
try "$DITMODIFY" -c -f slapd.conf --rejects result --stats=./result in.ldif
ls -A . db parts
