// restoration.hpp: loads weights of a file for a new run.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/checkpoints.hpp"
#include "weights/rules.hpp"
#include "weights/weights.hpp"

namespace broch::session {

class Restoration {
 public:
  // run, weights and options must outlive this object.
  Restoration(const RunState& run, const weights::Weights& weights, std::string where,
              const RestoreOptions& options);
  // Checks and reads everything before the first variable changes. Throws base::Error: checkpoint
  // if a variable does not fit, manifest if an option is wrong.
  void load();
  // Logs the result. Called after hyper-parameters were read from the variables again.
  void tell() const;

 private:
  struct Source {
    size_t index;        // in the file
    std::string reason;  // why it is left out; "": it is not
  };
  void find_sources();
  void plan(runtime::Variable& variable, const std::string& name);
  void match(runtime::Variable& variable, const Source& source);
  // Both add to `how` what is done to the tensor. False: it is not loaded, and the reason is noted.
  // shape: of the tensor, after it was transposed.
  bool fit_shape(const runtime::Variable& variable, const weights::Tensor& tensor,
                 const std::vector<int64_t>& shape, std::string& how);
  bool fit_dtype(const runtime::Variable& variable, store::Dtype found, std::string& how);
  void misfit(const runtime::Variable& variable, const std::string& found,
              const std::string& expected);
  void complete_counts();
  void take_count(runtime::Variable& variable, std::optional<size_t> common);
  std::optional<size_t> common_count() const;
  void note_unused(const std::vector<std::string>& wanted);
  void require_fit() const;
  runtime::Tensor read(const runtime::Variable& variable, size_t index) const;

  const RunState& run_;
  const weights::Weights& weights_;
  const std::string where_;
  const RestoreOptions& options_;
  const weights::Rules rules_;
  std::vector<std::string> file_names_;    // without ":0"
  std::map<std::string, Source> sources_;  // by the name that the rules make
  std::vector<std::pair<runtime::Variable*, size_t>> loads_;
  std::set<size_t> counts_;  // in the file: numbers of updates that stand for others
  struct Misfit {
    std::string name, found, expected;
  };
  std::vector<Misfit> misfits_;
  std::vector<std::string> table_;  // a line per variable
  // left_out_ also has the reasons.
  std::vector<std::string> loaded_, left_out_;
  std::vector<std::string> missing_, unused_;  // weights
  std::vector<std::string> missing_weights_;   // of missing_: not those of callbacks
  // Optimizer slots, counters, …
  std::vector<std::string> missing_of_training_, unused_of_training_;
};

}  // namespace broch::session
