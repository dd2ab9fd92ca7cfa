#!/usr/bin/env bash
# Replays the recording, if there is a server to replay it against, and checks
# it, or what the replay recorded. Writes SARIF, JUnit and a summary of the job,
# and fails as midwire says.
set -uo pipefail
out=${MIDWIRE_OUTPUT:-midwire-results}
mkdir -p "$out"
shopt -s nullglob globstar
# shellcheck disable=SC2206 # globs are wanted
recordings=(${MIDWIRE_RECORDING:-last})
status=0
summary() { cat >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"; }
worse() { if [ "$1" -gt "$status" ]; then status=$1; fi; }
# block TITLE FILE: text, fenced by more backticks than it can have in a row
block() { printf '### %s\n\n``````````text\n%s\n``````````\n\n' "$1" "$(cat "$2")" | summary; }

if [ ${#recordings[@]} = 0 ]; then
  echo "midwire: no recording is called ${MIDWIRE_RECORDING:-}; the input \"recording\" names a file, a glob or last" >&2
  exit 2
fi
checked=("${recordings[@]}")
if [ -n "${MIDWIRE_COMMAND:-}${MIDWIRE_TO:-}" ]; then
  checked=()
  for i in "${!recordings[@]}"; do
    target=(--to "${MIDWIRE_TO:-}")
    # shellcheck disable=SC2206 # words of a command, as in a shell
    [ -z "${MIDWIRE_COMMAND:-}" ] || target=(-- $MIDWIRE_COMMAND)
    # shellcheck disable=SC2086 # several flags
    midwire replay "${recordings[i]}" --format junit ${MIDWIRE_ARGUMENTS:-} "${target[@]}" \
      > "$out/replay-$i.xml" 2> "$out/replay-$i.txt" || worse $?
    block "Replay of ${recordings[i]##*/}" "$out/replay-$i.txt"
  done
  checked=(last)
fi
fail=${MIDWIRE_FAIL_ON:-warning}
midwire check --fail-on never --format sarif "${checked[@]}" > "$out/midwire.sarif" || worse $?
midwire check --fail-on "$fail" --format junit "${checked[@]}" > "$out/check.xml" || worse $?
midwire check --fail-on "$fail" "${checked[@]}" > "$out/check.txt" 2>&1 || worse $?
block "Findings" "$out/check.txt"
cat "$out"/*.txt
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'sarif=%s\njunit=%s\n' "$out/midwire.sarif" "$out/*.xml" >> "$GITHUB_OUTPUT"
fi
exit "$status"
