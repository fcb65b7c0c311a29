// operators.hpp: the operators of the host, by name.
#pragma once
#include <broch/cpp/operator.hpp>
#include <map>
#include <memory>
#include <string>

#include "models/exported/schema.hpp"

namespace exported {

// An operator that the host has. `problem` says why it cannot be used; "": it can.
struct HostOperator {
  Schema schema;
  broch_op op = 0;
  std::string problem;
};

class HostOperators {
 public:
  explicit HostOperators(const broch::Host& host)
      : host_(host), table_(host.require<broch_host_ops>(BROCH_EXT_OPS)) {}

  // name: "aten::add.Tensor". nullptr: the host has no operator of this name.
  const HostOperator* find(const std::string& name);
  // results[0..n): as broch.ops/1 call gives them.
  void call(const HostOperator& op, const std::vector<broch_value>& arguments,
            std::vector<broch_value>& results) const {
    host_.check(table_->call(host_.c(), op.op, arguments.data(), uint32_t(arguments.size()),
                             results.data(), uint32_t(results.size())));
  }
  broch_tensor call(const HostOperator& op, const std::vector<broch_value>& arguments) const {
    std::vector<broch_value> results(1);
    call(op, arguments, results);
    return results[0].u.tensor;
  }
  const broch::Host& host() const { return host_; }

 private:
  broch::Host host_;
  const broch_host_ops* table_;
  std::map<std::string, std::unique_ptr<HostOperator>> known_;
};

}  // namespace exported
