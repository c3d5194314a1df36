# A bound for what may be left out: with one more nothing is stored, and the reject file
# tells all up to there.
broken=$DATA/errors/mixed.ldif
"$DITADD" -c -f slapd.conf -l "$broken" 2>err
n=$(grep -c 'line[= ][0-9]' err)
rm -f db/*
"$DITADD" --max-rejects "$n" -f slapd.conf -l "$broken" 2>/dev/null
echo "as many: $?"
ls db
rm -f db/*
"$DITADD" --max-rejects $((n - 1)) --rejects rejects -f slapd.conf -l "$broken" 2>err
echo "one more: $?, $(grep -c '^# reason: ' rejects) of $n"
tail -n 1 err
ls -A db
"$DITADD" --max-rejects 0 -f slapd.conf -l "$broken" -T 2 2>&1 | tail -n 1
ls -A db
for number in -1 x ''; do
	"$DITADD" --max-rejects "$number" 2>&1 | head -n 1
done
