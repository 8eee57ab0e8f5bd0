#!/usr/bin/python3
"""Stands in for osqueryi: a few of its tables in SQLite, and those of its options that select which
tables there are. A table that is disabled, or not among those that are enabled, does not exist, as
documented for --disable_tables and --enable_tables. An option that it does not know is an error."""

import json
import sqlite3
import sys

TABLES = {
    "system_info": {"hostname": "stand-in"},
    "users": {"uid": "0", "username": "root"},
    "curl": {"url": "http://127.0.0.1/", "result": "fetched"},
    "shell_history": {"uid": "0", "command": "a secret"},
    "osquery_registry": {"registry": "table", "name": "users", "active": "1"},
}


class Variables(dict):
    """They have no value: NULL."""

    def __missing__(self, name):
        return None


def options():
    flags, args = {}, []
    for argument in sys.argv[1:]:
        name, _, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("--"):
            args.append(argument)
        elif name in ("json", "disable_extensions", "disable_tables", "enable_tables"):
            flags[name] = value
        else:
            sys.exit(f"ERROR: unknown command line flag '{name}'")
    return flags, args


def listed(flags, name):
    return [one.strip() for one in flags.get(name, "").split(",") if one.strip()]


def main():
    flags, (sql,) = options()
    disabled, enabled = listed(flags, "disable_tables"), listed(flags, "enable_tables")
    database = sqlite3.connect(":memory:")
    for name, row in TABLES.items():
        if name in disabled or (enabled and name not in enabled):
            continue
        database.execute(f"CREATE TABLE {name}({', '.join(row)})")
        database.execute(
            f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", list(row.values())
        )
    try:
        found = database.execute(sql, Variables())
    except sqlite3.Error as error:
        sys.exit(f"Error: {error}")
    columns = [column[0] for column in found.description]
    print(json.dumps([dict(zip(columns, map(str, row))) for row in found]))


main()
