// environment.cpp: from environment variables to values that are shown or concealed.
#include "environment.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "value/json.hpp"

namespace broch::manifest {
namespace {

// Whether a variable of this name probably holds a secret.
bool is_secret_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto has = [&name](std::string_view word) { return name.find(word) != std::string::npos; };
  const bool has_word = has("SECRET") || has("TOKEN") || has("PASSW") || has("PASSPHRASE") ||
                        has("CREDENTIAL") || has("APIKEY");
  return has_word || name == "KEY" || name.ends_with("_KEY") || name.ends_with("_PWD") ||
         name.ends_with("_AUTH");
}

void require_text(const std::string& found, const std::string& name, const Site& site) {
  const size_t most = Limits().string_bytes;
  if (base::is_utf8(found) && found.size() <= most) return;
  site.fail({"environment variable " + base::quoted(name) + " of " + std::to_string(found.size()) +
                 " bytes",
             "UTF-8 text of at most " + std::to_string(most) + " bytes",
             "set it to something else"});
}

Value value_of(const EnvironmentValue& variable, const Site& site) {
  require_text(*variable.value, variable.name, site);
  Substitution made{site.place(), true, variable.is_secret ? "${env:" + variable.name + "}" : ""};
  Origin origin = made_by("environment variable " + variable.name);
  origin.substitution = std::make_shared<const Substitution>(std::move(made));
  return Value(*variable.value, std::move(origin));
}

}  // namespace

std::optional<Value> EnvironmentReader::read(const Piece& piece, const Site& site) {
  const EnvironmentValue variable{piece.text, environment_(piece.text), is_secret_name(piece.text)};
  if (!only_checks_) note(variable);
  const bool is_empty = !variable.value || variable.value->empty();
  if (is_empty && piece.has_default) return std::nullopt;
  if (variable.value) return value_of(variable, site);
  if (only_checks_) return Value(std::string(), site.text.origin());
  site.fail({"environment variable " + base::quoted(piece.text) + ", which is not set",
             "a value for it", "set it, or give a default: ${env:" + piece.text + ":-value}"});
}

void EnvironmentReader::note(EnvironmentValue value) {
  if (std::ranges::find(noted_, value.name, &EnvironmentValue::name) == noted_.end())
    noted_.push_back(std::move(value));
}

}  // namespace broch::manifest
