#!/bin/sh
# Run by `assay watch` on a change: the change report is on standard input, and what it is about in the environment.
set -eu
mkdir -p changes
cat > "changes/$ASSAY_CHANGE_ADDRESS-$ASSAY_CHANGE_BLOCK.json"
echo "$ASSAY_CHANGE_COUNT changes, the worst is $ASSAY_CHANGE_SEVERITY: see changes/$ASSAY_CHANGE_ADDRESS-$ASSAY_CHANGE_BLOCK.json"
