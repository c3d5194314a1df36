# --format=jsonl: one JSON object a line and entry.
cat >types <<'END'
attributetype ( 1.3.6.1.4.1.99999.1 NAME 'flag' SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 )
attributetype ( 1.3.6.1.4.1.99999.2 NAME 'count' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )
attributetype ( 1.3.6.1.4.1.99999.3 NAME 'text' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.99999.4 NAME 'dn' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
END
sed -i '/inetorgperson.schema/r types' slapd.conf
{
	printf 'dn: dc=example,dc=com\nobjectClass: domain\nobjectClass: extensibleObject\ndc: example\n'
	printf 'flag: TRUE\nflag: FALSE\ncount: -5\ncount: 9223372036854775807\n'
	printf 'count: 9223372036854775808\ncount: 123456789012345678901234567890\n'
	printf 'text: "quoted" and \\backslash\ntext:: %s\n' "$(printf 'a\n\tb\001' | base64)"
	printf 'text;lang-de:: %s\nuserPassword: {SSHA}abc\n' "$(printf 'K\303\274ste' | base64)"
	printf 'userPassword:: %s\nuserPassword:\n' "$(printf '\001\377' | base64)"
	printf 'jpegPhoto: none\n1.3.6.1.4.1.99999.4: another\n\n'
	printf 'dn: ou=K\303\274ste\\2C Nord,dc=example,dc=com\nobjectClass: organizationalUnit\n'
	printf 'ou: K\303\274ste, Nord\n\n'
	for n in 1 2 3; do
		printf 'dn: cn=%d,dc=example,dc=com\nobjectClass: device\ncn: %d\n\n' $n $n
	done
} >in.ldif
"$DITADD" -f slapd.conf -l in.ldif
# without the operational attributes
cut_off() { sed 's/,"structuralObjectClass":.*/}/'; }
cat_json() { "$DITCAT" -f slapd.conf --format=jsonl "$@"; }
cat_json | cut_off
echo '-- with their IDs, some of them'
cat_json -v -s cn=2,dc=example,dc=com | cut_off
cat_json -v -a '(|(cn=2)(cn=3))' --no-index | cut_off
cat_json -H 'ldap:///dc=example,dc=com??one?(objectClass=organizationalUnit)' | cut_off
cat_json -b dc=example,dc=com -g -a '(cn=1)' | cut_off
cat_json -n 1 -a '(cn=nobody)' | wc -c
echo '-- the same bytes'
cat_json -T 1 >one
for options in '-T 3' '--no-lock' '--database db' '-o ldif-wrap'; do
	# shellcheck disable=SC2086 # several words
	cat_json $options | cmp - one && echo "$options"
done
cat_json -l file && cmp file one && echo file
cat_json --compress gzip | gzip -dc | cmp - one && echo gzip
cat_json --compress zstd -l file.zst && zstd -qdc file.zst | cmp - one && echo zstd
"$DITCAT" -f slapd.conf --format ldif | cmp - <("$DITCAT" -f slapd.conf) && echo ldif
cat_json --stats --progress json 2>&1 >/dev/null | tail -n 1 | sed 's/[0-9]* bytes/N bytes/; s/;.*//'
echo '-- all or nothing'
echo old >old
cat_json -l old -a '(cn='
echo "$?: $(cat old)"
cat_json -l /dev/full
echo $?
echo '-- refused'
for options in '--format=json' '--format' '--format=jsonl -o ldif-wrap=no' \
	'-o ldif-wrap=80 --format=jsonl' '-n 0 --format=jsonl -F conf.d'; do
	# shellcheck disable=SC2086 # several words
	"$DITCAT" -f slapd.conf $options 2>err
	echo "$?: $(head -1 err | sed 's,.*/ditcat,ditcat,')"
done
