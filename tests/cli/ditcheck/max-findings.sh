# Two are printed, all are counted.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
for page in 2 3 4 5 6; do
	printf '\377\377' | dd of=db/data.mdb bs=1 seek=$((page * 4096 + 10)) conv=notrunc status=none
done
"$DITCHECK" --quick -T 1 --max-findings 2 --database db | grep -c ', page '
"$DITCHECK" --quick -T 1 --max-findings 0 --database db | grep -c ', page '
