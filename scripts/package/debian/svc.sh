#!/bin/sh
# The command line of svc, for users who may read them with the settings of the service.
settings=/etc/svc/svc.env
if [ "${1:-}" != api ] && [ -r "$settings" ]; then file=--env-file=$settings; else file=; fi
exec /usr/lib/svc/bin/node ${file:+"$file"} --max-semi-space-size=4 --initial-old-space-size=128 \
  /usr/lib/svc/packages/cli/bin/svc.js "$@"
