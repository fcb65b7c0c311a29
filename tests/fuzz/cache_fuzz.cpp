// cache_fuzz.cpp: any bytes as the file of the dataflow cache, or as one of its records: data
// points, or an Error.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "dataflows/combinators/record.hpp"
#include "dataflows/combinators/record_store.hpp"

namespace {

using namespace broch::dataflows;

void read(const std::string& record) {
  read_record(record, [](const char*, const broch_dl_tensor& tensor) {
    uint64_t bytes = tensor.dtype.bits / 8u;
    for (int32_t i = 0; i < tensor.ndim; ++i)
      if (__builtin_mul_overflow(bytes, uint64_t(tensor.shape[i]), &bytes)) __builtin_trap();
    unsigned sum = 0;
    for (uint64_t i = 0; i < bytes; ++i) sum += static_cast<const uint8_t*>(tensor.data)[i];
    volatile unsigned kept = sum;
    (void)kept;
  });
}

void read_file(const std::string& bytes) {
  static const std::string path = "/dev/shm/broch-cache-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  uint64_t fingerprint = 0;
  if (bytes.size() >= 16) std::memcpy(&fingerprint, bytes.data() + 8, sizeof fingerprint);
  try {
    FileStore store(path, fingerprint, UINT64_MAX);
    for (uint64_t number = 0; number < 4; ++number)
      if (const Record record = store.get(number)) read(*record);
    store.put(5, "five");
    if (*store.get(5) != "five") __builtin_trap();
  } catch (const broch::Error&) {
  }
  std::filesystem::remove(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    data[0] & 1 ? read_file(bytes) : read(bytes);
  } catch (const broch::Error&) {
  }
  return 0;
}
