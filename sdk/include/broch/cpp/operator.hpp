// operator.hpp: operators that Ops has no function for.
#pragma once
#include <string>
#include <vector>

#include "ops.hpp"

namespace broch {
inline namespace v0 {

// The host's own schema of an operator, by its name: "aten::relu" or "aten::add.Tensor". "": it has
// no such operator.
inline std::string operator_schema(const Host& host, const std::string& name) {
  const auto* table = host.require<broch_host_ops>(BROCH_EXT_OPS);
  if (!BROCH_HAS(broch_host_ops, table, schema))
    throw Error(BROCH_E_UNIMPLEMENTED, "this host does not tell the schemas of operators");
  WrittenText text(host);
  const broch_status status = table->schema(host.c(), name.c_str(), text.c());
  if (status == BROCH_E_NOT_FOUND) return "";
  host.check(status);
  return text.text();
}

// An operator by the text of its schema, "aten::relu(Tensor self) -> Tensor"; see ext/ops.h. Those
// outside of broch.opset/1 may change with the host. value.h has functions that make arguments.
class Operator {
 public:
  Operator(Ops& ops, const Host& host, const std::string& schema)
      : ops_(ops), host_(host), table_(host.require<broch_host_ops>(BROCH_EXT_OPS)) {
    host_.check(table_->resolve(host_.c(), schema.c_str(), &op_));
  }

  // The first results. arguments: in the order of the schema.
  std::vector<broch_value> call(const std::vector<broch_value>& arguments, uint32_t results) const {
    std::vector<broch_value> values(results);
    host_.check(table_->call(host_.c(), op_, arguments.data(), uint32_t(arguments.size()),
                             values.data(), results));
    return values;
  }
  // The first result, a tensor.
  Tensor operator()(const std::vector<broch_value>& arguments) const {
    return Tensor(&ops_, call(arguments, 1)[0].u.tensor);
  }

 private:
  Ops& ops_;
  Host host_;
  const broch_host_ops* table_;
  broch_op op_ = 0;
};

}  // namespace v0
}  // namespace broch
