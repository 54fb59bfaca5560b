#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the C++ in the README and the guides compiles with the public headers alone. All blocks of a page form
# one source: blocks with #include lines come first and as they are. In other blocks everything from `trill::RunPlan`
# on becomes the body of a function. Excerpts of a class are marked c++ instead of cpp and are left out.
# Usage: guide_test.sh source-folder
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/include" "$work/include"

# Headers that a page may use without including them, compiled once for all pages.
cat >"$work/common.hpp" <<'END'
#include "trill/driver/plan.hpp"
#include "trill/driver/sweep.hpp"
#include "trill/problem/mechanical.hpp"
#include <cmath>
#include <cstdio>
#include <thread>
END
compile() { g++ -std=c++20 -I "$work/include" $(pkg-config --cflags eigen3) "$@"; }
compile -x c++-header "$work/common.hpp" -o "$work/common.hpp.gch"

program_of() {
  echo '#include "common.hpp"'
  awk '
    function finish() { if (body) print "}"; body = 0 }
    /^```cpp/ { inside = 1; ++blocks; next }
    /^```/ { finish(); inside = 0; next }
    inside && /^trill::RunPlan/ && !body { body = 1; print "void block_" blocks "() {" }
    inside
    END { exit blocks == 0 }' "$1"
}

checked=0
for page in "$source/README.md" "$source"/docs/guide/*.md; do
  program_of "$page" >"$work/page.cpp" || continue
  if ! compile -fsyntax-only -Winvalid-pch "$work/page.cpp" >"$work/log" 2>&1; then
    cat "$work/log"
    echo "guide_test: the C++ of ${page#"$source"/} does not compile against include/trill" >&2
    exit 1
  fi
  checked=$((checked + 1))
done
[ $checked -ge 4 ] || { echo "guide_test: only $checked pages with C++ were found" >&2; exit 1; }
