for sids in '' x 1,4096 3 0; do
	"$DITADD" -S 3 -o remove-sids=$sids -f slapd.conf -l "$DATA/ldif/operational.ldif" 2>&1 |
		head -n 1
	test -e db/data.mdb && echo loaded
done
"$DITADD" -o remove-sids 2>&1 | head -n 1
true
