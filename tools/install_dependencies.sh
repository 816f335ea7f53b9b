#!/usr/bin/env bash
# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the build and the tests need on Debian 12. Safe to run again: what is there stays.
# Needs root, or sudo.
#
#   tools/install_dependencies.sh            install what is missing
#   tools/install_dependencies.sh --check    only say what is missing; exits 1 if anything is
set -euo pipefail

packages=(
  g++ cmake ninja-build git pkg-config
  llvm-22-dev libzstd-dev zlib1g-dev
  libabsl-dev nlohmann-json3-dev libcli11-dev libdnnl-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-numpy
)

say() { printf '%s\n' "$*" >&2; }

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "error: this script is for Debian 12 and needs apt; elsewhere install: ${packages[*]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  say "all ${#packages[@]} packages are installed"
  exit 0
fi
say "missing: ${missing[*]}"
[ "${1:-}" = --check ] && exit 1

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "error: run this as root, or install sudo"
    exit 1
  fi
  as_root=(sudo)
fi

say "[1/2] reading the package lists"
"${as_root[@]}" apt-get update -q >&2

# LLVM 22 is in Debian's security suite, which a bare system may not have in its sources.
for package in "${missing[@]}"; do
  policy=$(LC_ALL=C apt-cache policy "$package")
  if [[ ! $policy =~ Candidate:\ [^\(] ]]; then
    say "error: no package source offers $package"
    if [ "$package" = llvm-22-dev ]; then
      say "add Debian's security suite: echo 'deb http://deb.debian.org/debian-security bookworm-security main' | ${as_root[*]} tee /etc/apt/sources.list.d/security.list"
    fi
    exit 1
  fi
done

say "[2/2] installing ${#missing[@]} packages (LLVM is a few hundred MB)"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
say "done"
