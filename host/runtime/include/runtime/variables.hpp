// variables.hpp: all variables of a run by name: creation and reuse, initial values, flat layout.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backend.hpp"

namespace broch::runtime {

struct Variable {
  uint32_t id = 0;
  std::string name;     // "scope/name"; of a replica "tower1/scope/name"
  std::string replica;  // "", or "tower1": what its name begins with
  std::string bare() const { return replica.empty() ? name : name.substr(replica.size() + 1); }
  broch_dtype dtype = 0;
  Shape shape;
  uint32_t flags = 0;   // BROCH_VARIABLE_…
  std::string made_by;  // instance, for messages
  Device device;
  bool flat = false;  // lies in a buffer of lay_out
  Tensor value;       // storage never moves once the store is sealed
  bool trainable() const { return flags & BROCH_VARIABLE_TRAINABLE; }
  bool local() const { return flags & BROCH_VARIABLE_LOCAL; }
};

// Throws base::Error unless name can be that of a variable: parts joined by '/', none empty, none
// twice, no "tower" in a part, no ':', space or control character.
void check_variable_name(const std::string& name, const std::string& made_by);

class VariableStore {
 public:
  VariableStore(Backend& backend, uint64_t root_seed);

  // Makes a variable with its initial value. Throws base::Error naming the first maker when the
  // name is taken, when the name is malformed (empty part, leading or trailing '/', "tower" in a
  // part, a scope contained twice), or when the store is sealed. replica: whose it is; those of a
  // replica start with the values of the main ones and are LOCAL.
  Variable& create(const std::string& name, const broch_variable_spec& spec, Device device,
                   const std::string& made_by, const std::string& replica = "");
  Variable* find(std::string_view name);
  Variable* find(const std::string& name, const std::string& replica);
  // The same or base::Error with the nearest name.
  Variable& at(std::string_view name);
  // The existing variable with this shape and dtype; otherwise an error that says what differs.
  Variable& reuse(const std::string& name, const broch_variable_spec& spec,
                  const std::string& asked_by, const std::string& replica = "");

  const std::vector<std::unique_ptr<Variable>>& all() const { return variables_; }
  std::vector<Variable*> with_flags(uint32_t flags) const;  // all of them set; in order of creation
  Variable* by_id(uint32_t id) const {
    return id < variables_.size() ? variables_[id].get() : nullptr;
  }
  // Tells the handles of one store from those of another.
  uint32_t serial() const { return serial_; }
  std::vector<std::string> names() const;

  // Moves the given variables into one flat buffer, in order; once per variable, before seal, one
  // dtype and device; throws base::Error otherwise.
  struct FlatList {
    Tensor buffer;
    std::vector<Variable*> variables;
  };
  FlatList lay_out(const std::vector<Variable*>& variables);
  // No variable is made and no storage moves after this.
  void seal() { sealed_ = true; }
  bool sealed() const { return sealed_; }

  Backend& backend() const { return backend_; }

 private:
  Backend& backend_;
  uint64_t root_seed_;
  uint32_t serial_;
  std::vector<std::unique_ptr<Variable>> variables_;
  std::map<std::string, Variable*, std::less<>> by_name_;
  bool sealed_ = false;
};

// Hyper-parameters: GLOBAL 0-dim float64 variables mirrored as host scalars.
class HyperParams {
 public:
  HyperParams(VariableStore& store, Device device) : store_(store), device_(device) {}
  // An existing one keeps its value, which becomes initial otherwise; after seal an unknown name is
  // an error.
  void declare(const std::string& name, double initial, const std::string& made_by);
  bool has(std::string_view name) const;
  // Also reads and sets any variable of one element by its full name. Unknown: error with the names
  // there are. A fraction on an integer variable: error.
  double get(std::string_view name) const;
  // What a declared one began with. Throws std::out_of_range.
  double initial(const std::string& name) const { return mirror_.at(name).initial; }
  // Where the value of a declared one stands, for as long as this object. Throws std::out_of_range.
  const double& number(const std::string& name) const { return mirror_.at(name).value; }
  void set(std::string_view name, double value);
  std::vector<std::string> names() const;
  // The variable behind a name that was declared; nullptr otherwise.
  Variable* variable(std::string_view name) const;
  // After variables were loaded: the mirrors are read again.
  void refresh();

 private:
  VariableStore& store_;
  Device device_;
  struct Mirror {
    Variable* variable;
    double value, initial;
  };
  Variable& scalar_at(std::string_view name) const;
  void write(Variable& variable, double value);
  std::map<std::string, Mirror, std::less<>> mirror_;
};

}  // namespace broch::runtime
