#!/bin/sh
# Checks an address once and prints what changed since the last check, which is in the database beside this file.
# Ends as `assay watch` does: 2 where a change is high or critical, 3 where only sight was lost, 1 after an error, else 0.
set -eu
cd "$(dirname "$0")"
exec assay watch "$1" --once --database watch.db --exec ./changed.sh
