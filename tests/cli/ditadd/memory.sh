# Sizes that are enough, in several spellings.
for size in 8M 8192K 8388608 8m 1G; do
	rm -rf db
	mkdir db
	"$DITADD" -f slapd.conf --memory "$size" -l "$DATA/ldif/bare.ldif" || echo "failed: $size"
done
