// batch_count.hpp: how many batches consecutive points make.
#pragma once
#include <cstdint>
#include <optional>

namespace broch::dataflows {

// points: of a round; no value: unknown. remainder: whether those that are left over are a batch.
inline std::optional<int64_t> batch_count(std::optional<int64_t> points, uint64_t batch_size,
                                          bool remainder) {
  if (!points) return std::nullopt;
  const int64_t size = int64_t(batch_size);
  return *points / size + (remainder && *points % size != 0 ? 1 : 0);
}

}  // namespace broch::dataflows
