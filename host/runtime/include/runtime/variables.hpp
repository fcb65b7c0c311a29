// variables.hpp: all variables of a run by name: creation, reuse, initial values, flat buffers.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/consistency.hpp"
#include "runtime/variable_writes.hpp"

namespace broch::runtime {

struct Variable {
  uint32_t id = 0;
  std::string name;     // "scope/name"; in a replica "tower1/scope/name"
  std::string replica;  // "", or the first part of the name, such as "tower1"
  std::string bare() const { return replica.empty() ? name : name.substr(replica.size() + 1); }
  broch_dtype dtype = 0;
  Shape shape;
  uint32_t flags = 0;   // BROCH_VARIABLE_…
  std::string made_by;  // the instance that made it, for messages
  Device device;
  bool flat = false;  // it is part of a buffer from lay_out
  Tensor value;       // its memory never moves once the store is sealed
  bool trainable() const { return flags & BROCH_VARIABLE_TRAINABLE; }
  bool local() const { return flags & BROCH_VARIABLE_LOCAL; }
};

// Throws base::Error unless the name is allowed for a variable. Its parts are joined by '/'; no
// part is empty, occurs twice or contains "tower"; there is no ':', space or control character.
void check_variable_name(const std::string& name, const std::string& made_by);

class VariableStore {
 public:
  VariableStore(Backend& backend, uint64_t root_seed);

  // Creates a variable with its initial value. `replica` is the tower that it belongs to; variables
  // of a replica start with the same values as the main ones and are LOCAL. Throws base::Error if
  // the name is malformed (see check_variable_name), if it exists already (the message says who
  // made it), or if the store is sealed.
  Variable& create(const std::string& name, const broch_variable_spec& spec, Device device,
                   const std::string& made_by, const std::string& replica = "");
  Variable* find(std::string_view name);
  Variable* find(const std::string& name, const std::string& replica);
  // The variable; otherwise throws base::Error, which suggests similar names.
  Variable& at(std::string_view name, const char* hint = "`broch plan` lists them");
  // The existing variable, if it has this shape and dtype; otherwise throws base::Error.
  Variable& reuse(const std::string& name, const broch_variable_spec& spec,
                  const std::string& asked_by, const std::string& replica = "");

  const std::vector<std::unique_ptr<Variable>>& all() const { return variables_; }
  std::vector<Variable*> with_flags(uint32_t flags) const;  // in the order of creation
  Variable* by_id(uint32_t id) const {
    return id < variables_.size() ? variables_[id].get() : nullptr;
  }
  // Distinguishes handles of different stores.
  uint32_t serial() const { return serial_; }
  std::vector<std::string> names() const;

  // Moves the variables into one flat buffer, in this order. It is possible once per variable,
  // before seal, and for one dtype and device; otherwise throws base::Error.
  struct FlatList {
    Tensor buffer;
    std::vector<Variable*> variables;
  };
  FlatList lay_out(const std::vector<Variable*>& variables);
  // From now on no variable can be created, and no memory moves.
  void seal() { sealed_ = true; }
  bool sealed() const { return sealed_; }

  Backend& backend() const { return backend_; }
  // Whoever writes to variables after seal says so here.
  VariableWrites& writes() { return writes_; }
  // Whether predictors may see a part of a change only.
  Consistency& consistency() { return consistency_; }

 private:
  std::string likely(std::string_view name) const;

  Backend& backend_;
  VariableWrites writes_;
  Consistency consistency_;
  uint64_t root_seed_;
  uint32_t serial_;
  std::vector<std::unique_ptr<Variable>> variables_;
  std::map<std::string, Variable*, std::less<>> by_name_;
  bool sealed_ = false;
};

// Hyper-parameters: GLOBAL 0-dim float64 variables, whose values are also kept as numbers on the
// host.
class HyperParams {
 public:
  HyperParams(VariableStore& store, Device device) : store_(store), device_(device) {}
  // If it exists already, it keeps its value. After seal a new name is an error.
  void declare(const std::string& name, double initial, const std::string& made_by);
  bool has(std::string_view name) const;
  // Both also accept the full name of any variable with one element. An unknown name is an error
  // that lists the known ones; so is a fraction for an integer variable.
  double get(std::string_view name) const;
  // The initial value of a declared one. Throws std::out_of_range.
  double initial(const std::string& name) const { return mirror_.at(name).initial; }
  // A reference to the value of a declared one, valid as long as this object. Throws
  // std::out_of_range.
  const double& number(const std::string& name) const { return mirror_.at(name).value; }
  void set(std::string_view name, double value);
  std::vector<std::string> names() const;
  // The variable of a declared one, otherwise nullptr.
  Variable* variable(std::string_view name) const;
  // Reads the values again, after variables were loaded.
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
