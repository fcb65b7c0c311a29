// setup.cpp: from a path to a checked manifest.
#include "session/setup.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "functions.hpp"
#include "manifest/json.hpp"

namespace broch::session {
namespace {

using manifest::Component;
using manifest::Value;

constexpr const char* kSimple = "broch.trainer.simple";
constexpr const char* kQueueInput = "broch.trainer.queue-input";
constexpr const char* kFeed = "broch.input_source.feed";
constexpr const char* kQueue = "broch.input_source.queue";

Value device_list(const std::vector<int64_t>& towers, const manifest::Origin& origin) {
  Value::Array devices;
  for (const int64_t tower : towers) devices.emplace_back("cpu:" + std::to_string(tower), origin);
  return Value(std::move(devices), origin);
}

}  // namespace

std::unique_ptr<plugins::Catalog> open_catalog(const std::vector<std::string>& files,
                                               const std::vector<std::string>& plugin_path) {
  return std::make_unique<plugins::Catalog>(
      files, plugins::search_places(plugin_path, plugins::surroundings()));
}

Setup::Setup(const SetupOptions& options)
    : manifest_(options.source ? manifest::load_source(options.source, options.overrides)
                               : manifest::load(options.manifest, options.overrides)),
      catalog_(open_catalog(manifest_.plugins, options.plugin_path)),
      kinds_(std::make_unique<Kinds>(*catalog_)) {
  place_towers();
  try {
    manifest::resolve(manifest_, *kinds_);
  } catch (const base::Error& error) {
    // What is asked for may stand in a library that cannot be used.
    if (error.exit() == base::Exit::plugin)
      for (const plugins::Broken& broken : catalog_->broken())
        base::warning("not usable: " + broken.reason);
    throw;
  }
  wrap_dataflow();
  for (const Component* component : callbacks()) check_functions(*component);
  for (const Component& component : manifest_.monitors) check_functions(component);
  check_functions(manifest_.trainer);
  if (manifest_.model) check_functions(*manifest_.model);
  if (input_) check_functions(*input_);
  warnings_ = order_warnings(callbacks(), *catalog_);
}

std::vector<const Component*> Setup::callbacks() const {
  std::vector<const Component*> list;
  for (const Component& component : manifest_.callbacks) list.push_back(&component);
  for (const Component& component : manifest_.extra_callbacks) list.push_back(&component);
  return list;
}

// nr_tower and tower are other spellings of the trainer's list of devices.
void Setup::place_towers() {
  if (!manifest_.towers_given) return;
  Value& entry = manifest_.trainer.entry;
  const Value* with = entry.find("with");
  if (with && with->find("devices"))
    throw manifest::fault_at(with->find("devices")->origin(), "/trainer/with/devices",
                             {"devices beside nr_tower or tower", "one of them", ""});
  const manifest::Origin origin = manifest::made_by("nr_tower or tower");
  if (!with) entry.set("with", Value(Value::Object{}, origin));
  entry.find("with")->set("devices", device_list(manifest_.tower, origin));
  manifest_.value.set("trainer", entry);
}

void Setup::wrap_dataflow() {
  if (manifest_.data) {
    if (manifest_.trainer.use == kQueueInput && manifest_.data->use != kQueue)
      throw manifest::fault_at(manifest_.data->entry.origin(), "/data",
                               {"the input source " + manifest_.data->use,
                                std::string(kQueue) + " with the trainer queue-input",
                                "use the trainer simple, or a queue"});
    input_ = *manifest_.data;
    return;
  }
  if (!manifest_.dataflow) return;
  const std::string use = manifest_.trainer.use == kSimple ? kFeed : kQueue;
  const manifest::Origin origin = manifest::made_by("the default input source of a dataflow");
  Value with(Value::Object{}, origin);
  with.set("dataflow", manifest_.dataflow->entry);
  Value entry(Value::Object{}, origin);
  entry.set("use", Value(use, origin));
  entry.set("with", std::move(with));
  input_ = manifest::resolve_component(entry, "input_source", *kinds_, "/dataflow");
}

void Setup::check_functions(const Component& component) const {
  if (component.is_reference()) return;
  for (const FunctionOption& option : find_functions(component, *kinds_))
    manifest::Expression(*option.value, component.pointer + "/with" + option.pointer);
  for (const Component& child : component.children) check_functions(child);
}

}  // namespace broch::session
