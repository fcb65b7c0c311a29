// entry.cpp: entries that do not come from a manifest.
#include "optimizer/entry.hpp"

#include "value/json.hpp"

namespace broch::optimizer {

Entry parse_entry(const std::string& text, const std::string& source) {
  value::Dialect strict;
  strict.relaxed = false;
  strict.exit = base::Exit::training;
  return {value::parse_text(source, text, strict), ""};
}

}  // namespace broch::optimizer
