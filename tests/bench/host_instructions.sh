#!/usr/bin/env bash
# Instructions that the host spends on one step on the null runtime, counted by callgrind over 1,000
# steps in the middle of an epoch: of broch bench host, and of everyday.json, with twenty callbacks
# and four monitors. More than the stored numbers, or than the limits, is a failure.
#   host_instructions.sh BROCH [--store]     --store: write the numbers to host_instructions.txt
set -euo pipefail

broch=$1
here=$(cd "$(dirname "$0")" && pwd)
stored_in=$here/host_instructions.txt
declare -A limits=([bench]=30500 [everyday]=36000)
# What another CPU's choice of memcpy and the like may cost; in percent.
slack=2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run JOB STEPS, after a command that it becomes an argument of
run() {
  case $1 in
    bench) "${@:3}" "$broch" bench host --steps "$2" ;;
    everyday)
      "${@:3}" "$broch" train "$here/everyday.json" --runtime null "steps_per_epoch=$2" \
        "log_dir=$folder/log$2" ;;
  esac
}

# instructions JOB STEPS: of the whole program
instructions() {
  local log=$folder/$1-$2.log
  run "$1" "$2" valgrind --tool=callgrind --callgrind-out-file="$folder/out" > "$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$log"
}

[ -x "$(command -v valgrind)" ] || { echo "skipped: valgrind is not installed"; exit 77; }
status=0 table=
for job in bench everyday; do
  few=$(instructions $job 1000)
  many=$(instructions $job 2000)
  now=$(((many - few) / 1000)) limit=${limits[$job]}
  table+="$job $now"$'\n'
  [ "${2:-}" != --store ] || continue
  stored=$(awk -v job=$job '$1 == job {print $2}' "$stored_in")
  echo "$job: $now instructions a step, $stored stored, at most $limit"
  if [ "$now" -gt "$limit" ] || [ "$now" -gt $((stored + stored * slack / 100)) ]; then
    echo "too many: find what became slower, or say in the commit why it had to" >&2
    echo "  and run tests/bench/host_instructions.sh $broch --store" >&2
    status=1
  fi
  [ "$now" -ge $((stored - stored * slack / 100)) ] || echo "fewer than stored: store it"
done
if [ "${2:-}" = --store ]; then
  printf %s "$table" | tee "$stored_in"
fi
exit $status
