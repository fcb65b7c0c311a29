// selection.hpp: the variables that a gradient processor is for.
#pragma once
#include <string>
#include <vector>

#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

struct Selection {
  NameFilter filter;
  std::string pattern;  // as it was written, for messages

  bool takes(const runtime::Variable& variable) const { return filter.takes(variable); }
  // Warns if it takes none of the variables. what: what then happens to nothing, "mapped".
  void expect_any(const std::vector<runtime::Variable*>& variables, const std::string& processor,
                  const std::string& what) const;
};

}  // namespace broch::optimizer
