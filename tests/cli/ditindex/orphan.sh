# A subordinate database without the one that it belongs to, beside another one.
. "${0%/*}/../orphan_site.sh"
"$DITINDEX" -q -f slapd.conf
