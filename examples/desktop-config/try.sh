#!/bin/sh
# Calls a server from the configuration file of a desktop client.
set -eu

# Names what is not used of the file.
patchbay check config.json 2>&1

echo "# tools"
patchbay tools

echo "# greet"
patchbay call My-Greeter__greet who=Ada
