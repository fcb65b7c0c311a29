// rename.hpp: gives all components names, in their order.
#pragma once
#include <broch/broch.hpp>

namespace broch::transforms {

struct RenameOptions {
  std::vector<std::string> names;
  static constexpr auto schema = broch::options(
      broch::option("names", &RenameOptions::names,
                    "A name for each component, for example the names of the model's inputs.")
          .min_items(1)
          .min_length(1));
};

class Rename final : public Transform {
 public:
  explicit Rename(const RenameOptions& options) : names_(options.names) {}
  void apply(PointReader& in, PointWriter& out, Draws) override {
    if (in.size() != names_.size())
      throw Error(BROCH_E_INVALID_ARGUMENT, "/names: found " + std::to_string(names_.size()) +
                                                " names, expected " + std::to_string(in.size()) +
                                                ": one for each component of the point");
    for (uint32_t i = 0; i < names_.size(); ++i) out.add(in.view(i), names_[i].c_str());
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace broch::transforms
