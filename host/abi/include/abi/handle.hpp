// handle.hpp: the numbers that plugins hold instead of pointers. They are checked at every use.
//
// Layout of a handle, from the low bits: index 24 bits, generation 20, owner 16, kind 4. The owner
// is the arena of the thread that made a borrowed handle, or the table that keeps an owned handle
// (then kTableOwner is set).
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "broch/value.h"

namespace broch::abi {

enum class Kind : uint8_t {
  none = 0,
  tensor = 1,        // borrowed: in the arena of a thread
  owned_tensor = 2,  // in the table of its instance
  variable = 3,
  op = 4,
  tower = 5,
  plan = 6,
  node = 7,
  run = 8,
  point = 9,
  predictor = 10,
  operation = 11,
  saved = 12,
  async_predictor = 13,
};
const char* kind_name(Kind kind);

inline constexpr uint32_t kIndexMax = 0xFFFFFF;
inline constexpr uint32_t kGenerationMax = 0xFFFFF;
inline constexpr uint32_t kTableOwner = 0x8000;

constexpr uint64_t make_handle(Kind kind, uint32_t owner, uint32_t generation, uint32_t index) {
  return uint64_t(kind) << 60 | uint64_t(owner & 0xFFFF) << 44 |
         uint64_t(generation & kGenerationMax) << 24 | (index & kIndexMax);
}
constexpr Kind handle_kind(uint64_t handle) { return Kind(handle >> 60); }
constexpr uint32_t handle_owner(uint64_t handle) { return handle >> 44 & 0xFFFF; }
constexpr uint32_t handle_generation(uint64_t handle) { return handle >> 24 & kGenerationMax; }
constexpr uint32_t handle_index(uint64_t handle) { return handle & kIndexMax; }
// Whether the handle is from an arena. The kind does not always say: a point, for example, may be
// borrowed or owned.
constexpr bool is_borrowed(uint64_t handle) { return !(handle_owner(handle) & kTableOwner); }

// Skips generation 0, which would make the handle 0 possible.
constexpr uint32_t next_generation(uint32_t generation) {
  return generation == kGenerationMax ? 1 : generation + 1;
}

// The same handle with the next generation.
constexpr uint64_t with_next_generation(uint64_t handle) {
  if (handle_generation(handle) == kGenerationMax) [[unlikely]]
    handle -= uint64_t(kGenerationMax) << 24;
  return handle + (uint64_t(1) << 24);
}

// A message such as "tensor handle 0x…: its scope has ended". `why` is what find() has set.
std::string explain(uint64_t handle, Kind expected, const char* why);

// What a handle refers to: a reference-counted object of a higher room, and how to release it.
struct Object {
  void* pointer = nullptr;                   // never NULL in a slot that is in use
  void (*release)(void* pointer) = nullptr;  // drops one reference; NULL: there is nothing to drop
  void (*retain)(void* pointer) = nullptr;   // adds one; only tensors need it

  void drop() const {
    if (pointer && release) release(pointer);
  }
};

// The borrowed handles of one thread, as a stack. The end of a scope cuts it back.
//
// A `domain` is one tower call, and 0 is outside of them. A handle made in one domain is refused in
// another. `tags` is a set that the runtime passes on from arguments to results: the published
// names that a value depends on.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static Arena& of_this_thread();  // defined in thread.hpp

  // Takes over one reference to the object, even if it throws base::Error (memory).
  uint64_t add(Kind kind, Object object, uint64_t domain, uint64_t tags = 0) {
    if (top_ == slots_.size()) [[unlikely]]
      grow(object);
    Slot& slot = slots_[top_];
    slot.object = object;
    slot.domain = domain;
    slot.tags = tags;
    ++top_;
    return slot.handle = uint64_t(kind) << 60 | slot.next;
  }

