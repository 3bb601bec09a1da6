#!/usr/bin/env bash
# Installs what some variants of test/postgres need, on Debian and as root: a pooler, and a clock that can be shifted.
# Tries twice. What could not be installed is said here, and its variants say that they are not played; it fails nothing.
set -uo pipefail
packages=(pgbouncer libfaketime)

missing() {
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

give_up() {
  echo "not installed: $(missing | tr '\n' ' ')($1); the variants that need it are not played" >&2
  exit 0
}

[ -z "$(missing)" ] && exit 0
command -v apt-get >/dev/null || give_up 'there is no apt-get'
[ "$(id -u)" -eq 0 ] || give_up 'it needs root'
export DEBIAN_FRONTEND=noninteractive
# Debian starts a pooler of its own with the package; nobody asked for it.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
for _ in 1 2; do
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
  [ -z "$(missing)" ] && exit 0
done
give_up 'the installation failed'
