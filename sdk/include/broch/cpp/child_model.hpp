// child_model.hpp: a model in an option, beside the model of the run.
#pragma once
#include <string>

#include "child.hpp"
#include "predictor.hpp"

namespace broch {
inline namespace v0 {

// A child of role model. Predictors run it with the variables of the run that have the names of its
// own; see get_child_predictor in ext/predict.h.
class ChildModel {
 public:
  using Role = RoleOf<broch_model>;
  ChildModel() = default;  // no child: nothing else may be called
  ChildModel(const Host& host, std::string pointer) : host_(host), pointer_(std::move(pointer)) {}

  const std::string& pointer() const { return pointer_; }  // "/model"
  // Its inputs; borrowed as long as the run.
  View<const broch_input_spec> inputs() const {
    const broch_input_spec* inputs = nullptr;
    uint32_t n = 0;
    host_.check(glue::predict_with_children(host_)->child_signature(host_.c(), pointer_.c_str(),
                                                                    &inputs, &n));
    return {inputs, n};
  }

 private:
  Host host_;
  std::string pointer_;
};

}  // namespace v0
}  // namespace broch
