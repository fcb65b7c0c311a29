// listed_points.cpp: the shape of nested lists, and their numbers one behind the other.
#include "files/listed_points.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "arrays/element.hpp"

namespace files {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& place, const std::string& found,
                         const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

const arrays::ElementFacts& element_named(const std::string& name) {
  for (const arrays::ElementFacts& known : arrays::kElements)
    if (name == known.name) return known;
  refuse("/dtypes", "'" + name + "'", "a dtype", "correct the list");
}

class Reader {
 public:
  Reader(const arrays::ElementFacts& element, std::string place)
      : element_(element), place_(std::move(place)) {}

  ListedComponent read(const json& value) {
    component_.type = element_.dl;
    for (const json* at = &value; at->is_array(); at = &(*at)[0]) {
      component_.shape.push_back(int64_t(at->size()));
      if (at->empty() || component_.shape.size() > 8)
        refuse(place_, at->empty() ? "an empty list" : "more than 8 lists in one another",
               "numbers", "correct the point");
    }
    add(value, 0);
    return std::move(component_);
  }

 private:
  void add(const json& value, size_t depth) {
    if (depth == component_.shape.size()) {
      if (value.is_array()) refuse_shape();
      arrays::with_type(element_.element, [&]<class T>(T) { put(number<T>(value)); });
      return;
    }
    if (!value.is_array() || int64_t(value.size()) != component_.shape[depth]) refuse_shape();
    for (const json& entry : value) add(entry, depth + 1);
  }

  template <class T>
  T number(const json& value) const {
    if (value.is_boolean()) return T(value.get<bool>());
    if constexpr (std::is_floating_point_v<T>) {
      if (value.is_number() && std::isfinite(value.get<T>())) return value.get<T>();
    } else {
      const bool whole = value.is_number_integer() &&
                         !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
      const bool is_bool = element_.element == arrays::Element::boolean;
      if (whole && std::in_range<T>(value.get<int64_t>()) && !(is_bool && value.get<int64_t>() > 1))
        return T(value.get<int64_t>());
    }
    refuse(place_, value.dump().substr(0, 40), std::string("a value of ") + element_.name,
           "correct the value, or choose another dtype in dtypes");
  }

  template <class T>
  void put(T value) {
    const size_t at = component_.bytes.size();
    component_.bytes.resize(at + sizeof value);
    std::memcpy(component_.bytes.data() + at, &value, sizeof value);
  }

  [[noreturn]] void refuse_shape() const {
    refuse(place_, "lists of different lengths", "a tensor: lists of equal lengths",
           "correct the point");
  }

  const arrays::ElementFacts& element_;
  std::string place_;
  ListedComponent component_;
};

}  // namespace

std::vector<std::vector<ListedComponent>> listed_points(const std::string& text,
                                                        const std::vector<std::string>& dtypes) {
  const json list = json::parse(text);
  std::vector<std::vector<ListedComponent>> points;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string place = "/points/" + std::to_string(i);
    const size_t components = dtypes.empty() ? list[0].size() : dtypes.size();
    if (list[i].size() != components)
      refuse(place, std::to_string(list[i].size()) + " components",
             std::to_string(components) +
                 (dtypes.empty() ? " as in the first point" : " as dtypes has"),
             "correct the point");
    points.emplace_back();
    for (size_t j = 0; j < components; ++j)
      points[i].push_back(Reader(element_named(dtypes.empty() ? "float32" : dtypes[j]),
                                 place + "/" + std::to_string(j))
                              .read(list[i][j]));
  }
  return points;
}

}  // namespace files
