"""The protocol of `isotherm-measure` for its peers.

Lines `workload steps` come in, one line of JSON with the seconds goes out for each. A workload is
set up when it is first named, outside the clock, and kept.
"""

import json
import os
import sys
import time


def serve(prepare):
    """Answers requests. `prepare(work, data)` gives a function that does a number of steps."""
    workloads, data, threads = sys.argv[1:4]
    with open(workloads, encoding="utf-8") as file:
        described = json.load(file)
    limit_threads(int(threads))
    ready = {}
    for line in sys.stdin:
        name, steps = line.split()
        if name not in ready:
            ready[name] = prepare(described[name], lambda file: os.path.join(data, file))
        run = ready[name]
        before = waited()
        begun = time.perf_counter()
        run(int(steps))
        seconds = time.perf_counter() - begun
        print(json.dumps({"seconds": seconds, "waited": waited() - before}), flush=True)


def waited():
    """Seconds in which this thread was ready and another had the core; 0 if the system is silent."""
    try:
        with open("/proc/thread-self/schedstat", encoding="utf-8") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def limit_threads(threads):
    """Every library that has a pool of its own gets this many threads."""
    # Kept alive for the rest of the process: the limits end with the object.
    global _limits
    from threadpoolctl import threadpool_limits

    _limits = threadpool_limits(limits=threads)
