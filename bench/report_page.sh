#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Opens the page of a run with a million steps, and a moving picture of 50 bodies, in headless Chromium. The goals are
# less than 5 MB, responses within 1 s, and 30 frames per second.
# Usage: bench/report_page.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${1:-$source/build}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/trill" run stiff_spring --method verlet --h 1e-5 --to 10 --check off --report "$folder/million.html" --quiet
"$build/trill" run link_chain --param n=50 --to 0.2 --check off --report "$folder/bodies.html" --quiet
mkdir -p "$build/web/test"
cp "$source"/web/test/*.mjs "$build/web/test/"  # in the folder with the packages that the build has installed
for page in million bodies; do
  echo -n "$page: "
  node "$build/web/test/measure_page.mjs" "$folder/$page.html"
done
