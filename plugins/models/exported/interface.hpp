// interface.hpp: the inputs of the model, which are those of the program and the targets of losses
// and metrics; and which outputs of the program are published under which names.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/exported/options.hpp"
#include "models/exported/program.hpp"

namespace exported {

class Interface {
 public:
  // Borrows the program. loss: nullptr if the program computes it. Throws broch::Error that begins
  // with the option that does not fit the program.
  Interface(const Program& program, const Options& options, const broch::models::Loss* loss);

  const std::vector<broch::Input>& inputs() const { return inputs_; }
  // The shape in the example of the export, in which the program is known to work.
  std::vector<int64_t> example_shape(const broch::Input& input) const;

  // The input with which outputs are compared, unless a loss or a metric names another one.
  const std::string& target() const { return target_; }

  // Places in Program::outputs of what forward returns.
  const std::vector<size_t>& outputs() const { return outputs_; }
  // "output" for a single one, "output0" for one of a tuple, and names of dicts as they are.
  std::string published_name(size_t output) const;
  // The output that is minimized, or that the loss takes unless it names another one.
  size_t main_output() const { return main_output_; }

 private:
  const TensorMeta* meta_of(size_t output) const;
  bool is_number(size_t output) const;
  std::string names_of_outputs() const;
  std::optional<size_t> output_named(const std::string& name) const;
  size_t require_output(const std::string& option, const std::string& name) const;
  void find_main_output(const Options& options, bool has_loss);
  void add_program_inputs(const Options& options);
  void add_targets(const Options& options);
  void add_target_of(const broch::models::Loss& loss);
  void add_input(const std::string& name, broch_dtype dtype, const std::vector<Size>& sizes);
  bool has_input(const std::string& name) const;
  void require_free_cost(bool has_loss) const;

  const Program& program_;
  std::vector<size_t> outputs_;
  size_t main_output_ = 0;
  std::string target_;
  std::vector<broch::Input> inputs_;
  std::map<std::string, int64_t> examples_;  // sizes by symbol, or by input and dimension
};

// What the program says of a tensor; nullptr: nothing, or it is none.
const TensorMeta* meta_of(const Program& program, const Item& item);

}  // namespace exported
