// hyper_param.hpp: hyper-parameters, outside tower functions.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// Hyper-parameters, which are numbers that change during training; see ext/hyper_param.h.
class HyperParam {
 public:
  explicit HyperParam(const Host& host)
      : host_(host), table_(host.require<broch_host_hyper_param>(BROCH_EXT_HYPER_PARAM)) {}

  // In setup_graph: makes sure that it exists; an existing one keeps its value.
  void declare(const std::string& name, double initial) const {
    host_.check(table_->declare(host_.c(), name.c_str(), initial));
  }
  double get(const std::string& name) const {
    double value = 0;
    host_.check(table_->get(host_.c(), name.c_str(), &value));
    return value;
  }
  void set(const std::string& name, double value) const {
    host_.check(table_->set(host_.c(), name.c_str(), value));
  }

 private:
  Host host_;
  const broch_host_hyper_param* table_;
};

}  // namespace v0
}  // namespace broch
