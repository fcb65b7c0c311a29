// difference.cpp: compares two manifests value by value.
#include "manifest/difference.hpp"

#include <algorithm>

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

bool is_default(const Value* value) {
  if (value == nullptr) return true;
  const auto& source = value->origin().source;
  return source && value->origin().line == 0 && source->name.starts_with("default of ");
}

class Walk {
 public:
  explicit Walk(bool with_defaults) : with_defaults_(with_defaults) {}

  void compare(const Value* first, const Value* second, const std::string& pointer) {
    const auto are = [&](Kind kind) {
      return first != nullptr && second != nullptr && first->is(kind) && second->is(kind);
    };
    if (are(Kind::object)) return compare_members(*first, *second, pointer);
    if (are(Kind::array)) return compare_items(first->array(), second->array(), pointer);
    if (first != nullptr && second != nullptr && *first == *second) return;
    if (!with_defaults_ && is_default(first) && is_default(second)) return;
    found_.push_back({pointer, first, second});
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  void compare_members(const Value& first, const Value& second, const std::string& pointer) {
    for (const Member& member : first.object()) {
      compare(&member.value, second.find(member.key), child_pointer(pointer, member.key));
    }
    for (const Member& member : second.object()) {
      if (first.find(member.key) != nullptr) continue;
      compare(nullptr, &member.value, child_pointer(pointer, member.key));
    }
  }

  void compare_items(const Value::Array& first, const Value::Array& second,
                     const std::string& pointer) {
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      compare(i < first.size() ? &first[i] : nullptr, i < second.size() ? &second[i] : nullptr,
              child_pointer(pointer, i));
    }
  }

  const bool with_defaults_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Manifest& first, const Manifest& second,
                                    bool with_defaults) {
  Walk walk(with_defaults);
  walk.compare(&first.value, &second.value, "");
  return walk.take();
}

}  // namespace broch::manifest
