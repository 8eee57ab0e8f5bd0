#!/bin/sh
# Calls a server that a desktop client's file describes.
set -eu

patchbay check config.json

echo "# tools"
patchbay tools

echo "# greet"
patchbay call My-Greeter__greet who=Ada
