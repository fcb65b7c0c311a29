// io_faults.hpp: file system calls of the room that fail, stop half-way or never return, at a
// chosen call. The test executable's own open, write, pread, fsync, rename, flock and close come
// before libc's.
#pragma once

namespace broch::store {

enum class IoFault {
  none,
  fail,         // the n-th call returns the error
  fail_sticky,  // it and all after it
  kill_before,  // the process dies at the n-th call, before it has an effect
  kill_after,   // … after it
  short_write,  // every write stops half-way
};

// Counts calls from now on; the n-th (from 1) is hit.
void arm_io(IoFault fault, int nth = 0, int error = 0);
// Back to normal. Returns how many calls there were.
int disarm_io();

// Whether an exclusive lock needs a descriptor that is open for writing, as on NFS.
void lock_as_nfs(bool on);

}  // namespace broch::store
