// weights.hpp: gives every trainable variable of two dimensions or more its value by formula; the
// others keep what their layer gave them.
#pragma once
#include <broch/broch.hpp>

#include "formula.hpp"

namespace broch::bench {

class Weights final : public broch::SessionInit {
 public:
  explicit Weights(const broch::Host& host)
      : host_(host), variables_(host.require<broch_host_variables>(BROCH_EXT_VARIABLES)) {}

  void init() override {
    uint32_t count = 0;
    host_.check(variables_->list(host_.c(), 0, BROCH_VARIABLE_TRAINABLE, nullptr, 0, &count));
    std::vector<broch_variable> handles(count);
    host_.check(
        variables_->list(host_.c(), 0, BROCH_VARIABLE_TRAINABLE, handles.data(), count, &count));
    for (const broch_variable handle : handles) assign(handle);
  }

 private:
  void assign(broch_variable handle) {
    broch_variable_info info{};
    info.struct_size = sizeof info;
    host_.check(variables_->info(host_.c(), handle, &info));
    if (info.rank < 2) return;
    std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    const std::vector<float> values = weight(info.name, shape);
    const broch_dl_tensor view = broch::dl_view(values.data(), {BROCH_DL_FLOAT, 32, 1},
                                                shape.data(), static_cast<int32_t>(info.rank));
    host_.check(variables_->assign(host_.c(), handle, &view));
  }

  broch::Host host_;
  const broch_host_variables* variables_;
};

}  // namespace broch::bench
