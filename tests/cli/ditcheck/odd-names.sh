# Names that a damaged file, or a directory, may have: no UTF-8, and bytes that a terminal
# obeys. Nothing is missing in JSON, and no such byte is printed.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp -r db old
esc=$(printf '\033')
byte=$(printf '\377')
sed -i "s/creatorsName/x$byte$esc[31m<b>\"'/" db/data.mdb
sed -i "s/uid/u$byte$esc/g" db/data.mdb

none() {
	LC_ALL=C grep -c "[$byte$esc]"
}
"$DITCHECK" -f slapd.conf >out
grep -E 'ad-name|index-unused' out
"$DITCHECK" --stats -f slapd.conf >>out
"$DITCHECK" --compare old db >>out
grep 'only in the second\|more differences' out
none <out
"$DITCHECK" --compare --max-findings 1 old db | grep more
echo "--- JSON"
"$DITCHECK" --json -f slapd.conf >json
grep -c '"kind"' json
grep '"text": "number' json
"$DITCHECK" --stats --json -f slapd.conf >json
grep '"database"' json
"$DITCHECK" --compare --json old db >json
grep '"differences"' json
grep -c '[|]\|only in\|damaged' json
echo "--- a directory"
mv old "o$byte"
"$DITCHECK" --quick --json --database "o$byte" | grep '"file"'
"$DITCHECK" --stats --json --database "o$byte" | grep -c '"file"'
