# The whole text, on stdout; the default configuration is an option of configure.
"$DITCHECK" --help | sed 's,\[/.* if,[DIR if,; s,else /.*\],else CONF],'
"$DITCHECK" -V | sed 's/(.*)/(VERSION)/'
