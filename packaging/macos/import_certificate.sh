#!/bin/sh
# On a hosted macOS: put the certificate of the environment into a keychain of its own, for codesign.
set -eu

chain=$RUNNER_TEMP/signing.keychain-db
word=$(uuidgen)
printf %s "$CERTIFICATE" | base64 --decode >"$RUNNER_TEMP/certificate.p12"
security create-keychain -p "$word" "$chain"
security set-keychain-settings -lut 3600 "$chain"
security unlock-keychain -p "$word" "$chain"
security import "$RUNNER_TEMP/certificate.p12" -P "$CERTIFICATE_PASSWORD" -k "$chain" -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k "$word" "$chain" >/dev/null
security list-keychains -d user -s "$chain" login.keychain-db
rm "$RUNNER_TEMP/certificate.p12"
