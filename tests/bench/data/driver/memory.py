"""memory.py: what is resident after a round of the data, and after ten."""

from contender import Failed

# Workload: batches in a round, of the manifest's size.
ROUND = {"images-folder": 2048 // 64, "images-lmdb": 2048 // 64, "tokens": (128 << 20) // 256 // 64}
ROUNDS = 10
THREADS = (1, 2, 8)
CAPACITY = "data.with.capacity=16"  # two batches for each of the most threads


def measure(contenders, workload):
    """Prints a table. Gives rows for JSON, and whether a contender failed."""
    print(f"\n{workload}: MiB resident after 1 round and {ROUNDS}, and without mapped files")
    print(f"  {'threads':8}{'all':>8}{'':8}{'growth':>8}{'no files':>10}{'':8}{'growth':>8}")
    rows, failed = [], False
    for threads in THREADS:
        try:
            row = {"workload": workload, "threads": threads}
            row.update(resident(contenders, workload, threads))
        except Failed as failure:
            print(f"  {threads}  VOID  {failure}", flush=True)
            failed = True
            continue
        rows.append(row)
        (all_1, all_10), (own_1, own_10) = row["VmRSS"], row["RssAnon"]
        text = f"  {threads:<8}{all_1:8.1f}{all_10:8.1f}{all_10 - all_1:8.1f}"
        print(f"{text}{own_1:10.1f}{own_10:8.1f}{own_10 - own_1:8.1f}", flush=True)
    return rows, failed


def resident(contenders, workload, threads):
    contender = contenders.broch(workload, threads, [CAPACITY])
    found = {"VmRSS": [], "RssAnon": []}
    try:
        contender.start()
        for rounds in (1, ROUNDS - 1):
            contender.run(rounds * ROUND[workload])
            for word, values in found.items():
                values.append(contender.memory(word))
    finally:
        contender.stop()
    return found
