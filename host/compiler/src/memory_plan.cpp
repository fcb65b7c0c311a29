// memory_plan.cpp: places the largest blocks first, each at the lowest free offset.
#include "memory_plan.hpp"

#include <algorithm>

namespace broch::compiler {
namespace {

constexpr size_t kAlignment = 64;

size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A block of memory, and the first and last call that needs it.
struct Block {
  size_t bytes;
  int first, last;
  size_t* offset;  // where to write the offset

  bool meets(const Block& other) const { return first <= other.last && other.first <= last; }
};

bool is_planned(const Buffer& buffer) {
  return buffer.kind == Buffer::Kind::value && !buffer.persistent && !buffer.held && buffer.bytes;
}

struct Life {
  int first = -1, last = -1;
  void touch(int call) {
    if (first < 0) first = call;
    last = call;
  }
};

std::vector<Life> lives_of(const Program& program) {
  std::vector<Life> lives(program.buffers.size());
  const auto count = static_cast<int>(program.nodes.size());
  for (int i = 0; i < count; ++i) {
    for (const int buffer : program.nodes[i].reads) lives[buffer].touch(i);
    for (const int buffer : program.nodes[i].writes) lives[buffer].touch(i);
  }
  const std::vector<bool> wanted = program.wanted_buffers();
  for (size_t i = 0; i < lives.size(); ++i)
    if (wanted[i] && lives[i].first >= 0) lives[i].last = count;
  return lives;
}

// The lowest offset at which the block overlaps no other block that is needed at the same time.
size_t lowest_offset(const Block& block, const std::vector<const Block*>& placed) {
  size_t at = 0;
  for (const Block* other : placed) {  // sorted by offset
    if (!other->meets(block)) continue;
    if (*other->offset >= at + block.bytes) break;
    at = std::max(at, *other->offset + other->bytes);
  }
  return at;
}

}  // namespace

MemoryPlan plan_memory(const Program& program) {
  MemoryPlan plan;
  plan.offset.assign(program.buffers.size(), MemoryPlan::kElsewhere);
  plan.scratch.resize(program.nodes.size());
  std::vector<Block> blocks;
  const std::vector<Life> lives = lives_of(program);
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (is_planned(program.buffers[i]) && lives[i].first >= 0)
      blocks.push_back(
          {padded(program.buffers[i].bytes), lives[i].first, lives[i].last, &plan.offset[i]});
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    plan.scratch[i].assign(node.allocations.size(), MemoryPlan::kElsewhere);
    for (size_t k = 0; k < node.allocations.size(); ++k)
      if (node.allocations[k].freed)
        blocks.push_back({padded(node.allocations[k].bytes), static_cast<int>(i),
                          static_cast<int>(i), &plan.scratch[i][k]});
  }
  std::ranges::stable_sort(blocks, std::greater<>(), &Block::bytes);
  std::vector<const Block*> placed;
  for (const Block& block : blocks) {
    *block.offset = lowest_offset(block, placed);
    plan.bytes = std::max(plan.bytes, *block.offset + block.bytes);
    plan.unplanned_bytes += block.bytes;
    placed.insert(std::ranges::upper_bound(placed, *block.offset, {},
                                           [](const Block* other) { return *other->offset; }),
                  &block);
  }
  return plan;
}

}  // namespace broch::compiler
