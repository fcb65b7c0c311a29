// metric_name.cpp: one rule, for names in the metadata and for those that plugins give.
#include "train/metric_name.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace broch::train {

bool is_metric_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  return !name.empty() && base::is_utf8(name) && std::ranges::none_of(name, is_control);
}

}  // namespace broch::train
