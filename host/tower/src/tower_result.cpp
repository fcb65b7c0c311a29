// tower_result.cpp: access to results by name.
#include "tower/tower_result.hpp"

#include <algorithm>
#include <stdexcept>

namespace broch::tower {

Published::const_iterator Published::find(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::first);
}

const Tensor& Published::at(std::string_view name) const {
  const const_iterator found = find(name);
  if (found == end()) throw std::out_of_range("not published: " + std::string(name));
  return found->second;
}

bool TowerResult::depends(std::string_view name, std::string_view ancestor) const {
  const auto of = published.find(ancestor);
  if (of == published.end()) return false;
  uint64_t tags_of_name = tags.cost;
  if (!name.empty()) {
    const auto found = published.find(name);
    if (found == published.end()) return false;
    tags_of_name = tags.published[static_cast<size_t>(found - published.begin())];
  }
  return tags_of_name & Tags::bit(static_cast<size_t>(of - published.begin()));
}

void TowerResult::clear() {
  cost = {};
  published.clear();
  collections.clear();
  updates.clear();
  summaries.clear();
  moving.clear();
  leaves.clear();
  tags.published.clear();
  tags.cost = 0;
}

}  // namespace broch::tower
