#!/usr/bin/env bash
# Instructions that the host spends on one step: broch bench host on the null runtime, counted by
# callgrind over steps 1,000 to 2,000. More than the stored number is a failure.
#   host_instructions.sh BROCH [--store]     --store: write the number to host_instructions.txt
set -euo pipefail

broch=$1
stored_in=$(dirname "$0")/host_instructions.txt
limit=30500
# What another CPU's choice of memcpy and the like may cost; in percent.
slack=2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# instructions STEPS: of the whole program
instructions() {
  local log=$folder/$1.log
  valgrind --tool=callgrind --callgrind-out-file="$folder/$1.out" \
    "$broch" bench host --steps "$1" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$log"
}

[ -x "$(command -v valgrind)" ] || { echo "skipped: valgrind is not installed"; exit 0; }
few=$(instructions 1000)
many=$(instructions 2000)
now=$(((many - few) / 1000))
if [ "${2:-}" = --store ]; then
  echo "$now" > "$stored_in"
  echo "stored: $now instructions a step"
  exit
fi
stored=$(cat "$stored_in")
echo "host: $now instructions a step, $stored stored, at most $limit"
if [ "$now" -gt "$limit" ] || [ "$now" -gt $((stored + stored * slack / 100)) ]; then
  echo "too many: find what became slower, or say in the commit why it had to" >&2
  echo "  and run tests/bench/host_instructions.sh $broch --store" >&2
  exit 1
fi
[ "$now" -ge $((stored - stored * slack / 100)) ] || echo "fewer than stored: store it"
