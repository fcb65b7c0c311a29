// world.hpp: a host for instances of the component under test, without a run.
#pragma once
#include "session/workbench.hpp"
#include "subject.hpp"

namespace broch::check {

using session::Made;

// With LibTorch for a file that is built against it, otherwise with the null backend.
class World : public session::Workbench {
 public:
  explicit World(Subject& subject)
      : Workbench(*subject.catalog(), subject.kinds(), subject.backend_of_file()) {}
};

// The component under test with these options, after they were checked and completed with defaults.
// Throws base::Error.
manifest::Component entry_of(Subject& subject, const value::Value& options);

}  // namespace broch::check
