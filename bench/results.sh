#!/usr/bin/env bash
# Measures every number of docs/results.md and puts it there.
#
#   bench/results.sh [OPTIONS] OUT-DIR
#
#   --minimalloc PROGRAM      the program of google/minimalloc; makes the table `minimalloc`
#   --challenging FOLDER      its eleven instances, benchmarks/challenging of its repository (default: the eight of --data)
#   --dsa-solver CHECKOUT     tonibohnlein/dsa-solver; makes `compilers` and `pypto`
#   --tflite-micro CHECKOUT   tensorflow/tflite-micro; makes `arena`
#   --only NAME[,NAME...]     these tables alone
#   --program FILE, --bench FOLDER, --data FOLDER, --models FOLDER, --page FILE
#                             other places than build/release/cli/tessera, build/release/bench, ../shared/benchmarks,
#                             ../shared/models and docs/results.md
#
# Each table is written to OUT-DIR/NAME.md, with the seconds it took in OUT-DIR/seconds.txt, and replaces the text
# between its markers in docs/results.md. A table that needs a peer that is not given stays as it is, with the commit
# of its last measurement. Without peers the script takes about 15 minutes on two idle cores.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$root/bench/results.sh"
  exit "$1"
}

minimalloc='' dsa_solver='' tflite_micro='' only='' page=$root/docs/results.md out='' builds=yes
options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage 0 ;;
    --only | --page | --minimalloc | --dsa-solver | --tflite-micro | --challenging | --program | --bench | \
      --data | --models)
      [ $# -gt 1 ] || usage 2 >&2
      ;;
    -*) usage 2 >&2 ;;
    *) [ -z "$out" ] || usage 2 >&2 ;;
  esac
  case $1 in
    --only) only=$2 ;;
    --page) page=$(realpath -m "$2") ;;
    --minimalloc) minimalloc=$2 ;;
    --dsa-solver) dsa_solver=$2 ;;
    --tflite-micro) tflite_micro=$2 ;;
    --program | --bench) builds=no ;;
    --*) ;;
    *) out=$(realpath -m "$1") ;;
  esac
  case $1 in
    --only | --page) shift ;;
    --*)
      options+=("$1" "$(realpath -m "$2")")
      shift
      ;;
  esac
  shift
done
[ -n "$out" ] || usage 2 >&2
cd "$root"
mkdir -p "$out"
# The default programs are those of the commit that the page names.
[ "$builds" = no ] || cmake --build build/release --target tessera_cli benchmarks

# table NAME [PEER]: measures a table unless its peer is empty.
table() {
  local name=$1 start=$SECONDS
  [ -z "$only" ] || [[ ",$only," == *",$name,"* ]] || return 0
  if [ $# -gt 1 ] && [ -z "$2" ]; then
    echo "$name: its peer is not given, the table stays as it is"
    return 0
  fi
  echo "$name ..."
  rm -f "$out/$name.md"
  python3 bench/results_tables.py make "$name" ${options[@]+"${options[@]}"} >"$out/$name.part"
  mv "$out/$name.part" "$out/$name.md"
  echo "$name $((SECONDS - start))" >>"$out/seconds.txt"
  python3 bench/results_tables.py insert "$out" "$page" --only "$name" --commit "$(git rev-parse --short=8 HEAD)"
}

table minimalloc "$minimalloc"
table compilers "$dsa_solver"
table pypto "$dsa_solver"
table arena "$tflite_micro"
table idealloc
table engines
table certificates
table sessions
table tiny
table plans
table vela-layers
table vela-networks
table eyeriss
table offchip
