#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration ends with the path of a page that exists and contains its four runs.
# Usage: demo_test.sh tools-folder trill
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/demo" "$2" "$work" | tee "$work/said"
page=$(tail -n 1 "$work/said" | sed 's/^ *//')
[ -s "$page" ] || { echo "no page at '$page'"; exit 1; }
for words in stiff_spring two_springs verlet composition4 dopri5; do
  grep -q "$words" "$page" || { echo "'$words' is not in the page"; exit 1; }
done
