#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs trill twice into a prefix that contains other files, removes it, and tests that everything is as before.
# Usage: uninstall_test.sh source-folder build-folder
set -euo pipefail
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "uninstall_test: $*" >&2
  exit 1
}
prefix="$work/a prefix"
tree() { (cd "$prefix" && find . -printf '%y %p %l\n' | sort); }

mkdir -p "$prefix/bin" "$prefix/lib/cmake" "$prefix/share/man/man1"
echo other >"$prefix/bin/other"
echo keep >"$prefix/lib/cmake/keep.txt"
tree >"$work/before"
for round in 1 2; do
  cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; fail "cannot install"; }
done
[ -x "$prefix/bin/trill" ] || fail "trill was not installed"
make -s -C "$source" uninstall PREFIX="$prefix" >/dev/null || fail "cannot uninstall"
tree | diff "$work/before" - || fail "the prefix is not as it was before"

if "$source/tools/uninstall" "$prefix" 2>"$work/again"; then fail "there was nothing left to uninstall"; fi
grep -q "$prefix" "$work/again" || fail "it does not say where it looked"

cmake --install "$build" --prefix "$prefix" >"$work/install.log"
echo mine >"$prefix/include/trill/mine.hpp"
"$source/tools/uninstall" "$prefix" >/dev/null
[ "$(cd "$prefix" && find . -name '*.hpp')" = ./include/trill/mine.hpp ] || fail "a file of a user was removed, or others were left"

mkdir -p "$prefix/share/doc/trill"
echo precious >"$work/precious"
printf 'bin/other\n../precious\n' >"$prefix/share/doc/trill/installed_files.txt"
if "$source/tools/uninstall" "$prefix" 2>/dev/null; then fail "a list that leaves the prefix was taken"; fi
[ -f "$work/precious" ] && [ -f "$prefix/bin/other" ] || fail "something was removed by a list that leaves the prefix"
