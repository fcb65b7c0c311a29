"""start.py: seconds from the start of a process to its first batch."""

import statistics

import first_step
from contender import Failed
from ratios import median_interval, paired

WORKLOADS = ("csv", "million")


def measure(contenders, workload, threads, options):
    """Prints a table. Gives rows for JSON, and whether a contender failed."""
    if workload == "million":
        all_of = list(contenders.million(threads))
    else:
        all_of = [contenders.broch(workload, threads)]
        all_of += [contenders.peer(name, workload, threads) for name in options.peers_of(workload)]
    print(f"\n{workload}, {threads} thread(s): seconds to the first batch")
    try:
        times = first_step.measure(all_of, 2 if options.quick else 10)
    except Failed as failure:
        print(f"  VOID  {failure}", flush=True)
        return [], True
    rows = []
    for name, seconds in times.items():
        ratio, low, high = median_interval(paired(seconds, times["broch"]))
        middle = statistics.median(seconds)
        print(f"  {name:16}{middle:8.3f}{ratio:8.2f}  {f'{low:.2f}-{high:.2f}':13}", flush=True)
        rows.append(
            {
                "workload": workload,
                "threads": threads,
                "name": name,
                "seconds": middle,
                "ratio": ratio,
                "low": low,
                "high": high,
            }
        )
    return rows, False
