"""What others need for time series, as JSON: run by the bench of series, so that both are measured in one run."""

import json
import os
import sqlite3
import statistics
import sys
import time

import polars

POINTS = 100_000
MINUTE = 60_000_000
START = 1_577_836_800_000_000


def points(count):
    """A price every minute, in cents."""
    state, value = 42, 10_000
    for number in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        value += (state >> 33) % 21 - 10
        yield START + number * MINUTE, value / 100


def milliseconds(work, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def executemany(directory, rounds):
    """Upserts into rows of (series, time, value), in one transaction that survives the machine."""
    rows = [(1, at, value) for at, value in points(POINTS)]
    times, size = [], 0
    for number in range(rounds):
        path = os.path.join(directory, f"peer-{number}.db")
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(
            "CREATE TABLE points (series INTEGER, at INTEGER, value REAL, PRIMARY KEY (series, at)) WITHOUT ROWID"
        )
        start = time.perf_counter()
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO points VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", rows
        )
        connection.execute("COMMIT")
        times.append((time.perf_counter() - start) * 1e3)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = os.path.getsize(path)
        connection.close()
    return statistics.median(times), size / POINTS


def stats(frame):
    """What the stats of a series say, as polars says it best."""
    value, at = polars.col("value"), polars.col("at")
    before = value.shift(1)
    step = (100 * (value - before) / before.abs()).abs()
    return frame.select(
        polars.len().alias("count"),
        at.first().alias("first_ts"),
        at.last().alias("last_ts"),
        value.first().alias("first"),
        value.last().alias("last"),
        value.min().alias("min"),
        at.get(value.arg_min()).alias("min_ts"),
        value.max().alias("max"),
        at.get(value.arg_max()).alias("max_ts"),
        value.mean().alias("mean"),
        step.max().alias("largest_move"),
        at.get(step.arg_max()).alias("largest_move_ts"),
    )


def main():
    directory = sys.argv[1]
    times, values = zip(*points(POINTS))
    frame = polars.DataFrame({"at": times, "value": values})
    put, size = executemany(directory, 7)
    print(
        json.dumps(
            {
                "executemany_ms": put,
                "executemany_bytes_a_point": size,
                "polars": polars.__version__,
                "polars_stats_ms": milliseconds(lambda: stats(frame), 101),
            }
        )
    )


if __name__ == "__main__":
    main()
