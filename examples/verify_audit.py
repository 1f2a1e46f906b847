#!/usr/bin/env python3
"""Verify what `pando admin audit export` wrote, with nothing but Python (docs/audit.md).

    pando admin audit export | python3 examples/verify_audit.py [DAY=HASH ...]

DAY=HASH is a day's head that was published earlier, as `pando admin audit heads` told it. Leaves 0 where every line is
what it was when it got its place, 1 where one is not.
"""
import hashlib
import json
import sys

NAMES = ["id", "at", "actor", "from", "action", "node", "account", "reason", "outcome", "detail"]


def digest(line):
    """SHA-256 of the values as netstrings, `-,` for one that is missing."""
    text = b"pando-audit-1,"
    for name in NAMES:
        value = line[name]
        if value is None:
            text += b"-,"
        else:
            value = str(value).encode()
            text += b"%d:%s," % (len(value), value)
    return hashlib.sha256(text).digest()


def verify(records, published=()):
    """The sentences that say what is wrong, and how many lines and days were read."""
    published, wrong, lines, days = dict(published), [], 0, 0
    head, place, last_hash = None, None, None
    # The last day whose lines were forgotten, and the last that a line tells of.
    forgotten, told, kept = None, "", False

    def close():
        if head and not head["purged_at"] and (place != head["last"] or last_hash.hex() != head["hash"]):
            wrong.append(f"{head['day']}: its lines do not lead to its head")

    for record in records:
        if "day" in record:
            close()
            if head and (record["previous"] != head["hash"] or record["first"] != head["last"] + 1):
                wrong.append(f"{record['day']}: it does not follow {head['day']}")
            head, place, last_hash = record, record["first"] - 1, bytes.fromhex(record["previous"])
            days += 1
            if not head["purged_at"]:
                kept = True
            elif kept or head["purged_at"][:10] <= head["day"]:
                wrong.append(f"{head['day']}: its lines are missing, and were not forgotten")
            else:
                forgotten = head
            if published.pop(head["day"], head["hash"]) != head["hash"]:
                wrong.append(f"{head['day']}: another head was published")
            continue
        place += 1
        lines += 1
        if record["place"] != place:
            wrong.append(f"{head['day']}: place {place} is missing")
            place = record["place"]
        elif hashlib.sha256(last_hash + digest(record)).hexdigest() != record["hash"]:
            wrong.append(f"{head['day']}: line {record['id']} at place {place} is not what it was")
        last_hash = bytes.fromhex(record["hash"])
        if record["action"] == "audit.purge":
            told = max(told, json.loads(record["detail"]).get("last", ""))
    close()
    # The line that tells so is of the day on which they were forgotten, or the next.
    if forgotten and told < forgotten["day"] and head["day"] > forgotten["purged_at"][:10]:
        wrong.append(f"{forgotten['day']}: its lines are missing, and no line says that they were forgotten")
    wrong += [f"{day}: published, and not here" for day in published]
    return wrong, lines, days


def main(arguments):
    published = [tuple(argument.split("=", 1)) for argument in arguments]
    wrong, lines, days = verify((json.loads(line) for line in sys.stdin.buffer if line.strip()), published)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    print(f"{lines} lines of {days} days: " + ("not intact" if wrong else "intact"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
