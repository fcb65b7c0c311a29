// ground.hpp: what the tests of a file have in common.
#pragma once
#include <memory>
#include <optional>

#include "check/check.hpp"
#include "plugins/catalog.hpp"
#include "runtime/backend.hpp"
#include "session/instances.hpp"

namespace broch::check {

// Each part is read or opened when it is needed for the first time; then, base::Error is thrown if
// it cannot be.
class Ground {
 public:
  explicit Ground(const Options& options) : options_(options) {}

  const Options& options() const { return options_; }
  const plugins::PluginFile& file();
  const std::shared_ptr<const plugins::Catalog>& catalog();
  const session::Kinds& kinds();
  const std::shared_ptr<runtime::Backend>& torch();
  bool has_torch() const { return torch_ != nullptr; }

 private:
  const Options& options_;
  std::optional<plugins::PluginFile> file_;
  std::shared_ptr<const plugins::Catalog> catalog_;
  std::unique_ptr<session::Kinds> kinds_;
  std::shared_ptr<runtime::Backend> torch_;
};

}  // namespace broch::check
