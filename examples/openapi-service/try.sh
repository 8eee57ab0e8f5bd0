#!/bin/sh
# Starts a plain HTTP service and uses it through the tools made from its OpenAPI document.
set -eu

python3 library.py 28741 &
service=$!
trap 'kill $service 2>/dev/null || true' EXIT
until curl -s -o /dev/null http://127.0.0.1:28741/; do sleep 0.1; done

echo "# tools; burnBook is denied"
patchbay tools | grep -o '^library__[A-Za-z]*'

echo "# a query"
patchbay call library__books author=Austen

echo "# a body; the service assigns the number"
patchbay call library__addBook 'body={"title": "Persuasion", "author": null}'

echo "# a path; an argument cannot leave its segment"
patchbay call library__showBook number='1/2?x' 2>&1 || true
patchbay call library__showBook number='../books' 2>&1 || true

echo "# the same as a resource"
patchbay read openapi://library/books/2
