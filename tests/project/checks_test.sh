#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the checks in tools/ refuse what they should refuse.
# Usage: checks_test.sh tools-folder
set -euo pipefail
tools=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
licence='// SPDX-License-Identifier: BSD-3-Clause'

put() { # file line...
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "$licence" "${@:2}" >"$tree/$1"
}
expect() { # expected exit code, expected text, command...
  local wanted=$1 text=$2 code=0 out
  out=$("${@:3}" 2>&1) || code=$?
  [ $code -eq "$wanted" ] || { echo "exit $code instead of $wanted: ${*:3}: $out"; exit 1; }
  grep -qF -- "$text" <<<"$out" || { echo "'$text' not in: $out"; exit 1; }
}
refused() { # text file line...
  put "${@:2}"
  expect 1 "$1" "$tools/check_layers" "$tree"
  rm "$tree/$2"
}

put include/trill/base/types.hpp '#include <vector>'
put include/trill/linalg/lu.hpp '#include "trill/base/types.hpp"'
put include/trill/solution/counters.hpp '#include "trill/base/types.hpp"'
put include/trill/method/stepper.hpp '#include "trill/linalg/lu.hpp"' '#include "trill/solution/counters.hpp"'
put src/linalg/parts.hpp
put src/linalg/lu.cpp '#include "linalg/parts.hpp"' '#include "trill/linalg/lu.hpp"'
put src/method/lu_user.cpp '#include "linalg/parts.hpp"'
put apps/trill/main.cpp '#include "trill/method/stepper.hpp"' '#include "commands.hpp"'
put tests/unit/lu_test.cpp '#include "support/count.hpp"' '#include "trill/linalg/lu.hpp"'
expect 0 '' "$tools/check_layers" "$tree"
expect 0 '' "$tools/check_spdx" "$tree"

refused 'include/trill/base/bad.hpp:2: base may not include trill/linalg/lu.hpp' \
  include/trill/base/bad.hpp '#include "trill/linalg/lu.hpp"'
refused 'src/linalg/bad.cpp:3: linalg may not include trill/method/stepper.hpp: only base, and itself' \
  src/linalg/bad.cpp '' '#  include <trill/method/stepper.hpp>'
refused 'method may not include trill/solution/solution.hpp' \
  src/method/bad.cpp '#include "trill/solution/solution.hpp"'
refused 'solution/counters.hpp may include only base' \
  src/solution/counters.cpp '#include "trill/linalg/lu.hpp"'
refused 'write "linalg/parts.hpp" instead of "../linalg/parts.hpp"' src/method/bad.cpp '#include "../linalg/parts.hpp"'
refused 'write "linalg/parts.hpp" instead of "../../src/linalg/parts.hpp"' \
  tests/unit/bad.cpp '#include "../../src/linalg/parts.hpp"'
refused 'base may not include linalg/parts.hpp' src/base/bad.cpp '#include "linalg/parts.hpp"'
refused 'a public header may not include the private "parts.hpp"' include/trill/linalg/bad.hpp '#include "parts.hpp"'
refused 'a public header may not include the private "linalg/parts.hpp"' \
  include/trill/linalg/bad.hpp '#include "linalg/parts.hpp"'
refused 'an example may include only trill/' examples/bad.cpp '#include "linalg/parts.hpp"'
refused 'folder "attic" is not in the order' src/attic/bad.cpp '#include <vector>'
refused 'folder "attic" is not in the order' src/method/bad.cpp '#include "trill/attic/bad.hpp"'

expect 1 'say who needs this header' "$tools/check_promise" "$tree"
for header in "$tree"/include/trill/*/*.hpp; do sed -i '1a // For everyone: an example.' "$header"; done
expect 0 '' "$tools/check_promise" "$tree"
for k in $(seq 45); do put "include/trill/base/more_$k.hpp" '// For nobody: too many.'; done
expect 1 'include/trill has 49 headers; at most 45' "$tools/check_promise" "$tree"
rm "$tree"/include/trill/base/more_*.hpp

printf 'int x;\nint y;\nint z;\n' >"$tree/src/linalg/bare.cpp"
expect 1 'src/linalg/bare.cpp:1: no SPDX' "$tools/check_spdx" "$tree"

printf '#!/bin/sh\necho "["; echo "  {"; echo "    \\"name\\": \\"field/%%s\\","; echo "    \\"o\\": [ {"; echo "        \\"name\\": \\"no\\""\n' >"$tree/trill"
sed -i 's/%s/$2/' "$tree/trill"
chmod +x "$tree/trill"
put docs/methods/methods.md
expect 1 'docs/models/models.md: the page of model field/models is missing' "$tools/check_docs" "$tree/trill" "$tree"
put docs/models/models.md
expect 0 '' "$tools/check_docs" "$tree/trill" "$tree"

cat >"$tree/bench_one" <<'PROGRAM'
#!/bin/sh
echo RATIO verlet/kepler 1.25 2
echo other words
echo RATIO gauss/beam 3.5 3
PROGRAM
chmod +x "$tree/bench_one"
expect 1 'gauss/beam            3.5           3  over' "$tools/bench" "$tree"
expect 1 'verlet/kepler        1.25           2  ok' "$tools/bench" "$tree"

# The name of a model must be unique, whether the model is written as text or in C++.
models() { # text models
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' "include($tools/../cmake/registry.cmake)" \
    'function(trill_embed_text)' 'endfunction()' "trill_embed_models(\"$1\" \"beam;rectifier\" out)" >"$tree/models.cmake"
  (cd "$tree" && cmake -P models.cmake)
}
expect 0 '' models 'structure/frame;orbit/kepler'
expect 1 'models/structure/beam.toml: there is another model called beam' models 'structure/beam'
expect 1 'models/moon/kepler.toml: there is another model called kepler' models 'orbit/kepler;moon/kepler'
