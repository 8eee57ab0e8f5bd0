"""Shared by the tests of goals: a configuration with skills, and how to send a goal."""

import json

from harness import ROOT, fake

STAND_IN = str(ROOT / "testing" / "stand_in_osquery.py")
JSON = {"Content-Type": "application/json"}


def stand_in(**settings):
    """Settings of an upstream that runs testing/stand_in_osquery.py."""
    return fake(args=["-S", STAND_IN], **settings)


def config(osquery=None, upstreams=None, **settings):
    named = {"skills": {"kind": "builtin"}, **(upstreams or {})}
    if osquery is not None:
        named["osquery"] = osquery
    return {"upstreams": named, **settings}


def post(connection, body, headers=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return connection.request("POST", "/api/agent/execute", headers or JSON, data)


def send(gateway, goal):
    """The answer to a goal that the gateway takes."""
    with gateway.connect() as connection:
        response = post(connection, {"goal": goal})
    assert response.status == 200, (response.status, response.body)
    return json.loads(response.body)


def step(gateway, goal):
    """The one step of a goal, as (success, skill, output)."""
    answer = send(gateway, goal)
    (only,) = answer["trace"]
    assert answer["goal"] == goal and answer["finalOutput"] == only["output"], answer
    return only["success"], only["skillName"], only["output"]
