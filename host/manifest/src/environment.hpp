// environment.hpp: the environment variables that a manifest names.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "substitution_site.hpp"
#include "template.hpp"

namespace broch::manifest {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Reads variables, and notes which.
class EnvironmentReader {
 public:
  explicit EnvironmentReader(const Environment& environment) : environment_(environment) {}

  // The text of the variable that ${env:NAME} names, which a schema may convert; none if its
  // default has to be used.
  std::optional<Value> read(const Piece& piece, const Site& site);
  bool has(const std::string& name) const { return environment_(name).has_value(); }
  // From now on nothing is noted, and a variable that is not set counts as empty.
  void only_check() { only_checks_ = true; }
  // Every variable that was read, by first use.
  std::vector<EnvironmentValue> take_noted() { return std::move(noted_); }

 private:
  void note(EnvironmentValue value);

  const Environment& environment_;
  std::vector<EnvironmentValue> noted_;
  bool only_checks_ = false;
};

}  // namespace broch::manifest
