#!/bin/sh
# Queries this machine, through the gateway and then without it.
set -eu

echo "# tools of the gateway"
patchbay tools

echo "# the first user, as rows and as lines"
patchbay call machine__query_osquery sql='SELECT username, uid FROM users WHERE uid = 0'
patchbay call machine__query_osquery sql='SELECT username, uid FROM users WHERE uid = 0' format=text

echo "# a predefined query"
patchbay call machine__query_osquery template=names

echo "# the tables"
patchbay call machine__list_tables

echo "# refused queries"
patchbay call machine__query_osquery sql='SELECT * FROM listening_ports' 2>&1 || echo "exit code $?"
patchbay call machine__query_osquery sql='SELECT 1; DELETE FROM users' 2>&1 || echo "exit code $?"

echo "# the same server, without the gateway"
patchbay call 'stdio: patchbay osquery --engine builtin' query_osquery sql='SELECT count(*) > 0 AS some FROM processes'
