// changes.hpp: what is set while it trains: hyper-parameters by name, and options that their schema
// marks x-broch-mutable, as INSTANCE/OPTION: saver/max_to_keep. [main], between steps.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "base/error.hpp"
#include "manifest/component.hpp"
#include "runtime/variables.hpp"

namespace broch::session {

// What was asked is not done, and nothing has changed. Other errors end the run.
class Refused : public base::Error {
 public:
  using Error::Error;
};

class Changes {
 public:
  // here: those of all that run on this rank. has_servers: what gradients are applied with cannot
  // be told. All outlive this.
  // in_manifest: hyper-parameters that it has a value for.
  Changes(runtime::HyperParams& hypers, std::set<std::string> in_manifest,
          std::vector<abi::Instance*> all, std::vector<abi::Instance*> here,
          const manifest::Catalog& kinds, bool has_servers);

  // Every name that can be set, with its value.
  manifest::Value settable() const;
  bool knows(const std::string& name) const;

  struct Done {
    std::string name;
    manifest::Value before, now;
    std::function<void()> take_back;
  };
  // text: JSON, else a string. Throws Refused: usage for a name, manifest for a value that the
  // schema does not allow, plugin for one that the instance refuses; PluginError where it breaks
  // the interface.
  Done set(const std::string& name, const std::string& text);

  // What the manifest says of each hyper-parameter, and options that are not as in the manifest,
  // for a checkpoint.
  std::string save() const;
  // After variables were loaded. Sets those options again whose manifest still says what it said
  // then, all of an instance at once; a hyper-parameter whose manifest says something else by now
  // gets that. Tells which, and warns of what an instance refuses.
  void load(const std::string& saved);
  // A training begins afresh: what hyper-parameters are now counts as what it began with.
  void begin();

  // Hyper-parameters that the training did not begin with as the manifest says, by name.
  const std::map<std::string, double>& began() const { return began_; }
  // What the manifest says of everything that is otherwise now, by name.
  manifest::Value not_as_written() const;
  // "the manifest says 0.5", of a hyper-parameter.
  std::string says(const std::string& hyper) const;

 private:
  struct Option {
    abi::Instance* instance;
    std::string pointer;
    const manifest::Value* schema;  // of all options of the instance
  };
  struct Saved {  // of one instance
    std::vector<std::string> pointers;
    manifest::Value options;  // with them
    const manifest::Value* schema = nullptr;
    std::map<std::string, manifest::Value> written;
  };
  std::optional<Option> find(const std::string& name) const;
  Done set_hyper(const std::string& name, const manifest::Value& value);
  Done set_option(const std::string& name, const Option& option, const manifest::Value& value);
  void load_entry(const manifest::Value& entry, std::map<abi::Instance*, Saved>& found) const;
  void load_hyper(const manifest::Value& entry);
  void load_all_of(abi::Instance& instance, const Saved& saved);
  bool is_elsewhere(const std::string& name) const;
  [[noreturn]] void refuse_name(const std::string& name) const;

  runtime::HyperParams& hypers_;
  const std::set<std::string> in_manifest_;
  const std::vector<abi::Instance*> all_, here_;
  const manifest::Catalog& kinds_;
  const bool has_servers_;
  std::map<std::string, manifest::Value> written_;  // by name: what the manifest says, once changed
  std::map<std::string, double> began_;
};

}  // namespace broch::session
