#!/bin/sh
# Six calls in a row: each of the three copies answers two of them.
set -eu

patchbay tools
for _ in 1 2 3 4 5 6; do
  patchbay call pool__pid
done | sort | uniq -c | awk '{ print "a process answered " $1 " calls" }'
