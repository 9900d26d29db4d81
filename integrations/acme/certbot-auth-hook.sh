#!/bin/sh
# certbot's --manual-auth-hook: publishes the value of one challenge. See README.md.
set -eu
exec "$(dirname "$0")/svc-txt.sh" add "_acme-challenge.$CERTBOT_DOMAIN" "$CERTBOT_VALIDATION"
