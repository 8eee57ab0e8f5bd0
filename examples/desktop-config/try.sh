#!/bin/sh
# Calls a server from the configuration file of a desktop client.
set -eu

patchbay check config.json

echo "# tools"
patchbay tools

echo "# greet"
patchbay call My-Greeter__greet who=Ada
