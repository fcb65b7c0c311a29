// collected_tensors.hpp: what a tower call has added to collections so far.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "valued.hpp"

namespace broch::tower {

class CollectedTensors {
 public:
  struct List {
    std::string_view name;  // stored in the definition, which outlives the call
    bool frozen;            // the tower drops the list
    std::vector<Valued> values;
  };

  void add(std::string_view name, bool frozen, Valued value) {
    auto list = std::ranges::find(lists_, name, &List::name);
    if (list == lists_.end()) list = lists_.insert(list, {name, frozen, {}});
    list->values.push_back(std::move(value));
  }
  // nullptr: nothing was added.
  const std::vector<Valued>* find(std::string_view name) const {
    const auto list = std::ranges::find(lists_, name, &List::name);
    return list == lists_.end() ? nullptr : &list->values;
  }
  std::vector<List>& lists() { return lists_; }
  void clear() { lists_.clear(); }

 private:
  std::vector<List> lists_;
};

}  // namespace broch::tower
