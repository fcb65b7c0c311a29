// tower_result.hpp: what one call of a tower function produced.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broch/ext/tower.h"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

struct Summary {
  std::string_view name;  // lives as long as the tower
  uint32_t kinds = 0;     // BROCH_SHOW_…
  Tensor tensor;
};
struct Moving {
  std::string_view name;  // lives as long as the tower
  double decay = 0.95;
  Tensor tensor;
  std::string_view collection = BROCH_MOVING_SUMMARY_OPS;  // lives as long as the tower
};
struct Update {
  Variable* variable = nullptr;
  Tensor value;
  std::string_view anchor;  // lives as long as the tower
  bool anchor_is_collection = false;
};

// Tensors by name, with the interface of a map, in the order of Tower::published_names(): an index
// from Tower::index_of is valid here.
class Published {
 public:
  struct Entry {
    std::string_view first;  // lives as long as the tower
    Tensor second;
  };
  using const_iterator = std::vector<Entry>::const_iterator;

  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const_iterator find(std::string_view name) const;
  size_t count(std::string_view name) const { return find(name) != end(); }
  bool contains(std::string_view name) const { return find(name) != end(); }
  const Tensor& at(std::string_view name) const;  // throws std::out_of_range
  const Tensor& operator[](size_t index) const { return entries_[index].second; }

  Tensor& value(size_t index) { return entries_[index].second; }

  void reserve(size_t count) { entries_.reserve(count); }
  void add(std::string_view name, Tensor tensor) { entries_.push_back({name, std::move(tensor)}); }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
};

// The published names that a value was computed from. Bit k stands for the k-th name; the last bit
// stands for all names from the 64th on, so for those "depends" may be a false positive.
class Tags {
 public:
  static constexpr size_t kOverflow = 63;
  static uint64_t bit(size_t index) {
    return uint64_t{1} << (index < kOverflow ? index : kOverflow);
  }
  std::vector<uint64_t> published;  // by index; includes the name's own bit
  uint64_t cost = 0;
};

// Tensors keep their autograd graph until the result is dropped; published ones are detached when
// they are fetched.
struct TowerResult {
  Tensor cost;
  Published published;  // includes the inputs as they were passed
  std::map<std::string, std::vector<Tensor>, std::less<>> collections;
  std::vector<Update> updates;     // in the order of the calls, without frozen ones
  std::vector<Summary> summaries;  // main training tower only
  std::vector<Moving> moving;
  // Trainable variables that were read, with the tensors to differentiate with respect to.
  std::vector<std::pair<Variable*, Tensor>> leaves;
  Tags tags;

  // Whether the published `name` (or the cost, if name is empty) was computed from `ancestor`. A
  // name depends on itself; an unknown name depends on nothing.
  bool depends(std::string_view name, std::string_view ancestor) const;

  void clear();  // keeps the allocated memory
};

}  // namespace broch::tower
