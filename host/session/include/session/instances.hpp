// instances.hpp: creates the instances of a run, children before parents, with unique names.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "abi/written.hpp"
#include "manifest/component.hpp"
#include "manifest/instance_names.hpp"
#include "plugins/catalog.hpp"
#include "plugins/library.hpp"
#include "session/function.hpp"

namespace broch::session {

// The catalog of the manifest room: the installed components, and the update rules and gradient
// processors that are built into the host.
class Kinds final : public manifest::Catalog {
 public:
  explicit Kinds(const plugins::Catalog& catalog) : catalog_(catalog) {}
  const Kind* find(const std::string& id) const override;
  std::vector<std::string> ids() const override;

 private:
  Kind& add(const std::string& id, std::vector<std::string> roles, const std::string& options,
            const std::string& summary) const;

  const plugins::Catalog& catalog_;
  mutable std::map<std::string, Kind> kinds_;
};

class Instances final : public abi::Written {
 public:
  Instances(abi::Context& context, const plugins::Catalog& catalog, const Kinds& kinds,
            Function::Stat stat);
  ~Instances() override;  // destroys the instances in reverse order of creation

  // Makes the components of the top level, and those inside them, known by name, so that others can
  // refer to them. A component without a name gets an unused one. Called once per component.
  void announce(const std::vector<const manifest::Component*>& components);
  // Creates an instance, and before it those that it refers to. For {"ref": name}, returns the
  // instance with that name. REQUIRES: the component was announced. Throws base::Error (plugin or
  // manifest), for instance if references form a circle.
  abi::Instance& make(const manifest::Component& component);
  // The same for an entry that is in no list of components. Created only once. pointer: of the
  // entry in its source.
  abi::Instance& make(const std::string& role, const value::Value& entry,
                      const std::string& pointer);

  // All instances, including child instances, in order of creation.
  const std::vector<abi::Instance*>& all() const { return all_; }
  // The names of instances that programs up to 0.1 called otherwise.
  const std::map<const abi::Instance*, std::string>& former_names() const { return former_names_; }
  // One entry for each component that was loaded.
  const std::vector<plugins::Identity>& identities() const { return identities_; }
  // Whether the component runs on all ranks: according to its entry or, if the entry does not say
  // it, to the metadata. A callback around others runs wherever one of them does.
  bool runs_everywhere(const manifest::Component& component) const;
  abi::WrittenAt written_at(const abi::Instance& instance,
                            const std::string& pointer) const override;

 private:
  struct Announced {
    const manifest::Component* component;
    std::unique_ptr<abi::Instance> instance;
    bool in_progress = false;
  };

  struct Nested {
    const manifest::Component* component;
    const manifest::Component* top;  // the announced component around it
  };

  void note_names(const manifest::Component& component, const manifest::Component& top);
  std::unique_ptr<abi::Instance> create(const manifest::Component& component);
  void add_children(const manifest::Component& component,
                    std::vector<abi::Instance::Child>& children);
  void add_functions(const manifest::Component& component,
                     std::vector<abi::Instance::Child>& children);
  abi::Instance& by_name(const std::string& name, const manifest::Component& asked_by);
  void remember(const plugins::Library& library, const std::string& id);

  abi::Context& context_;
  const plugins::Catalog& catalog_;
  const Kinds& kinds_;
  Function::Stat stat_;
  struct Unlisted {
    std::string role;
    value::Value entry;
    manifest::Component component;
  };

  std::vector<std::pair<std::string, Announced>> announced_;
  std::deque<Unlisted> unlisted_;
  std::map<std::string, Nested> nested_;  // components inside others that have a name
  manifest::InstanceNames names_;
  std::map<const abi::Instance*, std::string> former_names_;
  std::map<const manifest::Component*, abi::Instance*> created_;
  std::map<std::string, const manifest::Component*> written_;  // by instance name
  // Indices into announced_, in order of creation.
  std::vector<size_t> order_;
  std::vector<abi::Instance*> all_;
  std::vector<plugins::Identity> identities_;
};

}  // namespace broch::session
