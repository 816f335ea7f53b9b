#!/usr/bin/env bash
# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds into build/ and runs the tests, all but those labelled long.
#
#   tools/test.sh              everything
#   tools/test.sh -R tensor    arguments go to ctest
#   BUILD_DIR=/tmp/b tools/test.sh
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build}

tools/install_dependencies.sh
# Precompiled headers: a third less to do from cold.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DASTITCH_BUILD_TESTS=ON \
  -DASTITCH_PRECOMPILE_HEADERS=ON
cmake --build "$build" --parallel
ctest --test-dir "$build" --output-on-failure --label-exclude '^long$' --parallel "$(nproc)" "$@"
