#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes that share a structure give the same results as one. The exit code is 77 if there is no trill-mpi.
# Usage: mpi_test.sh path/to/trill
set -euo pipefail
tool=$1
shared=$(dirname "$tool")/trill-mpi
if [ ! -x "$shared" ] || ! command -v mpirun >/dev/null; then
  echo "skipped: trill-mpi was not built, since PETSc, SLEPc or MPI is not installed (tools/setup test installs them)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "$*" >&2
  exit 1
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
two() { timeout 250 mpirun --oversubscribe --bind-to none -n 2 "$@" 2>errors || { cat errors >&2; return 1; }; }
# Tests that two numbers agree to a relative tolerance.
agree() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(d <= t * b) }'; }

# The files of a row of masses between walls. K is tridiagonal, so all frequencies are known. The row is short, since
# on busy cores processes take long to exchange messages.
n=40
awk -v n=$n 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"; print "% a comment"; print n, n, 2 * n - 1
  for (i = 1; i <= n; ++i) { print i, i, 2; if (i < n) print i + 1, i, -1 } }' >K.mtx
awk -v n=$n 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print n, n, n
  for (i = n; i >= 1; --i) print i, i, 1 }' >M.mtx
cat >row.toml <<'EOF'
title = "Row of masses"
[structure]
mass = "M.mtx"
stiffness = "K.mtx"
damping = { mass = 0.001, stiffness = 0.001 }
load = { on = "u10", factor = "sin(0.1*t)" }
[structure.outputs]
middle = "u20"
[run]
to = 50
EOF

two "$tool" modes row.toml --count 4 --check inertia --slepc >modes.txt || fail "modes failed"
grep -q "40 unknowns shared by 2 processes" modes.txt || fail "the structure was not shared: $(cat modes.txt)"
for k in 1 2 3 4; do
  exact=$(awk -v k=$k -v n=$n 'BEGIN { pi = atan2(0, -1); printf "%.15g", 2 * sin(k * pi / (2 * (n + 1))) }')
  found=$(awk -v k=$k '$1 == k { print $2; exit }' modes.txt)
  agree "$found" "$exact" 1e-9 || fail "mode $k: $found instead of $exact"
done
grep -q "SLEPc has the same frequencies" modes.txt || fail "SLEPc differs: $(cat modes.txt)"

two "$tool" run row.toml --accuracy 1e-2 --dt 10 --out two.csv >two.txt || fail "the run failed"
timeout 120 "$tool" run row.toml --method ritz --rtol 3e-3 --of middle --dt 10 --out one.csv --check off >one.txt || fail "one process failed"
one=$(tail -n 1 one.csv | cut -d, -f1) # both end at the same time
[ "$one" = "$(tail -n 1 two.csv | cut -d, -f1)" ] || fail "the runs end at different times"
column=$(sed -n 1p one.csv | tr , '\n' | awk '/^middle/ { print NR }')
agree "$(tail -n 1 two.csv | cut -d, -f2)" "$(tail -n 1 one.csv | cut -d, -f"$column")" 1e-11 ||
  fail "two processes: $(tail -n 1 two.csv | cut -d, -f2), one: $(tail -n 1 one.csv | cut -d, -f"$column")"
two "$tool" run row.toml --accuracy 1e-2 --solver gamg --dt 10 --out gamg.csv >gamg.txt || fail "multigrid failed"
agree "$(tail -n 1 gamg.csv | cut -d, -f2)" "$(tail -n 1 two.csv | cut -d, -f2)" 1e-6 || fail "multigrid differs"

# Mistakes in a file are reported as by one process.
sed -i 's/^30 30 2$/30 30 x/' K.mtx
if two "$tool" modes row.toml >said 2>&1; then fail "a bad matrix was taken"; fi
grep -q "K.mtx:.*'x' is not a finite number" said || fail "bad message: $(cat said)"

# Processes that run different commands do not share a run.
sed -i 's/^30 30 x$/30 30 2/' K.mtx
cat >each.sh <<EOF
exec "$tool" modes row.toml --count \$((OMPI_COMM_WORLD_RANK + 2)) --json
EOF
[ "$(two bash each.sh | grep -c '"omega"')" -eq 5 ] || fail "different commands were mixed up"
