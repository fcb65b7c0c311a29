// group.hpp: what ranks do together. All call the same in the same order; a rank that does not come
// within the time limit, or is gone, ends the call of the others with base::Error (collective).
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dist/ranks.hpp"

namespace broch::base {
class Error;
}

namespace broch::dist {

// How long a call waits for another rank.
enum class Limit {
  usual,  // the time that ranks are given to meet
  none,   // for one that may be busy for long: until it comes, or interrupt()
};

// Whose memory the bytes of a call are: this, or the number of a CUDA device.
constexpr int kHostMemory = -1;

// Of the group that plugins use; numbers below are those of a ProcessGroup.
constexpr uint32_t kPluginsNumber = 9;
constexpr uint32_t kFirstNumber = 10;

// Calls are made by one thread at a time, those of another group by another if need be.
class Group {
 public:
  virtual ~Group() = default;
  virtual const Ranks& ranks() const = 0;
  virtual std::string engine() const = 0;  // "Gloo (c10d)", for messages
  // Whether broadcast and all_gather take such memory. The other calls take the host's.
  virtual bool reaches(int memory) const { return memory == kHostMemory; }

  // The bytes of the root, for all. REQUIRES: as many on each rank; reaches(memory).
  virtual void broadcast(std::span<std::byte> bytes, uint32_t root, int memory) = 0;
  void broadcast(std::span<std::byte> bytes, uint32_t root) { broadcast(bytes, root, kHostMemory); }
  // Everybody's bytes; all: by rank, where they go. REQUIRES: each is as long as mine, which is so
  // on every rank; reaches(memory), in which all of them are.
  virtual void all_gather(std::span<const std::byte> mine,
                          std::span<const std::span<std::byte>> all, int memory) = 0;
  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all) {
    all_gather(mine, all, kHostMemory);
  }
  // Bytes for one other rank, which receives as many; what one sends to another arrives in order.
  virtual void send(std::span<const std::byte> bytes, uint32_t to, Limit limit = Limit::usual) = 0;
  virtual void receive(std::span<std::byte> bytes, uint32_t from, Limit limit = Limit::usual) = 0;
  // Returns when all have called it.
  virtual void barrier() = 0;
  // The ranks below `count` by themselves. number: of this group, from kFirstNumber to 1000,
  // another one for each that is made. REQUIRES: each of them calls it, and no other.
  virtual std::unique_ptr<Group> first(uint32_t count, uint32_t number) = 0;
  // Ends calls without a limit, now and later, of this group and of those that first() made, by
  // that error. [any thread]
  virtual void interrupt(const base::Error& why) = 0;

  // Everybody's text, by rank, however long each is.
  std::vector<std::string> all_gather(const std::string& text);
  // Whether anyone says so. Without a limit: some ranks may have more to do before than others.
  bool any(bool here);
};

// For engines: what a rank says when others did not come. what: the call.
base::Error lost_others(const Ranks& ranks, const std::string& what, const std::string& found);
// Where each rank's part of one piece of memory lies.
std::vector<std::span<std::byte>> parts_of(std::span<std::byte> all, size_t count);

}  // namespace broch::dist
