#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs trill, moves the installed tree, builds the examples with find_package and one of them with pkg-config
# alone, and runs them.
# Usage: package_test.sh source-folder build-folder static|shared
set -euo pipefail
source=$1
build=$2
kind=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "package_test: $*" >&2
  exit 1
}

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail "cannot install"; }
mv "$work/first" "$work/moved"
prefix=$work/moved

grep -rIlE -e "$work/first" -e "$source" -e "$build" "$prefix/lib" "$prefix/share" && fail "these files name folders of the build"
version=$("$prefix/bin/trill" --version | awk '{ print $2 }')
[ "$("$prefix/bin/trill" list methods --json | grep -c '^    "name"')" -gt 3 ] || fail "the installed tool lists no methods"

cmake -S "$source/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "find_package(trill) failed"; }
cmake --build "$work/examples" -j2 >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the examples do not build"; }

# Compares with the numbers in the comment at the top of an example, but not to the last digits, since compilers round
# differently.
same_numbers() {
  paste -d '\n' "$1" "$2" | awk '
    NR % 2 { n = split($0, said, " "); next }
    {
      if (NF != n) bad = 1
      for (i = 1; i <= NF; ++i) {
        if ($i == said[i]) continue
        off = $i - said[i]; size = $i < 0 ? -$i : $i
        if ($i !~ /^[-+0-9.e]+$/ || (off < 0 ? -off : off) > 1e-5 + 1e-3 * size) bad = 1
      }
    }
    END { exit bad || NR == 0 }'
}
for file in "$source"/examples/[0-9]*.cpp; do
  name=$(basename "$file" .cpp)
  [ "$(wc -l <"$file")" -lt 80 ] || fail "$name has 80 lines or more"
  "$work/examples/$name" >"$work/$name.out" || fail "$name fails"
  sed -n '/^\/\/ Prints$/,/^\/\/ Read/ s/^\/\/   //p' "$file" >"$work/$name.said"
  same_numbers "$work/$name.said" "$work/$name.out" ||
    { diff "$work/$name.said" "$work/$name.out"; fail "$name prints something else than it says"; }
done

find "$prefix" -name trill.pc | grep -q . || fail "no trill.pc"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name trill.pc)")
[ "$(pkg-config --modversion trill)" = "$version" ] || fail "trill.pc has another version than the tool"
flags=()
[ "$kind" = shared ] || flags=(--static)
c++ -std=c++20 -O1 "$source/examples/01_first_run.cpp" -o "$work/by_pkg_config" $(pkg-config "${flags[@]}" --cflags --libs trill) ||
  fail "pkg-config does not give what the linker needs"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir trill) "$work/by_pkg_config" | cmp - "$work/01_first_run.out" ||
  fail "the example built with pkg-config prints something else"

[ -s "$prefix/share/man/man1/trill.1" ] || fail "no man page"
if command -v man >/dev/null; then
  warnings=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$prefix/share/man/man1/trill.1" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "man page: $warnings"
fi

# The completions of the command line, requested as the shell does.
export PATH=$prefix/bin:$PATH
source "$prefix/share/bash-completion/completions/trill"
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _trill
  echo "${COMPREPLY[*]}"
}
[[ " $(complete_words trill '') " == *' run '*' report '* ]] || fail "completion of commands: $(complete_words trill '')"
[ "$(complete_words trill run stiff_spring --method ver)" = verlet ] || fail "completion of methods"
[[ " $(complete_words trill run stiff) " == *' stiff_spring '* ]] || fail "completion of models"
[ "$(complete_words trill list mod)" = models ] || fail "completion of lists"
[ "$(complete_words trill run kepler --rt)" = --rtol ] || fail "completion of options"
