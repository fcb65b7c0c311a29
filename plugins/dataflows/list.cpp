// list.cpp: points that are written in the manifest itself, for tests and examples. tensorpack:
// `DataFromList`.
#include <algorithm>
#include <broch/broch.hpp>

#include "files/listed_points.hpp"

namespace {

struct Options {
  broch::JsonText points;
  std::optional<std::vector<std::string>> dtypes, names;

  static constexpr auto schema = broch::options(
      broch::option("points", &Options::points,
                    "The points, each a list of components. A component is a number, true or "
                    "false, or a nested list of them.")
          .schema(R"("type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1})"),
      broch::option("dtypes", &Options::dtypes,
                    "The dtype of each component; null: float32 for all of them.")
          .one_of("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"),
      broch::option(
          "names", &Options::names,
          "Names of the components; null: they are matched with the model's inputs by order."));
};

class List final : public broch::Indexed {
 public:
  explicit List(const Options& options)
      : points_(files::listed_points(options.points.text,
                                     options.dtypes.value_or(std::vector<std::string>()))),
        names_(options.names) {
    if (names_ && names_->size() != points_[0].size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/names: found " + std::to_string(names_->size()) + " names, expected " +
                             std::to_string(points_[0].size()) +
                             " as each point has components; correct the list");
  }

  std::optional<int64_t> size() override { return int64_t(points_.size()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= points_.size()) return false;
    const std::vector<files::ListedComponent>& components = points_[position.index];
    for (size_t i = 0; i < components.size(); ++i) {
      const files::ListedComponent& one = components[i];
      void* const to = point.allocate(one.type, one.shape.data(), one.shape.size(),
                                      names_ ? (*names_)[i].c_str() : nullptr);
      std::copy(one.bytes.begin(), one.bytes.end(), static_cast<char*>(to));
    }
    return true;
  }

 private:
  std::vector<std::vector<files::ListedComponent>> points_;
  std::optional<std::vector<std::string>> names_;
};

}  // namespace

BROCH_DATAFLOW(List, "broch.dataflow.list", "1.0.0",
               "Yields data points that are written in the manifest.", Options::schema)
