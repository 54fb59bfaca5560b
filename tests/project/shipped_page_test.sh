#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The page in the repository must be the one that its sources give.
# Usage: shipped_page_test.sh source build
set -euo pipefail
cmp "$1/web/report.html" "$2/web/dist/report.html" || {
  echo "web/report.html is not what the sources in web/ give; run make page and commit it"
  exit 1
}
