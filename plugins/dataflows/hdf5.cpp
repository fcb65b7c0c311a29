// hdf5.cpp: one data point per row of datasets in an HDF5 file. tensorpack: `HDF5Data`.
#include <dlfcn.h>

#include <broch/broch.hpp>
#include <filesystem>
#include <optional>

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

// The plugin is lib/broch/plugins/hdf5.so of the same prefix.
std::string reader_program() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&reader_program), &info) || !info.dli_fname) return "";
  std::error_code failed;
  return (std::filesystem::weakly_canonical(info.dli_fname, failed).parent_path() /
          "../programs/hdf5_reader")
      .lexically_normal()
      .string();
}

class Hdf5 final : public broch::Indexed {
 public:
  Hdf5(const broch::Host& host, const Options& options) : host_(host), options_(options) {
    containers::check_names(options.names, options.components.size());
  }

  void reset_state() override {
    const hdf5::Opening opening{reader_program(), options_.file, options_.components};
    datasets_.emplace(opening, broch::Cancel::of_run(host_));
  }

  std::optional<int64_t> size() override { return int64_t(datasets_->rows()); }

  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    if (position.index >= datasets_->rows()) return false;
    for (size_t i = 0; i < options_.components.size(); ++i) {
      const hdf5::Description& rows = (*datasets_)[i];
      const std::string name = containers::name_at(options_.names, i);
      void* const row = point.allocate(rows.type, rows.row_shape.data(), rows.row_shape.size(),
                                       name.empty() ? nullptr : name.c_str());
      datasets_->read(i, position.index, row, cancel);
    }
    return true;
  }

 private:
  broch::Host host_;
  Options options_;
  std::optional<hdf5::Datasets> datasets_;
};

}  // namespace

BROCH_DATAFLOW(Hdf5, "broch.dataflow.hdf5", "1.0.0", "Yields the rows of datasets in an HDF5 file.",
               Options::schema)
