// published_names.hpp: published names that are chosen by regular expressions for whole names.
#pragma once
#include <algorithm>

#include "variable_pattern.hpp"

namespace broch::callbacks {

// Checks the patterns, which stand under this pointer of the options. Throws Error if one is none.
inline void check_patterns(const std::string& pointer, const std::vector<std::string>& patterns) {
  for (size_t i = 0; i < patterns.size(); ++i)
    VariablePattern(pointer + "/" + std::to_string(i), patterns[i]);
}

// Of a deep network there are hundreds.
inline std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t kMost = 30;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i) text += (i ? ", " : "") + names[i];
  return text + (names.size() > kMost ? ", …" : "");
}

// Adds the inputs and published names of the main tower that one of the patterns matches, each
// once. Call it in setup_graph. Throws Error if a pattern matches nothing.
inline void add_published(const Host& host, const std::string& pointer,
                          const std::vector<std::string>& patterns,
                          std::vector<std::string>& names) {
  const std::vector<std::string> published = Collections(host).published();
  for (size_t i = 0; i < patterns.size(); ++i) {
    const std::string option = pointer + "/" + std::to_string(i);
    const VariablePattern pattern(option, patterns[i]);
    bool any = false;
    for (const std::string& name : published) {
      if (!pattern.matches(name)) continue;
      any = true;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (!any)
      throw Error(BROCH_E_NOT_FOUND, option + ": found no published name that '" + patterns[i] +
                                         "' matches as a whole, expected at least one of " +
                                         first_names(published));
  }
}

}  // namespace broch::callbacks
