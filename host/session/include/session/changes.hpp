// changes.hpp: what can be set during a run: hyper-parameters, by name, and options that their
// schema marks x-broch-mutable, as INSTANCE/OPTION, such as saver/max_to_keep. [main], between
// steps.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/settable_options.hpp"
#include "base/error.hpp"
#include "manifest/component.hpp"
#include "runtime/variables.hpp"
#include "session/instances.hpp"

namespace broch::session {

class Changes final : public abi::SettableOptions {
 public:
  using Here = std::function<std::vector<abi::Instance*>()>;
  // here: the instances that run on this rank. has_servers: there are parameter servers, which
  // cannot be told about changed options of optimizers and gradient processors. hypers, instances
  // and kinds must outlive this object.
  Changes(runtime::HyperParams& hypers, const Instances& instances, Here here,
          const manifest::Catalog& kinds, bool has_servers);
  // The hyper-parameters whose value the manifest gives.
  void set_in_manifest(std::set<std::string> names) { in_manifest_ = std::move(names); }

  // Every name that can be set, with its current value.
  manifest::Value settable() const;
  bool knows(const std::string& name) const;

  struct Done {
    std::string name;
    manifest::Value before, now;
    std::function<void()> take_back;
  };
  // text is JSON or, if it is not valid JSON, a string. Throws control::Refused, with exit code
  // usage for an unknown name, manifest for a value that the schema does not allow, and plugin for
  // one that the instance refuses. Throws PluginError if the instance violates the interface.
  Done set(const std::string& name, const std::string& text);

  // The manifest's value of each hyper-parameter, and all options that differ from the manifest,
  // for a checkpoint.
  std::string save() const;
  // Called after variables were loaded. Sets the saved options again, all those of an instance at
  // once, except where the manifest's value has changed since they were saved. A hyper-parameter
  // whose value in the manifest has changed gets the new value. Logs what was set, and warns if an
  // instance refuses.
  void load(const std::string& saved);
  // Called when a run starts without resuming: the current values of hyper-parameters become those
  // that the run began with.
  void begin();

  // The hyper-parameters whose value at the beginning of the run was not the manifest's, by name.
  const std::map<std::string, double>& began() const { return began_; }
  // The manifest's values of everything that differs from the manifest now, by name.
  manifest::Value not_as_written() const;
  // For example "the manifest says 0.5". hyper: the name of a hyper-parameter.
  std::string says(const std::string& hyper) const;

  // For components that set options of others. Those of instances on other ranks do not change.
  abi::Instance* owner(const std::string& name) const override;
  std::vector<std::string> option_names() const override;
  double get_number(const std::string& name) const override;
  void set_number(const std::string& name, double value) override;

 private:
  struct Option {
    abi::Instance* instance;
    std::string pointer;
    const manifest::Value* schema;  // schema for all options of the instance
  };
  struct Saved {  // what a checkpoint has about one instance
    std::vector<std::string> pointers;
    manifest::Value options;  // all options of the instance, including these
    const manifest::Value* schema = nullptr;
    std::map<std::string, manifest::Value> written;
  };
  std::optional<Option> find(const std::string& name) const { return find_in(here_(), name); }
  std::optional<Option> find_in(const std::vector<abi::Instance*>& instances,
                                const std::string& name) const;
  Done set_hyper(const std::string& name, const manifest::Value& value);
  Done set_option(const std::string& name, const Option& option, const manifest::Value& value);
  void load_entry(const manifest::Value& entry, std::map<abi::Instance*, Saved>& found) const;
  void load_hyper(const manifest::Value& entry);
  void load_all_of(abi::Instance& instance, const Saved& saved);
  std::string present_name(const std::string& saved) const;
  bool is_elsewhere(const std::string& name) const;
  [[noreturn]] void refuse_name(const std::string& name) const;

  runtime::HyperParams& hypers_;
  std::set<std::string> in_manifest_;
  const Instances& instances_;
  const Here here_;
  const manifest::Catalog& kinds_;
  const bool has_servers_;
  // The manifest's values of changed options, by name.
  std::map<std::string, manifest::Value> written_;
  std::map<std::string, double> began_;
};

}  // namespace broch::session
