// group.hpp: communication between ranks. All ranks make the same calls in the same order. If a
// rank does not take part within the time limit, or has ended, the call fails on the other ranks
// with base::Error (collective).
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
  usual,  // the time limit of the group
  none,   // for a rank that may be busy for long: waits until it takes part, or until interrupt()
};

// Where the bytes of a call lie: in host memory, or else the number of a CUDA device.
constexpr int kHostMemory = -1;

// The number of the group that plugins use. Smaller numbers are for the groups that a ProcessGroup
// makes, numbers from kFirstNumber for other groups.
constexpr uint32_t kPluginsNumber = 9;
constexpr uint32_t kFirstNumber = 10;

// Only one thread at a time may call a group. Another thread may call another group meanwhile.
class Group {
 public:
  virtual ~Group() = default;
  virtual const Ranks& ranks() const = 0;
  virtual std::string engine() const = 0;  // "Gloo (c10d)", for messages
  // Whether broadcast and all_gather accept this memory. The other calls need host memory.
  virtual bool reaches(int memory) const { return memory == kHostMemory; }

  // Copies the bytes of the rank `root` to all ranks. REQUIRES: the size is the same on all ranks;
  // reaches(memory).
  virtual void broadcast(std::span<std::byte> bytes, uint32_t root, int memory) = 0;
  void broadcast(std::span<std::byte> bytes, uint32_t root) { broadcast(bytes, root, kHostMemory); }
  // Copies the bytes `mine` of every rank to all ranks: those of rank r go to all[r]. REQUIRES:
  // `mine` has the same size on all ranks, and so has each element of `all`; everything lies in
  // `memory`, and reaches(memory).
  virtual void all_gather(std::span<const std::byte> mine,
                          std::span<const std::span<std::byte>> all, int memory) = 0;
  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all) {
    all_gather(mine, all, kHostMemory);
  }
  // Sends bytes to one other rank, which must receive the same number of bytes. Messages from one
  // rank to another arrive in the order in which they were sent.
  virtual void send(std::span<const std::byte> bytes, uint32_t to, Limit limit = Limit::usual) = 0;
  virtual void receive(std::span<std::byte> bytes, uint32_t from, Limit limit = Limit::usual) = 0;
  // Returns when all ranks have called it.
  virtual void barrier() = 0;
  // Makes a group of the ranks below `count`. `number` identifies it: from kFirstNumber to 1000,
  // and different for each group. REQUIRES: each of these ranks calls it, and no other rank does.
  virtual std::unique_ptr<Group> first(uint32_t count, uint32_t number) = 0;
  // Ends all calls without a limit, present and future, of this group and of the groups that
  // first() made, with this error. [any]
  virtual void interrupt(const base::Error& why) = 0;

  // The texts of all ranks, by rank. They can differ in length.
  std::vector<std::string> all_gather(const std::string& text);
  // Whether `here` is true on any rank. It has no time limit, because some ranks may be busy longer
  // than others before they call it.
  bool any(bool here);
};

// For engines: the error of a rank whose call, `what`, failed because other ranks did not take
// part.
base::Error lost_others(const Ranks& ranks, const std::string& what, const std::string& found);
// Divides `all` into `count` parts of equal size.
std::vector<std::span<std::byte>> parts_of(std::span<std::byte> all, size_t count);

}  // namespace broch::dist
