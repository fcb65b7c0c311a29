// agreement.hpp: checks after each epoch that all ranks have the same bits where they must.
#pragma once
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "runtime/variables.hpp"

namespace broch::plan {

// One value to compare. number: its value, shown in messages; nullptr for variables, of which only
// a checksum is compared.
struct Agreed {
  std::string name;  // "hyper-parameter 'learning_rate'"
  runtime::Tensor value;
  const double* number = nullptr;
};

// Called by all ranks with the same list. Throws base::Error (collective) on every rank, naming
// the first entry that differs from rank 0's. when: "at the end of epoch 3 (global_step 60)".
void require_agreement(dist::Group& group, runtime::Backend& backend,
                       const std::vector<Agreed>& list, const std::string& when);

}  // namespace broch::plan
