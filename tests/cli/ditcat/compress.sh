# A compressed export is the same LDIF again.
"$DITADD" -f slapd.conf -l "$DATA/ldif/operational.ldif"
"$DITCAT" -f slapd.conf >plain
for threads in 1 3; do
	"$DITCAT" -T $threads -f slapd.conf --compress gzip >out.gz
	gzip -t out.gz && gzip -dc out.gz | cmp - plain && echo "gzip $threads"
	"$DITCAT" -T $threads -f slapd.conf --compress=zstd -l out.zst
	zstd -qt out.zst && zstd -qdc out.zst | cmp - plain && echo "zstd $threads"
done
"$DITCAT" -f slapd.conf --compress gzip -a '(cn=nobody at all)' >none.gz
gzip -t none.gz && gzip -dc none.gz | wc -c
"$DITCAT" -f slapd.conf --compress zstd -a '(cn=nobody at all)' >none.zst
zstd -qt none.zst && zstd -qdc none.zst | wc -c
"$DITCAT" -f slapd.conf --compress bzip2 2>&1 | head -1
