// arena.cpp: borrowed handles. Slots are used again with a new generation.
#include <atomic>

#include "abi/handle.hpp"
#include "base/error.hpp"

namespace broch::abi {
namespace {

uint32_t next_arena_id() {
  static std::atomic<uint32_t> last{0};
  const uint32_t id = ++last;
  if (id >= kTableOwner)
    throw base::Error(base::Exit::memory,
                      base::Diagnostic{"handles", "more than 32767 threads at once",
                                       "fewer threads", "let plugins reuse their threads"});
  return id;
}

}  // namespace

Arena::Arena() : id_(next_arena_id()) {}

Arena::~Arena() { cut(0); }

void Arena::grow(const Object& object) {
  if (top_ > kIndexMax) {
    object.drop();
    throw base::Error(
        base::Exit::memory,
        base::Diagnostic{"handles", "16777216 borrowed handles in one call", "fewer at a time",
                         "push a scope in each iteration of the loop"});
  }
  slots_.emplace_back().next = make_handle(Kind::none, id_, 1, static_cast<uint32_t>(top_));
}

const char* Arena::why_not(uint64_t handle, Kind kind) const {
  if (handle == 0) return "it is 0, which stands for none";
  if (!is_borrowed(handle)) return "it is an owned handle, a borrowed one is needed here";
  if (handle_owner(handle) != id_)
    return "it was not made on this thread; retain what another thread needs";
  const uint32_t index = handle_index(handle);
  if (index >= top_ || handle_generation(slots_[index].next) != handle_generation(handle))
    return "it is stale: its scope has ended; retain what must live longer";
  const Slot& slot = slots_[index];
  if (!slot.handle) return "it was released";
  if (slot.handle != handle || handle_kind(handle) != kind) return "it is of another kind";
  return "it belongs to another tower call";
}

bool Arena::drop(uint64_t handle) {
  const uint32_t index = handle_index(handle);
  if (!handle || index >= top_ || slots_[index].handle != handle) return false;
  Slot& slot = slots_[index];
  const Object object = slot.object;
  slot.object = {};
  slot.handle = 0;
  object.drop();
  return true;
}

// Dropping an object may run a plugin's deleter, which may add handles, so the slot is freed first.
void Arena::release_down_to(size_t mark) {
  while (top_ > mark) {
    Slot& slot = slots_[--top_];
    const Object object = slot.object;
    slot.object = {};
    slot.handle = 0;
    slot.next = with_next_generation(slot.next);
    object.drop();
  }
}

void Arena::pop_mark() {
  const size_t mark = marks_.back();
  marks_.pop_back();
  cut(mark);
}

}  // namespace broch::abi
