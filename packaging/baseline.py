"""What a package may need of a machine: glibc 2.34 and the libstdc++ of GCC 11, those of RHEL 9."""
import elf

MOST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}
NAMES = "glibc 2.34 and libstdc++ 3.4.29"

# Libraries that every machine has.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1",
          "libresolv.so.2", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1"}

# Debian 12 links these symbols with a version that is newer than the baseline. An older one does
# the same: wait lost its noexcept, for threads that are cancelled; hypot no longer sets errno.
OLDER = {
    ("GLIBCXX_3.4.30", "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"):
        "GLIBCXX_3.4.11",
    ("GLIBC_2.35", "hypot"): "GLIBC_2.2.5",
}
# Has no older version in glibc; libbsd has it, too. Where glibc has it, glibc comes first.
ELSEWHERE = {("GLIBC_2.36", "arc4random_buf"): ("GLIBC_2.2.5", "libbsd.so.0")}


def is_newer(version):
    kind, numbers = elf.numbers_of(version)
    return kind in MOST and numbers > MOST[kind]


def newer_needs(file):
    return [need for need in file.needs() if is_newer(need.version)]


def borrowed(file):
    """(symbol, library): symbols for which the file will need another library."""
    return [(symbol, ELSEWHERE[need.version, symbol][1]) for need in newer_needs(file)
            for symbol in need.symbols if (need.version, symbol) in ELSEWHERE]


def lower(path):
    """Makes an ELF file fit the baseline, where it is known how."""
    file = elf.File(path)
    changed = newer_needs(file)
    for need in changed:
        found = set()
        for symbol in need.symbols:
            key = need.version, symbol
            if key in ELSEWHERE:
                file.unversion(symbol)
            found.add(ELSEWHERE[key][0] if key in ELSEWHERE else OLDER.get(key))
        if len(found) != 1 or None in found:
            raise elf.Unfit(f"{path}: needs {need.version} of {need.library} for "
                            f"{', '.join(need.symbols)}, expected at most {NAMES}")
        file.lower(need, found.pop())
    if changed:
        file.write()
