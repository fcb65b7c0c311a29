// arena.cpp: borrowed handles: slots reused through generations.
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
                      base::Complaint{"handles", "more than 32767 threads at once", "fewer threads",
                                      "let plugins reuse their threads"});
  return id;
}

}  // namespace

Arena::Arena() : id_(next_arena_id()) {}

Arena::~Arena() { cut(0); }

uint64_t Arena::add(Kind kind, Object object, uint64_t domain, uint64_t tags) {
  if (top_ > kIndexMax) {
    object.drop();
    throw base::Error(base::Exit::memory,
                      base::Complaint{"handles", "16777216 borrowed handles in one call",
                                      "fewer at a time", "push a scope in each turn of the loop"});
  }
  if (top_ == slots_.size()) slots_.emplace_back();
  Slot& slot = slots_[top_];
  slot.object = object;
  slot.domain = domain;
  slot.tags = tags;
  slot.kind = kind;
  return make_handle(kind, id_, slot.generation, static_cast<uint32_t>(top_++));
}

const Arena::Slot* Arena::live(uint64_t handle, const char** why) const {
  const uint32_t index = handle_index(handle);
  if (handle == 0) {
    *why = "it is 0, which stands for none";
  } else if (!is_borrowed(handle)) {
    *why = "it is an owned handle, a borrowed one is needed here";
  } else if (handle_owner(handle) != id_) {
    *why = "it was not made on this thread; retain what another thread needs";
  } else if (index >= top_ || slots_[index].generation != handle_generation(handle)) {
    *why = "it is stale: its scope has ended; retain what must live longer";
  } else if (!slots_[index].object.pointer) {
    *why = "it was released";
  } else {
    return &slots_[index];
  }
  return nullptr;
}

void* Arena::find(uint64_t handle, Kind kind, uint64_t domain, const char** why) const {
  const Slot* slot = live(handle, why);
  if (!slot) return nullptr;
  if (handle_kind(handle) != kind || slot->kind != kind) {
    *why = "it is of another kind";
  } else if (slot->domain != domain) {
    *why = "it belongs to another tower call";
  } else {
    return slot->object.pointer;
  }
  return nullptr;
}

bool Arena::drop(uint64_t handle) {
  const char* why = nullptr;
  const Slot* slot = live(handle, &why);
  if (!slot || slot->kind != handle_kind(handle)) return false;
  const Object object = slot->object;
  slots_[handle_index(handle)].object = {};
  object.drop();
  return true;
}

// Letting go of an object may run a plugin's deleter, which may add handles: the slot is free
// before.
void Arena::release_down_to(size_t mark) {
  while (top_ > mark) {
    Slot& slot = slots_[--top_];
    const Object object = slot.object;
    slot.object = {};
    slot.kind = Kind::none;
    slot.generation = next_generation(slot.generation);
    object.drop();
  }
}

void Arena::pop_mark() {
  const size_t mark = marks_.back();
  marks_.pop_back();
  cut(mark);
}

}  // namespace broch::abi
