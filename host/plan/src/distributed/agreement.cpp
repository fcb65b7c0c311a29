// agreement.cpp: gathers and compares one checksum per value.
#include "plan/agreement.hpp"

#include <bit>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "plan/rank_gather.hpp"

namespace broch::plan {

namespace {

// For numbers the bits themselves, so that a message can show them.
uint64_t checksum(runtime::Backend& backend, const Agreed& one) {
  if (one.number) return std::bit_cast<uint64_t>(*one.number);
  const runtime::Tensor here = backend.brought_to({}, one.value);
  const std::span<const std::byte> bytes = bytes_of(backend, here);
  return base::hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

base::Error drifted(const Agreed& one, size_t rank, uint64_t theirs, uint64_t of_rank_0,
                    const std::string& when) {
  const std::string found =
      one.number
          ? base::shortest(std::bit_cast<double>(theirs)) + " on rank " + std::to_string(rank) +
                " and " + base::shortest(std::bit_cast<double>(of_rank_0)) + " on rank 0"
          : "other values on rank " + std::to_string(rank) + " than on rank 0";
  return {
      base::Exit::collective,
      {one.name, found + " " + when, "the same bits on all ranks, which the trainer keeps alike",
       "see what sets it on one rank alone, or from what one rank alone knows, such as a metric "
       "or data of its own"}};
}

}  // namespace

void require_agreement(dist::Group& group, runtime::Backend& backend,
                       const std::vector<Agreed>& list, const std::string& when) {
  if (list.empty()) return;
  std::vector<uint64_t> mine;
  for (const Agreed& one : list) mine.push_back(checksum(backend, one));
  const size_t world = group.ranks().world;
  std::vector<uint64_t> all(mine.size() * world);
  group.all_gather(std::as_bytes(std::span(mine)),
                   dist::parts_of(std::as_writable_bytes(std::span(all)), world));
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t rank = 1; rank < world; ++rank)
      if (const uint64_t theirs = all[rank * list.size() + i]; theirs != all[i])
        throw drifted(list[i], rank, theirs, all[i], when);
}

}  // namespace broch::plan
