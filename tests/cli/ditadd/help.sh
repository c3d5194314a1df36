# The whole text, on stdout; the default configuration is an option of configure.
"$DITADD" --help | sed 's,\[/.* if,[DIR if,; s,else /.*\],else CONF],; s!\[the release of .*, w![the release of SLAPD, w!'
