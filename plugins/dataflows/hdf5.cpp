// hdf5.cpp: one data point per row of datasets in an HDF5 file. tensorpack: `HDF5Data`.
#include <broch/broch.hpp>

#include "containers/put.hpp"
#include "hdf5/dataset.hpp"

namespace {

struct Options {
  std::string file;
  std::vector<std::string> components, names;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "The HDF5 file.").min_length(1).is_path(),
      broch::option("components", &Options::components,
                    "Paths of datasets in the file, in the order of the model's inputs. Rows lie "
                    "along their first dimension.")
          .min_items(1)
          .min_length(1),
      broch::option(
          "names", &Options::names,
          "Names of the components; []: they are matched with the model's inputs by order.")
          .by_default());
};

class Hdf5 final : public broch::Indexed {
 public:
  explicit Hdf5(const Options& options) : options_(options) {
    containers::check_names(options.names, options.components.size());
  }

  void reset_state() override {
    datasets_ = hdf5::open_datasets(options_.file, options_.components);
  }

  std::optional<int64_t> size() override { return int64_t(datasets_[0].rows()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= datasets_[0].rows()) return false;
    for (size_t i = 0; i < datasets_.size(); ++i) {
      const hdf5::Dataset& dataset = datasets_[i];
      const std::string name = containers::name_at(options_.names, i);
      dataset.read(position.index, point.allocate(dataset.type(), dataset.row_shape().data(),
                                                  dataset.row_shape().size(),
                                                  name.empty() ? nullptr : name.c_str()));
    }
    return true;
  }

 private:
  Options options_;
  std::vector<hdf5::Dataset> datasets_;
};

}  // namespace

BROCH_DATAFLOW(Hdf5, "broch.dataflow.hdf5", "1.0.0", "Yields the rows of datasets in an HDF5 file.",
               Options::schema)
