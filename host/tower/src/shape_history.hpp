// shape_history.hpp: which shapes of inputs a runner records, keeps, forgets, and leaves eager.
//
// At level fast a replayed step has other bits than an eager one. A run that is continued must
// decide like the one that was saved, so all that decisions rest on is here and goes into
// checkpoints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace broch::tower {

class ShapeHistory {
 public:
  static constexpr size_t kMaxKept = 32;
  // The values of a step share one workspace, its inputs are each executable's own: 32 shapes of a
  // batch of 64 MiB are as much as everything else takes on many machines.
  static constexpr size_t kMaxBytes = size_t{2} << 30;
  static constexpr int kMaxMisses = 8;    // new shapes in a row
  static constexpr int kMaxReturns = 8;   // of shapes that were forgotten after few runs
  static constexpr uint64_t kWorth = 16;  // runs that make up for recording a shape

  // A run with inputs of this key begins. False: its shape is new and stays eager.
  bool meet(uint64_t key);
  // Why new shapes stay eager, from the run on in which that was decided; "": they are recorded.
  const std::string& closed_because() const { return closed_because_; }
  uint64_t runs() const { return runs_; }

  // The shape that was met last is recorded, or what it takes has grown.
  void keep(size_t bytes);
  // The key of a recording that has to go: the least recently used, while they are too many or too
  // large. The one used last stays, whatever it takes.
  std::optional<uint64_t> forget();

  // One line of words, and back; load returns false where it cannot be read.
  void save(std::ostream& out) const;
  bool load(std::istream& in);

 private:
  struct Kept {
    uint64_t runs = 0, last_run = 0;
    size_t bytes = 0;
  };
  void use(Kept& kept);
  void close(const std::string& why);

  std::map<uint64_t, Kept> kept_;
  std::set<uint64_t> forgotten_;  // keys of recordings that had to go before they were of use
  uint64_t met_ = 0;              // the key of the last run
  Kept* last_ = nullptr;          // and its place, where it is kept
  uint64_t runs_ = 0;
  int misses_ = 0, returns_ = 0;
  std::string closed_because_;
};

}  // namespace broch::tower
