"$DITADD" -V | sed 's/[0-9][0-9.]*/N/'
"$DITADD" --version | sed 's/[0-9][0-9.]*/N/'
