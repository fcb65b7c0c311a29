// world.cpp: entries of the component under test.
#include "world.hpp"

#include "manifest/component.hpp"

namespace broch::check {

manifest::Component entry_of(Subject& subject, const manifest::Value& options) {
  using manifest::Value;
  Value entry{Value::Object{}};
  entry.set("use", Value(subject.id()));
  entry.set("with", options);
  entry.set("name", Value(std::string("subject")));
  return manifest::resolve_component(entry, subject.component().role, subject.kinds(), "");
}

}  // namespace broch::check
