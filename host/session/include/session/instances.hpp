// instances.hpp: makes the instances of a run from its manifest: children first, names unique.
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
#include "plugins/catalog.hpp"
#include "plugins/library.hpp"
#include "session/function.hpp"

namespace broch::session {

// The installed components, and the host's own update rules and gradient processors, as the
// manifest room wants to know them.
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
  ~Instances() override;  // destroys what make created, last first

  // Announces the components of the top level, once, so that others can refer to them and to what
  // is inside of them. One without a name gets one that nobody was given.
  void announce(const std::vector<const manifest::Component*>& components);
  // Creates it, and what it refers to before it. REQUIRES: announced. An entry {"ref": name} gives
  // the instance of that name. Throws base::Error (plugin or manifest), among others for a circle.
  abi::Instance& make(const manifest::Component& component);
  // The same for the text of an entry that stands in no list of components; made once.
  abi::Instance& make(const std::string& role, const std::string& entry, const std::string& place);

  // Every instance that exists, children included, in order of creation.
  const std::vector<abi::Instance*>& all() const { return all_; }
  // One line for each component that was loaded.
  const std::vector<plugins::Identity>& identities() const { return identities_; }
  // Whether the entry or, without a word, the component's metadata wants every rank; a callback
  // around others goes where one of them does.
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
    const manifest::Component* top;  // what was announced
  };

  void note_names(const manifest::Component& component, const manifest::Component& top);
  std::string free_name(const std::string& wanted) const;
  std::unique_ptr<abi::Instance> create(const manifest::Component& component,
                                        const std::string& name);
  void add_children(const manifest::Component& component, const std::string& name,
                    std::vector<abi::Instance::Child>& children);
  void add_functions(const manifest::Component& component,
                     std::vector<abi::Instance::Child>& children);
  abi::Instance& by_name(const std::string& name, const manifest::Component& asked_by);
  void remember(const plugins::Library& library, const std::string& id);

  abi::Context& context_;
  const plugins::Catalog& catalog_;
  const Kinds& kinds_;
  Function::Stat stat_;
  struct Text {
    std::string role, entry;
    manifest::Component component;
  };

  std::vector<std::pair<std::string, Announced>> announced_;
  std::deque<Text> texts_;
  std::map<std::string, Nested> nested_;  // those that were given a name
  std::map<const manifest::Component*, abi::Instance*> created_;
  std::map<std::string, const manifest::Component*> written_;  // by the name of the instance
  std::vector<size_t> order_;                                  // places in announced_, as made
  std::vector<abi::Instance*> all_;
  std::vector<plugins::Identity> identities_;
};

}  // namespace broch::session
