# -w: the context entry gets the newest entryCSN; with sync_use_subentry an
# entry of its own has them. A CSN that names no server is told, and a missing
# context entry.
entry() {
	printf 'dn: %s\nobjectClass: %s\n%s: %s\nentryCSN: %s\n\n' "$@"
}
csns() {
	"$DITCAT" "$@" | grep '^dn: \|^contextCSN: '
}
entry dc=example,dc=com domain dc example 20260101000000.000000Z#000000#00a#000000 |
	"$DITADD" -w -v -f slapd.conf 2>&1 | tail -n +2
entry cn=a,dc=example,dc=com device cn a 20260102000000.000000Z#000000#00a#000000 |
	"$DITADD" -w -f slapd.conf
entry cn=b,dc=example,dc=com device cn b 20260102000000.000000Z#000000#zzz#000000 |
	"$DITADD" -w -f slapd.conf
echo $?
csns -f slapd.conf
rm db/*
sed 's/^suffix.*/&\nsync_use_subentry/' slapd.conf >subentry.conf
entry dc=example,dc=com domain dc example 20260101000000.000000Z#000000#00a#000000 |
	"$DITADD" -w -f subentry.conf
csns -f subentry.conf
"$DITCAT" -f subentry.conf -a '(objectClass=syncProviderSubentry)' | head -n 1
rm db/*
# The entries are all the subordinate's.
mkdir below
sed "s,^database.*,&\nsuffix ou=below\,dc=example\,dc=com\nsubordinate\ndirectory $PWD/below\n&," \
	slapd.conf >glued.conf
entry ou=below,dc=example,dc=com organizationalUnit ou below \
	20260101000000.000000Z#000000#00a#000000 | "$DITADD" -w -f glued.conf
echo $?
