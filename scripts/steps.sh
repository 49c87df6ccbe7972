# SPDX-License-Identifier: MIT
# For scripts whose checks are commands. `step NAME COMMAND ...` runs one: it prints how long the command took, and the
# command's output only if it fails, which ends the script. `sum_of_steps` ends a script that has passed. A script that sources
# this ends with `N passed, N failed, N skipped` either way.

steps_passed=0
steps_skipped=0
steps_log=$(mktemp)
trap 'rm -f "$steps_log"' EXIT

step() {
    local name=$1 begin=${EPOCHREALTIME/[.,]/}
    shift
    if ! "$@" >"$steps_log" 2>&1; then
        cat "$steps_log"
        echo "FAILED: $name: $*"
        echo "$steps_passed passed, 1 failed, $steps_skipped skipped"
        exit 1
    fi
    steps_passed=$((steps_passed + 1))
    printf '%s: %d ms\n' "$name" $(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
}

skip_step() {
    steps_skipped=$((steps_skipped + 1))
    echo "$1: skipped, $2"
}

sum_of_steps() {
    echo "$steps_passed passed, 0 failed, $steps_skipped skipped"
}
