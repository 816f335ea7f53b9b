#!/usr/bin/env python3
# Copyright 2026 The astitch Authors
# SPDX-License-Identifier: Apache-2.0
"""XLA reads our text as it reads the original.

    xla_agrees.py HLO_ROUNDTRIP FILE...

For every file: XLA's parser reads the file and what HLO_ROUNDTRIP prints for it, and both must print
the same, metadata and large constants included. Exits with 77 (skipped) where jaxlib is missing.
"""
import difflib
import subprocess
import sys

SKIPPED = 77

try:
    from jaxlib import _hlo
except ImportError:
    print("skipped: needs jaxlib 0.10 (pip install jaxlib==0.10.2)")
    sys.exit(SKIPPED)


def xla_text(text):
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    options.print_metadata = True
    options.print_backend_config = True
    return _hlo.hlo_module_from_text(text).to_string(options)


def difference(path, roundtrip):
    """None when the two agree, else what to show."""
    with open(path, encoding="utf-8") as file:
        original = file.read()
    ours = subprocess.run([roundtrip, path], capture_output=True, text=True, check=False)
    if ours.returncode != 0:
        return ours.stderr
    want = xla_text(original)
    try:
        got = xla_text(ours.stdout)
    except Exception as error:  # whatever XLA's binding throws for a text it refuses
        return f"XLA refuses our text: {error}"
    if want == got:
        return None
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "XLA of the original",
                                 "XLA of ours", n=0, lineterm="")
    return "\n".join(line[:400] for _, line in zip(range(20), lines))


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    roundtrip, files = arguments[0], arguments[1:]
    failures = 0
    for path in files:
        found = difference(path, roundtrip)
        if found is not None:
            failures += 1
            print(f"{path}: differs\n{found}")
    print(f"{len(files) - failures} of {len(files)} agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
