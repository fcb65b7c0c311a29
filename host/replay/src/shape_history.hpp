// shape_history.hpp: decides which shapes of inputs a runner records, keeps, forgets or leaves
// eager.
//
// At level fast a replayed step has other bits than an eager one. A resumed run must decide like
// the run that was saved, so everything that the decisions depend on is here and goes into
// checkpoints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace broch::replay {

class ShapeHistory {
 public:
  static constexpr size_t kMaxKept = 32;
  // All steps share one workspace, but each executable has its own inputs: 32 shapes of batches of
  // 64 MiB already take as much memory as everything else on many machines.
  static constexpr size_t kMaxBytes = size_t{2} << 30;
  static constexpr int kMaxMisses = 8;    // new shapes in a row
  static constexpr int kMaxReturns = 8;   // returns of shapes that were forgotten after few steps
  static constexpr uint64_t kWorth = 16;  // number of steps that make up for recording a shape

  // To be called when a step with inputs of this key begins. False: the shape is new and stays
  // eager.
  bool meet(uint64_t key);
  // Why new shapes stay eager, from the step on that decided it; "": they are recorded.
  const std::string& closed_because() const { return closed_because_; }
  uint64_t runs() const { return runs_; }

  // To be called when the last shape has been recorded, or when its memory has grown.
  void keep(size_t bytes);
  // Returns the key of a recording to delete: the least recently used one, while there are too
  // many or they are too large. Never the one used last.
  std::optional<uint64_t> forget();

  // Writes one line of text, and reads it; load returns false if the text is wrong.
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
  std::set<uint64_t> forgotten_;  // keys of recordings that were deleted before they paid off
  uint64_t met_ = 0;              // the key of the last step
  Kept* last_ = nullptr;          // its entry in kept_, if any
  uint64_t runs_ = 0;
  int misses_ = 0, returns_ = 0;
  std::string closed_because_;
};

}  // namespace broch::replay
