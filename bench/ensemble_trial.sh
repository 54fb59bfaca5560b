#!/usr/bin/env bash
# Processes that share a folder compute a sweep: 1, 2 and 7 processes, and 7 of which one is killed at random. Prints
# how often each member was computed, and compares every table with that of one process.
# Usage: ensemble_trial.sh TRILL [MEMBERS]
set -eu
trill=$(realpath "$1")
members=${2:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
command=("$trill" run kepler --method dopri5 --rtol 1e-9 --to 20 --dt 1 --trust never -q -j 1 --sweep "e=0:0.9:$members")

"${command[@]}" --out one
for case in 2 7 7-killed; do
  count=${case%-killed}
  ids=()
  for _ in $(seq "$count"); do
    "${command[@]}" --out "shared-$case" &
    ids+=($!)
  done
  if [[ $case == *-killed ]]; then
    sleep "0.$((RANDOM % 9 + 1))"
    victim=${ids[RANDOM % count]}
    kill -KILL "$victim" 2>/dev/null || true
  fi
  for id in "${ids[@]}"; do wait "$id" || [[ ${victim:-} == "$id" ]] || { echo "process $id failed"; exit 1; }; done
  distinct=$(find "shared-$case" -name 'e=*.h5' | wc -l)
  left=$(find "shared-$case" -name '*.part' -o -name '.trill*' | wc -l)
  cmp one/sweep.csv "shared-$case/sweep.csv"
  echo "$case processes: $distinct distinct results of $members, $left files left over, the table is that of one process"
  [[ $distinct == "$members" && $left == 0 ]]
done
