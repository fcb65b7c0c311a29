// group.hpp: what ranks do together. All call the same in the same order; a rank that does not come
// within the time limit, or is gone, ends the call of the others with base::Error (collective).
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dist/ranks.hpp"

namespace broch::dist {

class Group {
 public:
  virtual ~Group() = default;
  virtual const Ranks& ranks() const = 0;
  virtual std::string engine() const = 0;  // "Gloo (c10d)", for messages

  // The bytes of the root, for all. REQUIRES: as many on each rank.
  virtual void broadcast(std::span<std::byte> bytes, uint32_t root) = 0;
  // Everybody's bytes; all: by rank, where they go. REQUIRES: each is as long as mine, which is so
  // on every rank.
  // timeout: instead of the usual one.
  virtual void all_gather(std::span<const std::byte> mine,
                          std::span<const std::span<std::byte>> all,
                          std::optional<std::chrono::milliseconds> timeout = {}) = 0;
  // Bytes for one other rank, which receives as many; what one sends to another arrives in order.
  virtual void send(std::span<const std::byte> bytes, uint32_t to) = 0;
  virtual void receive(std::span<std::byte> bytes, uint32_t from,
                       std::optional<std::chrono::milliseconds> timeout = {}) = 0;
  // Returns when all have called it.
  virtual void barrier() = 0;
  // The ranks below `count` by themselves. REQUIRES: each of them calls it, and no other.
  virtual std::unique_ptr<Group> first(uint32_t count) = 0;

  // Everybody's text, by rank, however long each is.
  std::vector<std::string> all_gather(const std::string& text);
  // Whether anyone says so. Waits a day: for what only one rank has to do meanwhile.
  bool any(bool here);
};

// Meets the others. Opens the engine, a shared object beside the program. timeout: of this and of
// each later call. Throws base::Error: collective where a rank does not come, plugin where the
// engine is missing.
std::unique_ptr<Group> join(const Ranks& ranks, std::chrono::milliseconds timeout);

}  // namespace broch::dist
