// npy.cpp: one data point per row of arrays in .npy and .npz files, which may be larger than
// memory.
#include <broch/broch.hpp>

#include "files/npy_array.hpp"

namespace {

struct Component {
  std::string file;
  std::optional<std::string> array, name;

  static constexpr auto schema =
      broch::options(broch::option("file", &Component::file,
                                   "A .npy or .npz file; its rows lie along the first dimension.")
                         .min_length(1)
                         .is_path(),
                     broch::option("array", &Component::array,
                                   "Name of the array in a .npz file; null: the only one.")
                         .min_length(1),
                     broch::option("name", &Component::name,
                                   "Name of the model's input; null: inputs are matched by order.")
                         .min_length(1));
};

struct Options {
  std::vector<Component> components;

  static constexpr auto schema = broch::options(
      broch::option("components", &Options::components,
                    "The components of a data point, in the order of the model's inputs.")
          .min_items(1));
};

class Npy final : public broch::Indexed {
 public:
  explicit Npy(const Options& options) : components_(options.components) {}

  void reset_state() override {
    for (size_t i = 0; i < components_.size(); ++i) {
      const Component& component = components_[i];
      arrays_.push_back(files::NpyArray::open(component.file, component.array.value_or("")));
      if (arrays_[i].rows() != arrays_[0].rows())
        throw broch::Error(BROCH_E_DATA_LOSS,
                           "/components/" + std::to_string(i) + "/file: " + component.file +
                               ": found " + std::to_string(arrays_[i].rows()) + " rows, expected " +
                               std::to_string(arrays_[0].rows()) + " as in " + components_[0].file +
                               "; all components of one dataflow must have the same rows");
    }
  }

  std::optional<int64_t> size() override { return int64_t(arrays_[0].rows()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= arrays_[0].rows()) return false;
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const files::NpyArray& array = arrays_[i];
      const std::optional<std::string>& name = components_[i].name;
      void* const to = point.allocate(array.type(), array.row_shape().data(),
                                      array.row_shape().size(), name ? name->c_str() : nullptr);
      array.copy_row(position.index, static_cast<char*>(to));
    }
    return true;
  }

 private:
  std::vector<Component> components_;
  std::vector<files::NpyArray> arrays_;
};

}  // namespace

BROCH_DATAFLOW(
    Npy, "broch.dataflow.npy", "1.0.0",
    "Yields one data point per row of arrays in .npy and .npz files, which stay on disk.",
    Options::schema)
