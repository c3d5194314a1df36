# The whole text, on stdout; the default configuration is an option of configure.
"$DITINDEX" --help | sed 's,\[/.* if,[DIR if,; s,else /.*\],else CONF],; s,of /.* without,of SLAPD without,'
"$DITINDEX" -V | sed 's/(.*)/(VERSION)/'
