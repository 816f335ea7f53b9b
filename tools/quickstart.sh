#!/usr/bin/env bash
# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
#
# From a fresh clone to a stitched BERT layer on this machine's CPU: installs what is missing,
# builds, checks the small variant against known values, then times the full-size one without and
# with stitching.
#
#   tools/quickstart.sh
#   BUILD_DIR=/tmp/b THREADS=2 tools/quickstart.sh
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build}
threads=${THREADS:-$(nproc)}
example=examples/bert_layer
report=$build/bert_layer

say() { printf '%s\n' "$*" >&2; }

say "== 1/4 packages"
tools/install_dependencies.sh
say "== 2/4 build (into $build)"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DASTITCH_PRECOMPILE_HEADERS=ON >&2
cmake --build "$build" --parallel --target astitch-run astitch-compile astitch-bench >&2
say "== 3/4 small BERT layer against its expected values"
"$build/bin/astitch-run" $example/small/module.hlo --target=host \
  --input=@$example/small/inputs.npz --expect=@$example/small/expected.npz \
  --manifest=$example/small/manifest.json >&2
say "== 4/4 full-size BERT layer, unfused and stitched, on $threads threads"
"$build/bin/astitch-compile" $example/full/module.hlo --target=host --fusion=stitch \
  --emit=plan,ledger,ledger.json,report -o "$report"
"$build/bin/astitch-bench" $example/full/module.hlo --manifest=$example/full/manifest.json \
  --fusion=none,stitch --repeat=20 --threads="$threads" --json > "$report/bench.json"

/usr/bin/env python3 - "$report" <<'PYTHON'
import json, sys
folder = sys.argv[1]
bench = json.load(open(folder + "/bench.json"))
none, stitch = ({r["fusion"]: r for r in bench["benchmarks"]}[f] for f in ("none", "stitch"))
mb = lambda n: f"{n / 1e6:.1f} MB"
ms = lambda r: f"{r['real_time']:.2f} ms ({r['min_time']:.2f} to {r['max_time']:.2f})"
rows = [
    ("", "unfused", "stitched"),
    ("kernels", none["kernels"], stitch["kernels"]),
    ("library calls", none["library_calls"], stitch["library_calls"]),
    ("DRAM traffic of the kernels", mb(none["traffic_bytes"]), mb(stitch["traffic_bytes"])),
    ("  lower bound", "", mb(stitch["lower_bound_bytes"])),
    ("time", ms(none), ms(stitch)),
]
print()
print("BERT layer, batch 8, sequence 128, width 768, f32")
print()
for name, a, b in rows:
    print(f"  {name:30s}{a!s:>32s}{b!s:>32s}")
print()
print(f"  copying memory on this machine: {bench['context']['copy_gigabytes_per_second']:.1f} GB/s")
print(f"  every edge of the graph, its home and why: {folder}/ledger.txt")
print(f"  the plan, as text: {folder}/plan.txt")
print(f"  the plan, drawn, for a browser: {folder}/report.html")
PYTHON