  // Returns the object. Or it returns nullptr and sets *why: the handle is stale, or from another
  // thread, another tower call or of another kind.
  void* find(uint64_t handle, Kind kind, uint64_t domain, const char** why) const {
    const uint32_t index = handle_index(handle);
    if (index < top_) [[likely]] {
      const Slot& slot = slots_[index];
      if (slot.handle == handle && slot.domain == domain && handle_kind(handle) == kind) [[likely]]
        return slot.object.pointer;
    }
    *why = why_not(handle, kind);
    return nullptr;
  }
  uint64_t tags(uint64_t handle) const {
    return slots_[handle_index(handle)].tags;
  }  // REQUIRES: find() has found it

  // Drops the object now; the slot stays until its scope ends. Returns false if the handle is not
  // valid.
  bool drop(uint64_t handle);

  size_t mark() const { return top_; }  // begins a scope
  void cut(size_t mark) {               // ends it, and releases what was added since
    if (top_ > mark) release_down_to(mark);
  }
  uint32_t id() const { return id_; }

  // Scopes that the plugin itself begins and ends. The caller counts them, see Entry in guard.hpp.
  void push_mark() { marks_.push_back(top_); }
  void pop_mark();
  void forget_marks(size_t count) { marks_.resize(marks_.size() - count); }

 private:
  struct alignas(64) Slot {
    Object object;
    uint64_t handle = 0;  // 0: never used, or released before its scope ended
    uint64_t domain = 0;
    uint64_t tags = 0;
    uint64_t next = 0;  // the handle without its kind: owner, generation, index
  };
  const char* why_not(uint64_t handle, Kind kind) const;
  void grow(const Object& object);
  void release_down_to(size_t mark);

  std::vector<Slot> slots_;
  std::vector<size_t> marks_;
  size_t top_ = 0;
  uint32_t id_;
};

// Handles that outlive a scope: owned tensors, points, predictors, variables. [any]
//
// Slots never move, and find takes no lock: several threads that read data use it for each point.
class Table {
 public:
  // `owner` is a number that no other existing table has; see next_table_owner.
  explicit Table(uint32_t owner) : owner_(owner | kTableOwner) {}
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Takes over one reference to the object, even if it throws base::Error (memory).
  uint64_t add(Kind kind, Object object);
  // Returns the object. Or it returns nullptr and sets *why. REQUIRES: no other thread removes the
  // handle while the pointer is in use.
  void* find(uint64_t handle, Kind kind, const char** why) const {
    const Slot* const slot = slot_at(handle_index(handle));
    if (slot && slot->handle.load(std::memory_order_acquire) == handle &&
        handle_kind(handle) == kind) [[likely]]
      return slot->object.pointer;
    *why = why_not(handle);
    return nullptr;
  }
  // The same, but adds a reference (Object::retain) to a tensor that the caller must drop.
  Object acquire(uint64_t handle, Kind kind, const char** why) const;
  bool remove(uint64_t handle);
  size_t live() const;  // for reports of leaks

 private:
  struct Slot {
    std::atomic<uint64_t> handle{0};  // 0: the slot is free
    Object object;
    uint32_t generation = 1;
  };
  // Block b has 64 << b slots, so the blocks before it have 64 * (2^b - 1).
  static constexpr size_t kBlocks = 19;
  static constexpr size_t block_of(uint32_t index) { return std::bit_width(index / 64 + 1) - 1; }
  static constexpr size_t first_of(size_t block) { return 64 * ((size_t{1} << block) - 1); }
  Slot* slot_at(uint32_t index) const {
    const size_t block = block_of(index);
    Slot* const slots = blocks_[block].load(std::memory_order_acquire);
    return slots ? slots + (index - first_of(block)) : nullptr;
  }
  const char* why_not(uint64_t handle) const;
  uint32_t free_index();  // REQUIRES: mutex_ is locked

  mutable std::mutex mutex_;  // guards what follows, but not reading it in find
  std::array<std::atomic<Slot*>, kBlocks> blocks_{};
  uint32_t count_ = 0;  // of slots that were ever used
  std::vector<uint32_t> free_;
  uint32_t owner_;
};

// Gives the numbers 1, 2, … 32767 in turn, then starts again.
uint32_t next_table_owner();

}  // namespace broch::abi
