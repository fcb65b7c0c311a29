// raw_operator.hpp: an operator that is not in broch.opset/1, by its schema.
#pragma once
#include <broch/broch.hpp>

namespace broch::bench {

class RawOperator {
 public:
  RawOperator(const broch::Host& host, const char* schema)
      : host_(host), table_(host.require<broch_host_ops>(BROCH_EXT_OPS)) {
    host_.check(table_->resolve(host_.c(), schema, &op_));
  }

  // The first results, as many as asked for.
  std::vector<broch::Tensor> operator()(broch::Ops& ops, const std::vector<broch_value>& arguments,
                                        uint32_t results) const {
    std::vector<broch_value> values(results);
    host_.check(table_->call(host_.c(), op_, arguments.data(),
                             static_cast<uint32_t>(arguments.size()), values.data(), results));
    std::vector<broch::Tensor> tensors;
    for (const broch_value& value : values) tensors.emplace_back(&ops, value.u.tensor);
    return tensors;
  }

 private:
  broch::Host host_;
  const broch_host_ops* table_;
  broch_op op_ = 0;
};

}  // namespace broch::bench
