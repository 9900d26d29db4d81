#!/usr/bin/env bash
# Writes the files of a release into dist/release/: packages for npm, a .deb, a container image, a list of their contents and checksums.
# The same commit makes the same bytes. It neither tags nor publishes.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run build
node scripts/package/main.js
cd dist/release
sha256sum -- * >SHA256SUMS
ls -l
