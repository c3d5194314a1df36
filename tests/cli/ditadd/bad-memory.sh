for size in 1K 0 8191K 7M x 5X 1.5G '' -8M 99999999999999999999 99999999999T; do
	echo "--memory $size"
	"$DITADD" -f slapd.conf --memory "$size" 2>&1 | head -1
done
"$DITADD" -f slapd.conf --memory 1K 2>/dev/null
