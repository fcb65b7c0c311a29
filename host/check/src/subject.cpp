// subject.cpp: opens the file and the component under test.
#include "subject.hpp"

#include <algorithm>

#include "abi/crash.hpp"
#include "abi/environment.hpp"
#include "value/json.hpp"
#include "verdict.hpp"

namespace broch::check {

const plugins::Component& Subject::component() {
  for (const plugins::Component& component : file().metadata.components)
    if (component.id == id_) return component;
  throw Failed("the metadata describe no component " + id_);
}

const plugins::Library& Subject::library() {
  plugins::LoadOptions options;
  options.breadcrumb = &abi::note_loading;
  if (const auto torch = backend_of_file()) options.torch = torch->build();
  const abi::Environment environment;
  const plugins::Library& library = plugins::load(file(), options);
  environment.check_loading(library.path());
  return library;
}

value::Value Subject::schema() {
  value::Dialect strict;
  strict.relaxed = false;
  strict.exit = base::Exit::plugin;
  return value::parse_text("options of " + id_, component().options, strict);
}

bool Subject::computes() {
  const auto has = [](const std::vector<std::string>& list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const plugins::Component& own = component();
  return has(own.roles, "model") || has(own.roles, "optimizer") ||
         has(own.roles, "gradient_processor") || has(own.requires_ext, "broch.ops/1");
}

const std::shared_ptr<runtime::Backend>& Subject::torch() {
  try {
    return ground_.torch();
  } catch (const base::Error& error) {
    throw Skipped(std::string("needs LibTorch: ") + error.what());
  }
}

std::shared_ptr<runtime::Backend> Subject::backend() {
  return computes() ? torch() : backend_of_file();
}

std::shared_ptr<runtime::Backend> Subject::backend_of_file() {
  return file().metadata.torch.empty() ? nullptr : torch();
}

}  // namespace broch::check
