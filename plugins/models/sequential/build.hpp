// build.hpp: the state of a call of the tower function while the layers are applied.
#pragma once
#include <broch/layers.hpp>
#include <map>
#include <memory>
#include <set>

#include "../../options/tagged.hpp"

namespace broch::models {

struct Layer;
using Layers = std::vector<std::unique_ptr<Layer>>;

class Build {
 public:
  Build(Tower& t, Names names) : t(t), names(names) {}

  // Makes a tensor known under a name.
  void add(const std::string& name, const Tensor& tensor) { tensors_[name] = tensor; }
  // The tensor with this name: an input of the model, or the result of an earlier layer, first
  // among those of the innermost list of layers.
  Tensor find(const std::string& name) const {
    for (std::string prefix = prefix_;;) {
      if (const auto found = tensors_.find(prefix + name); found != tensors_.end())
        return found->second;
      if (prefix.empty()) break;
      prefix = outer_of(prefix);
    }
    std::string known;
    for (const auto& [one, tensor] : tensors_) known += (known.empty() ? "" : ", ") + one;
    throw Error(BROCH_E_NOT_FOUND, "no input or earlier layer is called '" + name +
                                       "', expected one of " + (known.empty() ? "none" : known));
  }
  Tensor run(const Layers& layers, const Tensor& x);
  // Runs layers whose names begin with that of the layer around them.
  Tensor run_inside(const std::string& name, const Layers& layers, const Tensor& x) {
    const std::string outer = prefix_;
    prefix_ = name + separator();
    const Tensor y = run(layers, x);
    prefix_ = outer;
    return y;
  }
  // The same for number i of several lists of layers. Inside another list with a number, it is no
  // part of its own: the same part twice is refused in names of variables.
  Tensor run_numbered(const std::string& name, size_t i, const Layers& layers, const Tensor& x) {
    const bool is_part = names == Names::torch || numbers_ == 0;
    ++numbers_;
    const Tensor y =
        run_inside(name + (is_part ? separator() : '_') + std::to_string(i), layers, x);
    --numbers_;
    return y;
  }
  char separator() const { return names == Names::torch ? '.' : '/'; }
  std::string is(const std::string& what, const Tensor& x) const {
    return what + " is " + t.type_text(x);
  }

  Tower& t;
  const Names names;

 private:
  std::string outer_of(std::string prefix) const {
    prefix.pop_back();
    const size_t end = prefix.rfind(separator());
    return end == std::string::npos ? "" : prefix.substr(0, end + 1);
  }
  std::string name_of(const Layer& layer);
  // Whether a layer around has this name, where variables may have no part twice.
  bool is_around(const std::string& part) const {
    return names == Names::tensorpack && ("/" + prefix_).find("/" + part + "/") != part.npos;
  }

  std::string prefix_;                     // names of the layers around, "" or "a/b/"
  int numbers_ = 0;                        // of lists with a number around
  std::map<std::string, Tensor> tensors_;  // by full name
  std::map<std::string, int> counts_;      // of layers without a name, by prefix and kind
};

}  // namespace broch::models
