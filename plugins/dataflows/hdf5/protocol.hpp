// protocol.hpp: what the program hdf5_reader reads on its standard input and writes on its standard
// output. Both sides run on one machine and come from one installation, so these are structs.
//
//   hdf5_reader SECONDS FILE PATH...
//
// It answers with descriptions, a JSON array with an object for each path: {"type": [CODE, BITS],
// "rows": N, "row_bytes": N, "row_shape": [N, ...], "offset": N or null}. Then it answers each
// request with a row. It ends when its input does, or by SIGALRM if an answer takes longer than
// SECONDS.
#pragma once
#include <cstdint>

namespace hdf5 {

struct Request {
  uint64_t dataset, row;
};

// Followed by size bytes.
struct Answer {
  uint64_t size;
  int32_t status;  // a broch_status; not BROCH_OK: the bytes are the message of an error
  int32_t reserved;
};

}  // namespace hdf5
