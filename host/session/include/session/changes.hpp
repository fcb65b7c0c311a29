// changes.hpp: what is set while it trains: hyper-parameters by name, and options that their schema
// marks x-broch-mutable, as INSTANCE/OPTION: saver/max_to_keep. [main], between steps.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "manifest/component.hpp"
#include "runtime/variables.hpp"

namespace broch::session {

class Changes {
 public:
  // instances: those that run here, which may become more. All outlive this.
  Changes(runtime::HyperParams& hypers, std::vector<abi::Instance*> instances,
          const manifest::Catalog& kinds);

  // Every name that can be set, with its value.
  manifest::Value settable() const;
  bool knows(const std::string& name) const;

  struct Done {
    std::string name;
    manifest::Value before, now;
  };
  // text: JSON, else a string. Throws base::Error with nothing changed: usage for a name, manifest
  // for a value that the schema does not allow, plugin for one that the instance refuses.
  Done set(const std::string& name, const std::string& text);
  void take_back(const Done& done);

  // Options that are not as in the manifest, for a checkpoint; "" when all are.
  std::string save() const;
  // Sets those again whose manifest still says what it said then; warns of others.
  void load(const std::string& saved);

 private:
  struct Option {
    abi::Instance* instance;
    std::string pointer;
    const manifest::Value* schema;  // of all options of the instance
  };
  std::optional<Option> find(const std::string& name) const;
  void put(const std::string& name, const Option& option, const manifest::Value& value);
  double set_hyper(const std::string& name, const manifest::Value& value);
  [[noreturn]] void refuse_name(const std::string& name) const;

  runtime::HyperParams& hypers_;
  std::vector<abi::Instance*> instances_;
  const manifest::Catalog& kinds_;
  std::map<std::string, manifest::Value> written_;  // by name: what the manifest says, once changed
};

}  // namespace broch::session
