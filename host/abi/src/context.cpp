// context.cpp: objects by the slot of their type, extension tables by ID.
#include "abi/context.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace broch::abi {

size_t detail::next_slot() {
  static std::atomic<size_t> next{0};
  return next++;
}

void Context::set(size_t slot, void* object) {
  if (slot >= kSlots) throw std::logic_error("a context holds objects of at most 64 types");
  objects_[slot] = object;
}

void Context::extend(const char* id, const void* table) {
  if (!extensions_.emplace(id, table).second)
    throw std::logic_error(std::string("extension ") + id + " is registered twice");
}

const void* Context::extension(std::string_view id) const {
  const auto found = extensions_.find(id);
  return found == extensions_.end() ? nullptr : found->second;
}

std::vector<std::string> Context::extension_ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, table] : extensions_) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

}  // namespace broch::abi
