// agreement.hpp: what a trainer keeps in sync has the same bits on all ranks; seen at each epoch.
#pragma once
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "runtime/variables.hpp"

namespace broch::plan {

// One line of what is compared. number: shown in messages; nullptr: a variable of many.
struct Agreed {
  std::string name;  // "hyper-parameter 'learning_rate'"
  runtime::Tensor value;
  const double* number = nullptr;
};

// Called by all ranks with the same list. Throws base::Error (collective) on all of them, naming
// the first entry that differs from rank 0's. when: "at the end of epoch 3 (global_step 60)".
void require_agreement(dist::Group& group, runtime::Backend& backend,
                       const std::vector<Agreed>& list, const std::string& when);

}  // namespace broch::plan
