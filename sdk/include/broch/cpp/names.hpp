// names.hpp: how the variables of a layer are called.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tower.hpp"

namespace broch {
inline namespace v0 {

// tensorpack: "NAME/W", "NAME/b", in a scope with the name of the layer.
// torch: "NAME.weight", "NAME.bias", as in the state_dict of a torch.nn.Module. NAME is a path such
// as "layer1.0.conv1", and no scope may be open if the names shall be those of the file.
enum class Names { tensorpack, torch };

namespace glue {

// The variables of a layer are made while the object lives.
class LayerScope {
 public:
  LayerScope(Tower& t, const std::string& name, Names names)
      : tower_(t), name_(name), names_(names), output_(t.scoped(name + "/output")) {
    if (names == Names::tensorpack) scope_.emplace(t, name, false);
  }

  // A variable by its two names, "W" and "weight".
  Variable variable(const char* tensorpack, const char* torch, const std::vector<int64_t>& shape,
                    Init init, uint32_t flags = BROCH_VARIABLE_TRAINABLE,
                    broch_dtype dtype = BROCH_FLOAT32) const {
    return tower_.variable(scope_ ? tensorpack : name_ + "." + torch, shape, init, flags, dtype);
  }
  // The name of a layer inside this one.
  std::string inner(const char* tensorpack, const char* torch) const {
    return scope_ ? tensorpack : name_ + "." + torch;
  }
  Names names() const { return names_; }
  // Publishes the result.
  Tensor finish(const Tensor& y) const { return tower_.publish(output_, y); }

 private:
  Tower& tower_;
  const std::string name_;
  const Names names_;
  const std::string output_;
  std::optional<Tower::Scope> scope_;
};

}  // namespace glue
}  // namespace v0
}  // namespace broch
