// fault.hpp: diagnostics about a value, gathered so that one check shows them all.
#pragma once
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// The parts of a base::Diagnostic that are not the place.
struct Remark {
  std::string found;
  std::string expected;
  std::string hint;
};

// "run.json:3:7: /trainer/use: found …" with the hint and, where there is one, the line of text
// with a caret under the column.
base::Error fault_at(const Origin& origin, const std::string& pointer, const Remark& remark,
                     base::Exit exit = base::Exit::manifest);

// What somebody else refused, with the place in the manifest on lines of its own.
base::Error in_manifest(const base::Error& error, const Origin& origin, const std::string& pointer);

// The line of text that an origin points into and a caret below it, or "".
std::string excerpt(const Origin& origin);

class Faults {
 public:
  void add(const Origin& origin, const std::string& pointer, const Remark& remark,
           base::Exit exit = base::Exit::manifest);
  void add(const base::Error& error);
  void add(const Faults& others);
  bool empty() const { return errors_.empty(); }
  // Throws one error with every message, if there is any; its exit code is the first fault's.
  void raise() const;

 private:
  std::vector<base::Error> errors_;
};

// "one of a, b and c", of known names.
std::string one_of(const std::vector<std::string>& names);
// "did you mean 'simple'?" or, when no name is near, the other text.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& names,
                         const std::string& otherwise);
// A value in a few words, for a message: "'abc'", "3", "a list of 2", "an object".
std::string in_words(const Value& value);

}  // namespace broch::manifest
