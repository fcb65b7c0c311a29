// description_tests.cpp: tests of the metadata of a component.
#include "abi/extensions.hpp"
#include "base/text.hpp"
#include "subject.hpp"
#include "tests.hpp"
#include "value/schema.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {
namespace {

std::string test_options_schema(Subject& subject) {
  value::Faults faults;
  value::check_schema(subject.schema(), base::Exit::plugin, faults);
  faults.raise();
  return "";
}

void require_option(const value::Value& schema, const char* member, const std::string& option) {
  if (option.empty()) return;
  const value::Value* const found = schema.find("properties");
  const value::Value properties = found ? *found : value::Value(value::Value::Object{});
  if (properties.find(option)) return;
  throw Failed(std::string(member) + " names the option " + base::quoted(option) +
               ", which is not in its schema" + base::did_you_mean(option, properties.keys()));
}

// The names between the braces of a pattern: "datasets/name" of "{datasets/name?_}cost".
std::vector<std::string> options_in(const std::string& pattern) {
  std::vector<std::string> options;
  for (size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1))
    options.push_back(pattern.substr(open + 1, pattern.find_first_of("?}", open) - open - 1));
  return options;
}

// The option itself, then what the path names below it, as far as the schema has plain properties
// there. A component that takes any option may name any.
void require_path(const value::Value& schema, const char* member, const std::string& path) {
  const size_t slash = path.find('/');
  const std::string option = path.substr(0, slash);
  const value::Value* const more = schema.find("additionalProperties");
  if (!more || *more == value::Value(false)) require_option(schema, member, option);
  const value::Value* const found = value::find_at(schema, "/properties/" + option);
  if (!found || slash == path.npos) return;
  const value::Value* const items = found->find("items");
  const value::Value& inner = items ? *items : *found;
  if (inner.find("properties")) require_path(inner, member, path.substr(slash + 1));
}

void require_options(const value::Value& schema, const char* member,
                     const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    for (const std::string& path : options_in(pattern)) require_path(schema, member, path);
}

std::string test_known_names(Subject& subject) {
  const plugins::Component& component = subject.component();
  if (!component.unknown_roles.empty())
    throw Failed("role " + base::join(component.unknown_roles, ", ") + ", expected one of " +
                 base::join(plugins::known_roles(), ", "));
  const value::Value schema = subject.schema();
  require_option(schema, "triggers_at_end", component.triggers_at_end);
  require_option(schema, "reorders", component.reorders);
  require_options(schema, "produces", component.produces);
  require_options(schema, "consumes", component.consumes);
  require_options(schema, "metric_prefix", {component.metric_prefix});
  const World world(subject);
  const std::vector<std::string> known = world.context().extension_ids();
  for (const std::string& id : component.requires_ext)
    if (!world.context().extension(id) && !id.starts_with("broch.torch_cxx/"))
      throw Failed("requires extension " + id + base::did_you_mean(id, known) + ", this host has " +
                   base::join(known, ", "));
  return "";
}

}  // namespace

std::vector<Test> description_tests() {
  return {
      {"options-schema", "the schema of the options has only known keywords, and defaults fit it",
       Stage::create, &test_options_schema, true},
      {"known-names", "asks for roles, extensions and options that there are", Stage::create,
       &test_known_names, true},
  };
}

}  // namespace broch::check
