#!/bin/sh
# Calls a server from the configuration file of a desktop client.
set -eu

# Lists the keys of the file that are not used.
patchbay check config.json 2>&1

echo "# tools"
patchbay tools

echo "# greet"
patchbay call My-Greeter__greet who=Ada
