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

std::string test_known_names(Subject& subject) {
  const plugins::Component& component = subject.component();
  if (!component.unknown_roles.empty())
    throw Failed("role " + base::join(component.unknown_roles, ", ") + ", expected one of " +
                 base::join(plugins::known_roles(), ", "));
  const value::Value schema = subject.schema();
  require_option(schema, "triggers_at_end", component.triggers_at_end);
  require_option(schema, "reorders", component.reorders);
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
