#!/bin/sh
# certbot's --manual-cleanup-hook: removes the value that certbot-auth-hook.sh has published. See README.md.
set -eu
exec "$(dirname "$0")/svc-txt.sh" remove "_acme-challenge.$CERTBOT_DOMAIN" "$CERTBOT_VALIDATION"
