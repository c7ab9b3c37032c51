#!/usr/bin/env bash
# Runs the examples for `./dev demo`. usage: examples/demo.sh TESSERA OUTPUT_FOLDER
set -euo pipefail
tessera=$1 out=$2
here=$(dirname "${BASH_SOURCE[0]}")

title() { printf '\n-- %s\n\n' "$*"; }

title "A residual block in 150 KiB"
"$tessera" place "$here/residual-block.csv" --capacity '150 KiB' \
  --output "$out/residual-block.json" --plot "$out/residual-block.svg"

title "Four blobs in 10 bytes, where first fit fails"
"$tessera" place "$here/patent-four-blobs.yaml" \
  --output "$out/four-blobs.json" --plot "$out/four-blobs.svg"

title "Three banks with two modes: the mode of every step is part of the answer"
"$tessera" place "$here/patent-three-banks.yaml" \
  --output "$out/three-banks.json" --plot "$out/three-banks.svg"

title "A super-resolution network on a machine with 512 KiB: where to cut it, how to tile it"
"$tessera" plan "$here/fsrcnn_x2_360p.onnx" --dtype int8 --profile ethos-u55-like \
  --output "$out/fsrcnn.json" --plot "$out/fsrcnn.svg" --trace "$out/fsrcnn.trace.json"

title "Written (the trace opens in ui.perfetto.dev)"
ls -1 "$out"/*
