#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Type check and browser tests of the report page, in the folder where the build made the page.
# Usage: web_test.sh source build npm
set -euo pipefail
web=$2/web
rm -rf "$web/test"
cp -r "$1/web/test" "$web/test"
cd "$web"
"$3" run --silent check
"$3" test --silent
