# Wrong calls, and what is read and written without an option for it.
cp "$DATA/../../doc/examples/people.ldif" in.ldif
printf 'shard a b\nbelow dc=harbour,dc=example to b\n' >map
"$DITSPLIT"
"$DITSPLIT" --map map
"$DITSPLIT" --map map --output out --compress xz
"$DITSPLIT" --map map --output out --parts 0
"$DITSPLIT" --map map --output out -l - -l -
mkdir empty
"$DITSPLIT" --map map --output out -l empty
"$DITSPLIT" -f slapd.conf --map map --output out <in.ldif
(cd out/b && xxh128sum -c --quiet ./*.xxh128 && zstd -qdc part-0-of-1.ldif.zst) | grep -c '^dn:'
zstd -qdc out/a/part-0-of-1.ldif.zst | wc -c
mkdir inputs
gzip -c in.ldif >inputs/1.ldif.gz
cp in.ldif inputs/2.ldif
echo 'no input' >inputs/2.ldif.xxh128
"$DITSPLIT" -f slapd.conf --map map --output out --compress gzip inputs --stats | grep records
find out -type f | sort
"$DITSPLIT" -f slapd.conf --map map --output out --part 0/2 <in.ldif
echo "exit status $?"
