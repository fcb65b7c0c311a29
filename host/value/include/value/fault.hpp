// fault.hpp: errors about values, collected so that one check reports all of them.
#pragma once
#include <string>
#include <vector>

#include "base/error.hpp"
#include "value/value.hpp"

namespace broch::value {

// A base::Diagnostic without the place.
struct Remark {
  std::string found;
  std::string expected;
  std::string hint;
};

// "run.json:3:7: /trainer/use: found …" with the hint and, if known, the line of text with a caret
// below the column.
base::Error fault_at(const Origin& origin, const std::string& pointer, const Remark& remark,
                     base::Exit exit = base::Exit::manifest);

// Adds the place in the manifest, on separate lines, to an error from elsewhere.
base::Error in_manifest(const base::Error& error, const Origin& origin, const std::string& pointer);

// The line of text at an origin, with a caret below it; "" if unknown.
std::string excerpt(const Origin& origin);

class Faults {
 public:
  void add(const Origin& origin, const std::string& pointer, const Remark& remark,
           base::Exit exit = base::Exit::manifest);
  void add(const base::Error& error);
  void add(const Faults& others);
  bool empty() const { return errors_.empty(); }
  // Throws one error with all messages, if there are any. Its exit code is that of the first
  // fault.
  void raise() const;

 private:
  std::vector<base::Error> errors_;
};

// "one of a, b and c".
std::string one_of(const std::vector<std::string>& names);
// "did you mean 'simple'?" or, if no name is similar, the other text.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& names,
                         const std::string& otherwise);
// A short description of a value, for messages: "'abc'", "3", "a list of 2", "an object"; for a
// secret "'${env:NAME}'".
std::string in_words(const Value& value);

}  // namespace broch::value
