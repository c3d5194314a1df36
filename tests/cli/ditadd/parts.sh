# A directory of parts is loaded if all of them are there and have their digests.
mkdir whole
printf 'shard one\nbelow dc=example,dc=com to one\n' >map
{
	printf 'version: 1\n\n'
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
	for i in {1..40}; do
		printf 'dn: cn=n%d,dc=example,dc=com\nobjectClass: person\ncn: n%d\nsn: s\n\n' $i $i
	done
} >in.ldif
split() { # split COMPRESS [MAP-OF-PART-7]
	made=made-$1-${2:-map}
	[ -d "$made" ] || for part in {0..11}; do
		[ $part -eq 7 ] && by=${2:-map} || by=map
		"$DITSPLIT" -f slapd.conf --map "$by" --output "$made" --part "$part/12" \
			--compress "$1" -l in.ldif
	done
	rm -rf shards
	cp -r "$made" shards
	cd shards/one || exit
}
load() {
	rm -f ../../db/*
	timeout 60 "$DITADD" -q -f ../../slapd.conf -l . --progress none -d 0
	echo "exit status $?"
	find ../../db -type f | sort
	cd ../..
}
dns() {
	"$DITCAT" -f slapd.conf | sed -n 's/^dn: //p'
}

split zstd
load
dns >parts
rm db/*
"$DITADD" -q -f slapd.conf -l in.ldif
dns | cmp - parts && echo 'the same entries in the same order'

echo '--- a part of another shard; of another input; by a copy of the map'
printf 'shard one two\nbelow dc=example,dc=com hash 1 one two\n' >map3
part() { # part R INPUT MAP
	"$DITSPLIT" -f slapd.conf --map "$3" --output shards --part "$1/2" -l "$2"
}
{
	cat in.ldif
	printf '\n\n'
} >longer.ldif
for mixed in shard input map; do
	rm -rf shards
	part 0 in.ldif map3
	case $mixed in
	shard) part 1 in.ldif map3 && cp shards/two/part-1-* shards/one ;;
	input) part 1 longer.ldif map3 ;;
	map) part 1 in.ldif shards/two/map ;;
	esac
	cd shards/one || exit
	load
done
(cd shards/two && xxh128sum -c --quiet ./*.xxh128 && head -n 1 map)

echo '--- parts of two maps; parts whose map is not told'
{
	cat map
	echo 'entry dc=example,dc=com to one'
} >map2
split none map2
load
split none
sed -i 2d ./*.xxh128
load

echo '--- a part is missing'
split none
rm part-10-of-12.ldif
load
split none
rm part-11-of-12.ldif*
load

echo '--- a digest is missing, or no digest'
split none
rm part-3-of-12.ldif.xxh128
load
split none
echo garbage >part-3-of-12.ldif.xxh128
load
split none
rm part-3-of-12.ldif.xxh128
mkfifo part-3-of-12.ldif.xxh128
load
split none
sed 's/part-4/part-5/' part-4-of-12.ldif.xxh128 >part-5-of-12.ldif.xxh128
sed -i 's/part-5/part-4/' part-5-of-12.ldif.xxh128
load

echo '--- a part is short, or has more'
split none
truncate -s 0 part-2-of-12.ldif
load
split none
printf 'dn: cn=more,dc=example,dc=com\nobjectClass: person\ncn: more\nsn: m\n' >>part-11-of-12.ldif
load
split zstd
truncate -s -9 part-2-of-12.ldif.zst
load
split none
truncate -s -20 part-2-of-12.ldif
load

echo '--- other files'
split none
cp part-2-of-12.ldif part-2-of-12.ldif.old
load
split none
cp part-2-of-12.ldif people.ldif
load
split none
cp part-2-of-12.ldif part-2-of-13.ldif
load
split none
cp part-2-of-12.ldif part-02-of-12.ldif
load
cd shards/one && mv part-02-of-12.ldif part-12-of-12.ldif
load
split none
cp part-2-of-12.ldif $'red\e[31m\nditadd: all is fine.ldif'
load
