# A load is prepared: nobody sees it until it is published. Each step can be repeated.
plain() { sed -E 's/[0-9]{4}-[0-9-]{5}T[0-9:]{8}Z/TIME/g; s/[0-9a-f]{32}/DIGEST/g'; }
ditadd() { "$DITADD" --openldap=2.5 -f slapd.conf "$@" | plain; }
digest() { "$DITADD" -f slapd.conf --status | sed 's/.*digest //'; }
ditadd --status
ditadd --publish
ditadd --abandon
ditadd --prepare -l "$DATA/ldif/bare.ldif"
ls -A db db/ditkit-prepared
ditadd --status
first=$(digest)
ditadd --prepare -T 1 --writer=append -w -l "$DATA/ldif/bare.ldif"
[ "$(digest)" = "$first" ] || echo "another digest"
ditadd --status --json | sed '/"file"\|"host"\|"user"/s/: .*/: .../'
# One of two at once publishes, and the other one has waited.
{ ditadd --publish & ditadd --publish; wait; } | sort | sed 's/ at TIME//'
ls -A db db/ditkit-prepared
ditadd --status
"$DITCAT" -f slapd.conf | grep -c ^dn:
ditadd --prepare -l "$DATA/ldif/bare.ldif"
ditadd --abandon
ditadd --abandon
ls -A db
# The digest leaves out what the load leaves out.
rm db/*
printf 'dn: uid=x,dc=example,dc=com\nuid: x\n' |
	ditadd -d 0 --prepare -c --rejects rejects -l "$DATA/ldif/bare.ldif" -l -
[ "$(digest)" = "$first" ] || echo "another digest"
ditadd --abandon
ls -A db
# Standard input is an input without -l, too.
"$DITADD" -f slapd.conf --prepare <"$DATA/ldif/bare.ldif" || echo "status $?"
[ "$(digest)" = "$first" ] || echo "another digest"
ditadd --abandon
# A plain load leaves it alone.
ditadd --prepare -l "$DATA/ldif/bare.ldif"
ditadd -l "$DATA/ldif/bare.ldif"
ditadd --status
ditadd --publish
# An answer that is lost is no answer.
for json in '' --json; do
	"$DITADD" --openldap=2.5 -f slapd.conf --status $json >/dev/full || echo "status $?"
done
