// asked_tables.cpp: a set of extensions for each instance.
#include "abi/asked_tables.hpp"

namespace broch::abi {

void AskedTables::note(const Instance& instance, const char* extension) {
  const std::lock_guard lock(mutex_);
  auto& ids = asked_[&instance];
  if (!ids.contains(std::string_view(extension))) ids.emplace(extension);  // many ask again
}

bool AskedTables::has(const Instance& instance, std::string_view extension) const {
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(&instance);
  return found != asked_.end() && found->second.contains(extension);
}

}  // namespace broch::abi
