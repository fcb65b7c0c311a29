// selection.cpp: warns of a selection that selects nothing.
#include "selection.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::optimizer {

void Selection::expect_any(const std::vector<runtime::Variable*>& variables,
                           const std::string& processor, const std::string& what) const {
  const auto taken = [&](const runtime::Variable* variable) { return takes(*variable); };
  if (std::ranges::any_of(variables, taken)) return;
  base::warning(processor + ": no variable that gets a gradient has a name that is " +
                base::quoted(pattern) + " as a whole: nothing is " + what);
}

}  // namespace broch::optimizer
