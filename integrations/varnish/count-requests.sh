#!/bin/sh
# Adds the requests that Varnish answers to the counts of shared files, until a signal stops it. See README.md.
# Arguments are those of varnishncsa, such as -n <directory of Varnish>.
svc=$(dirname "$0")/../../packages/cli/bin/svc.js
varnishncsa "$@" -q 'ReqURL ~ "^/s/"' -F '%m\t%{Host}i\t%U\t%s\t%b\t%{Varnish:hitmiss}x' | node "$svc" edge ingest
