// handle.hpp: numbers that plugins hold instead of pointers, checked on every use.
//
// Layout of a handle, low to high: index 24 bits, generation 20, owner 16, kind 4. owner is the
// arena of the thread that made a borrowed handle, or the table that keeps an owned one
// (kTableOwner set).
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "broch/value.h"

namespace broch::abi {

enum class Kind : uint8_t {
  none = 0,
  tensor = 1,        // borrowed: lives in a thread's arena
  owned_tensor = 2,  // lives in its instance
  variable = 3,
  op = 4,
  tower = 5,
  plan = 6,
  node = 7,
  run = 8,
  point = 9,
  predictor = 10,
  graph_op = 11,
  saved = 12,
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
// True for handles of an arena: a point, for example, may be borrowed or owned.
constexpr bool is_borrowed(uint64_t handle) { return !(handle_owner(handle) & kTableOwner); }

// 0 is left out: it would make handle 0 possible.
constexpr uint32_t next_generation(uint32_t generation) {
  return generation == kGenerationMax ? 1 : generation + 1;
}

// The same handle a generation later.
constexpr uint64_t with_next_generation(uint64_t handle) {
  if (handle_generation(handle) == kGenerationMax) [[unlikely]]
    handle -= uint64_t(kGenerationMax) << 24;
  return handle + (uint64_t(1) << 24);
}

// "tensor handle 0x…: its scope has ended": why is what a find() set.
std::string explain(uint64_t handle, Kind expected, const char* why);

// What a handle stands for: a counted object of a higher room and how to let go of it.
struct Object {
  void* pointer = nullptr;                   // never NULL in a slot that is in use
  void (*release)(void* pointer) = nullptr;  // drops one reference; NULL: nothing to drop
  void (*retain)(void* pointer) = nullptr;   // adds one; NULL: acquire() lends without counting

  void drop() const {
    if (pointer && release) release(pointer);
  }
};

// The borrowed handles of one thread: a stack that scopes cut back.
//
// domain tells tower calls apart: a handle made in one is refused in another; 0 is "outside". tags
// is a set that the runtime carries from arguments to results (which published names a value
// depends on).
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static Arena& of_this_thread();  // thread.hpp

  // Takes over one reference of the object, also when it throws base::Error (memory).
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

  // The object, or nullptr after setting *why (stale, other thread, other tower call, wrong kind).
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
  }  // REQUIRES: found

  // Drops the object now; the slot stays until its scope ends. False if the handle is not valid.
  bool drop(uint64_t handle);

  size_t mark() const { return top_; }  // open a scope …
  void cut(size_t mark) {               // … and close it, releasing what was added since
    if (top_ > mark) release_down_to(mark);
  }
  uint32_t id() const { return id_; }

  // Scopes that the plugin pushed itself; the caller counts them (guard.hpp).
  void push_mark() { marks_.push_back(top_); }
  void pop_mark();
  void forget_marks(size_t count) { marks_.resize(marks_.size() - count); }

 private:
  struct alignas(64) Slot {
    Object object;
    uint64_t handle = 0;  // 0: nobody's, or released before its scope ended
    uint64_t domain = 0;
    uint64_t tags = 0;
    uint64_t next = 0;  // handle without its kind: owner, generation, index
  };
  const char* why_not(uint64_t handle, Kind kind) const;
  void grow(const Object& object);
  void release_down_to(size_t mark);

  std::vector<Slot> slots_;
  std::vector<size_t> marks_;
  size_t top_ = 0;
  uint32_t id_;
};

// Handles that live longer than a scope: owned tensors, points, predictors, variables. Any thread.
class Table {
 public:
  // owner: a number that no other living table has; see next_table_owner.
  explicit Table(uint32_t owner) : owner_(owner | kTableOwner) {}
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Takes over one reference of the object, also when it throws base::Error (memory).
  uint64_t add(Kind kind, Object object);
  // REQUIRES: nobody removes the handle on another thread while the pointer is in use.
  void* find(uint64_t handle, Kind kind, const char** why) const;
  // The same with a reference of its own (Object::retain); the caller drops it.
  Object acquire(uint64_t handle, Kind kind, const char** why) const;
  bool remove(uint64_t handle);
  size_t live() const;  // for leak reports

 private:
  struct Slot {
    Object object;
    uint32_t generation = 1;
    Kind kind = Kind::none;
  };
  const Slot* slot(uint64_t handle, Kind kind, const char** why) const;

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  uint32_t owner_;
};

// Numbers for tables: 1, 2, … 32767 and from the start again.
uint32_t next_table_owner();

}  // namespace broch::abi
