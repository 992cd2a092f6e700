from __future__ import annotations

import json

import pytest
from cffgraph.crawler.limits import Counts, Limit, read_counts, read_limit, read_retry_after
from requests.structures import CaseInsensitiveDict

NOW = 1_796_119_200.0  # Tue, 01 Dec 2026 10:00:00 GMT
LATE = "Tue, 01 Dec 2026 10:10:00 GMT"  # a host whose clock is ten minutes ahead


def headers(**said: object) -> CaseInsensitiveDict[str]:
    return CaseInsensitiveDict({name.replace("_", "-"): str(value) for name, value in said.items()})


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ({}, None),
        ({"Retry_After": "120"}, 120),
        ({"Retry_After": " 0 "}, 0),
        ({"Retry_After": "1.5"}, 1.5),
        ({"retry_after": "Tue, 01 Dec 2026 10:00:30 GMT"}, 30),
        ({"Retry_After": "Tuesday, 01-Dec-26 10:00:30 GMT"}, 30),
        ({"Retry_After": "Tue Dec  1 10:00:30 2026"}, 30),
        ({"Retry_After": "Tue, 01 Dec 2026 09:00:00 GMT"}, 0),
        ({"Retry_After": "Tue, 01 Dec 2026 10:10:30 GMT", "Date": LATE}, 30),
        ({"Retry_After": "120", "Date": LATE}, 120),
        ({"Retry_After": "Tue, 01 Dec 2026 10:10:30 GMT", "Date": LATE, "Age": "20"}, 10),
        ({"Retry_After": "-5"}, None),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "٣"}, None),
        ({"Retry_After": "9" * 400}, None),
        ({"Retry_After": "Tue, 99 Dec 2026 10:00:30 GMT"}, None),
    ],
)
def test_retry_after(said: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers(**said), NOW) == seconds


@pytest.mark.parametrize(
    ("said", "counts", "hold_s"),
    [
        ({}, Counts(), None),
        ({"X_RateLimit_Remaining": "59", "X_RateLimit_Limit": "60"}, Counts(59, 60), None),
        (
            {"X_RateLimit_Remaining": 0, "X_RateLimit_Limit": 60, "X_RateLimit_Reset": int(NOW) + 90},
            Counts(0, 60, 90),
            91,
        ),
        (
            {"X_RateLimit_Remaining": 0, "X_RateLimit_Reset": int(NOW) + 690, "Date": LATE},
            Counts(0, None, 90),
            91,
        ),
        ({"RateLimit_Remaining": 0, "RateLimit_Reset": 30}, Counts(0, None, 30), 31),
        (
            {"RateLimit_Limit": "100, 100;w=60", "RateLimit_Remaining": "0;x", "RateLimit_Reset": "30"},
            Counts(0, 100, 30),
            31,
        ),
        (
            {"X_RateLimit_Remaining": 0, "X_RateLimit_Reset": f"{int(NOW) + 90}000"},
            Counts(0, None, 90),
            91,
        ),
        ({"X_RateLimit_Remaining": 0, "X_RateLimit_Reset": int(NOW) - 5}, Counts(0, None, -5), 1),
        ({"X_RateLimit_Remaining": 0, "X_RateLimit_Reset": int(NOW) - 500}, Counts(0, None, -500), None),
        ({"X_RateLimit_Remaining": 0}, Counts(0), None),
        ({"X_RateLimit_Remaining": "none", "X_RateLimit_Reset": "never"}, Counts(), None),
        ({"X_RateLimit_Remaining": 3, "X_RateLimit_Resource": "search"}, Counts(3, resource="search"), None),
        ({"X_RateLimit_Remaining": 3, "X_RateLimit_Resource": "core"}, Counts(3), None),
    ],
)
def test_what_is_left(said: dict[str, object], counts: Counts, hold_s: float | None) -> None:
    found = read_counts(headers(**said), NOW)
    assert found == counts
    assert found.hold_s == hold_s


SPENT = {"X_RateLimit_Remaining": 0, "X_RateLimit_Limit": 60, "X_RateLimit_Reset": int(NOW) + 90}
ASKED = Limit(30, "asks to wait")
USED = Limit(91, "all 60 requests used", is_common=False)
UNSAID = Limit(None, "too many requests at once")
SECONDARY = json.dumps({"message": "You have exceeded a secondary rate limit. Please wait a few minutes."})
PRIMARY = json.dumps(
    {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 9."}]}
)
LARGE = "cff-version: 1.2.0 " * 5000


@pytest.mark.parametrize(
    ("method", "status", "said", "content", "limit"),
    [
        ("GET", 200, {}, "", None),
        ("GET", 200, SPENT, "", None),
        ("GET", 404, SPENT, "", None),
        ("GET", 429, {}, "", UNSAID),
        ("GET", 429, {"Retry_After": 30}, "", ASKED),
        ("GET", 429, {"Retry_After": 30, **SPENT}, "", ASKED),
        ("GET", 429, SPENT, "", USED),
        ("GET", 429, {"Retry_After": 0}, "", Limit(0.05, "asks to wait")),
        ("GET", 429, {**SPENT, "X_RateLimit_Remaining": 7}, "", UNSAID),
        ("GET", 403, SPENT, "", USED),
        ("GET", 403, {"Retry_After": 30}, "", ASKED),
        ("GET", 403, {}, SECONDARY, UNSAID),
        ("GET", 403, {}, "You have triggered an abuse detection mechanism", UNSAID),
        # Plain refusals.
        ("GET", 403, {}, "", None),
        ("GET", 403, {"X_RateLimit_Remaining": 7}, '{"message": "Resource not accessible"}', None),
        ("GET", 403, {}, '{"message": "Repository access blocked: o/rate-limit"}', None),
        ("GET", 401, {"Retry_After": 30}, "", None),
        ("GET", 404, {}, SECONDARY, None),
        # A host in trouble.
        ("GET", 503, {}, "", None),
        ("GET", 503, {"Retry_After": 30}, "", ASKED),
        ("GET", 500, {"Retry_After": 30}, "", None),
        # GraphQL answers 200.
        ("POST", 200, SPENT, PRIMARY, USED),
        ("POST", 200, {}, PRIMARY, UNSAID),
        ("POST", 200, {}, SECONDARY, UNSAID),
        ("POST", 200, {"Retry_After": 30}, SECONDARY, ASKED),
        ("POST", 200, {}, json.dumps({"data": {"a": LARGE}, "errors": [{"type": "RATE_LIMITED"}]}), UNSAID),
        ("POST", 200, SPENT, '{"data": {}}', None),
        ("POST", 200, {}, '{"data": {"text": "errors: rate limit"}}', None),
        ("POST", 200, {}, '{"data": {"rateLimit": {"cost": 1}}, "errors": [{"type": "NOT_FOUND"}]}', None),
        (
            "POST",
            200,
            {},
            '{"errors": [{"type": "NOT_FOUND", "message": "no o/rate-limit"}], "x": "rate limit"}',
            None,
        ),
        ("POST", 200, {}, '{"errors": "rate limit"', None),
        ("POST", 200, {}, '["rate limit"]', None),
        ("POST", 200, {}, '"rate limit" ' + "[" * 100_000, None),
        ("POST", 200, {}, '{"errors": ["rate limit", null, 7]}', None),
        # Anybody's file says what it likes.
        ("GET", 200, {}, PRIMARY, None),
        ("GET", 200, {}, SECONDARY, None),
    ],
)
def test_which_limit_is_reached(
    method: str, status: int, said: dict[str, object], content: str, limit: Limit | None
) -> None:
    assert read_limit(method, status, headers(**said), content.encode(), NOW) == limit
