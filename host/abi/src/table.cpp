// table.cpp: owned handles.
#include <algorithm>
#include <atomic>

#include "abi/handle.hpp"
#include "base/error.hpp"

namespace broch::abi {

uint32_t next_table_owner() {
  static std::atomic<uint32_t> last{0};
  return last++ % (kTableOwner - 1) + 1;
}

Table::~Table() {
  for (const Slot& slot : slots_) slot.object.drop();
}

uint64_t Table::add(Kind kind, Object object) {
  std::unique_lock lock(mutex_);
  uint32_t index = static_cast<uint32_t>(slots_.size());
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else if (index <= kIndexMax) {
    slots_.emplace_back();
  } else {
    lock.unlock();
    object.drop();
    throw base::Error(base::Exit::memory,
                      base::Diagnostic{"handles", "16777216 owned handles of one instance", "fewer",
                                       "release what is no longer needed"});
  }
  slots_[index].object = object;
  slots_[index].kind = kind;
  return make_handle(kind, owner_, slots_[index].generation, index);
}

const Table::Slot* Table::slot(uint64_t handle, Kind kind, const char** why) const {
  const uint32_t index = handle_index(handle);
  if (handle == 0) {
    *why = "it is 0, which stands for none";
  } else if (is_borrowed(handle)) {
    *why = "it is a borrowed handle, an owned one is needed here";
  } else if (handle_owner(handle) != owner_) {
    *why = "it belongs to another instance";
  } else if (index >= slots_.size() || slots_[index].generation != handle_generation(handle) ||
             slots_[index].kind == Kind::none) {
    *why = "it was released";
  } else if (handle_kind(handle) != kind || slots_[index].kind != kind) {
    *why = "it is of another kind";
  } else {
    return &slots_[index];
  }
  return nullptr;
}

void* Table::find(uint64_t handle, Kind kind, const char** why) const {
  const std::lock_guard lock(mutex_);
  const Slot* found = slot(handle, kind, why);
  return found ? found->object.pointer : nullptr;
}

Object Table::acquire(uint64_t handle, Kind kind, const char** why) const {
  const std::lock_guard lock(mutex_);
  const Slot* found = slot(handle, kind, why);
  if (!found) return {};
  Object object = found->object;
  if (object.retain)
    object.retain(object.pointer);
  else
    object.release = nullptr;  // without a reference of its own
  return object;
}

bool Table::remove(uint64_t handle) {
  Object object;
  {
    const std::lock_guard lock(mutex_);
    const char* why = nullptr;
    if (!slot(handle, handle_kind(handle), &why)) return false;
    const uint32_t index = handle_index(handle);
    Slot& freed = slots_[index];
    object = freed.object;
    freed.object = {};
    freed.kind = Kind::none;
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
  return static_cast<size_t>(std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.kind == Kind::owned_tensor || slot.kind == Kind::point;
  }));
}

}  // namespace broch::abi
