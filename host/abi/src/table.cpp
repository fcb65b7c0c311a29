// table.cpp: owned handles.
#include <atomic>
#include <utility>

#include "abi/handle.hpp"
#include "base/error.hpp"

namespace broch::abi {

uint32_t next_table_owner() {
  static std::atomic<uint32_t> last{0};
  return last++ % (kTableOwner - 1) + 1;
}

Table::~Table() {
  for (uint32_t index = 0; index < count_; ++index) {
    const Slot& slot = *slot_at(index);
    if (slot.handle) slot.object.drop();
  }
  for (const std::atomic<Slot*>& block : blocks_) delete[] block.load();
}

uint32_t Table::free_index() {
  if (!free_.empty()) {
    const uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  if (count_ > kIndexMax)
    throw base::Error(base::Exit::memory,
                      base::Diagnostic{"handles", "16777216 owned handles of one instance", "fewer",
                                       "release what is no longer needed"});
  if (!slot_at(count_)) {
    const size_t block = block_of(count_);
    blocks_[block].store(new Slot[size_t{64} << block], std::memory_order_release);
  }
  return count_++;
}

uint64_t Table::add(Kind kind, Object object) {
  try {
    const std::lock_guard lock(mutex_);
    const uint32_t index = free_index();
    Slot& slot = *slot_at(index);
    slot.object = object;
    const uint64_t handle = make_handle(kind, owner_, slot.generation, index);
    slot.handle.store(handle, std::memory_order_release);
    return handle;
  } catch (...) {
    object.drop();
    throw;
  }
}

const char* Table::why_not(uint64_t handle) const {
  if (handle == 0) return "it is 0, which stands for none";
  if (is_borrowed(handle)) return "it is a borrowed handle, an owned one is needed here";
  if (handle_owner(handle) != owner_) return "it belongs to another instance";
  const Slot* const slot = slot_at(handle_index(handle));
  const uint64_t now = slot ? slot->handle.load(std::memory_order_acquire) : 0;
  if (!now || handle_generation(now) != handle_generation(handle))
    return handle_kind(handle) == Kind::owned_tensor
               ? "it was released, or fetched in a run that has ended"
               : "it was released";
  return "it is of another kind";
}

// Only tensors are counted. Everything else stays where it is, because its owner waits for the
// call.
Object Table::acquire(uint64_t handle, Kind kind, const char** why) const {
  if (kind != Kind::owned_tensor) return {find(handle, kind, why)};
  const std::lock_guard lock(mutex_);
  if (!find(handle, kind, why)) return {};
  const Object object = slot_at(handle_index(handle))->object;
  object.retain(object.pointer);
  return object;
}

bool Table::remove(uint64_t handle) {
  Object object;
  {
    const std::lock_guard lock(mutex_);
    const char* why = nullptr;
    if (!find(handle, handle_kind(handle), &why)) return false;
    const uint32_t index = handle_index(handle);
    Slot& freed = *slot_at(index);
    freed.handle.store(0, std::memory_order_release);
    object = std::exchange(freed.object, {});
    freed.generation = next_generation(freed.generation);
    free_.push_back(index);
  }
  object.drop();
  return true;
}

// Counts only the kinds that their owner can release. Predictors, for example, live as long as
// their owner.
size_t Table::live() const {
  const std::lock_guard lock(mutex_);
  size_t live = 0;
  for (uint32_t index = 0; index < count_; ++index) {
    const Kind kind = handle_kind(slot_at(index)->handle);
    live += kind == Kind::owned_tensor || kind == Kind::point;
  }
  return live;
}

}  // namespace broch::abi
