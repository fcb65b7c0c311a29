// operation.hpp: operations on variables: copy a target network, clip weights, reset a state.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tower.hpp"

namespace broch {
inline namespace v0 {

// An operation that a component runs directly or in a plan; see ext/operation.h. It has to live as
// long as the instance, so keep it as a member.
class Operation {
 public:
  // Reads variables, computes, and writes with Tower::update. It may throw.
  using Description = std::function<void(const Tower&)>;

  // Call it in setup_graph, when the variables exist. It calls describe once, to find the shapes.
  Operation(const Host& host, const std::string& name, Description describe)
      : table_(host.require<broch_host_operation>(BROCH_EXT_OPERATION)),
        described_(std::make_unique<Described>(host, std::move(describe))) {
    host.check(table_->define(host.c(), name.c_str(), &description, described_.get(), &operation_));
  }

  // Runs it now, without hooks, outside of runs. All its updates are written together.
  void run() const { described_->host.check(table_->run(described_->host.c(), operation_)); }
  broch_operation handle() const { return operation_; }

 private:
  struct Described {
    Described(const Host& of, Description with) : host(of), ops(of), describe(std::move(with)) {}
    Host host;
    Ops ops;
    Description describe;
  };
  static broch_status description(void* user, broch_tower scope) {
    auto& described = *static_cast<Described*>(user);
    return at_border(described.host.c(), [&]() -> broch_status {
      described.describe(Tower(described.host, described.ops, scope));
      return BROCH_OK;
    });
  }

  const broch_host_operation* table_;
  std::unique_ptr<Described> described_;
  broch_operation operation_ = 0;
};

}  // namespace v0
}  // namespace broch
