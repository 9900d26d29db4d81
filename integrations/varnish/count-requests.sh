#!/bin/sh
# Adds the requests that Varnish answers to the counts of shared files, until a signal stops it. See README.md.
# Arguments are those of varnishncsa, such as -n <directory of Varnish>.
checkout=$(dirname "$0")/../..
# The Node.js that npm ci has installed, or that of the machine.
PATH=$checkout/node_modules/.bin:$PATH
varnishncsa "$@" -q 'ReqURL ~ "^/s/"' -F '%m\t%{Host}i\t%U\t%s\t%b\t%{Varnish:hitmiss}x' | node "$checkout/packages/cli/bin/svc.js" edge ingest
