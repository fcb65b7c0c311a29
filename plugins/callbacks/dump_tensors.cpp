// dump_tensors.cpp: writes values of every step into files for NumPy. tensorpack: `DumpTensors`.
#include <archive/inflate.hpp>
#include <archive/npy_header.hpp>
#include <archive/zip_writer.hpp>
#include <broch/broch.hpp>
#include <containers/component.hpp>

namespace {

struct Options {
  std::vector<std::string> names;

  static constexpr auto schema =
      broch::options(broch::option("names", &Options::names, "Published names.").min_items(1));
};

class DumpTensors final : public broch::Callback {
 public:
  DumpTensors(const broch::Host& host, const Options& options)
      : host_(host), run_(host), data_(host), log_dir_(host), names_(options.names) {}

  void setup_graph() override {
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }
  // global_step counts this step already, as in tensorpack's file names.
  void after_run(broch_run run) override {
    std::string file;
    broch::archive::ZipWriter archive([&](std::string_view bytes) { file += bytes; });
    for (size_t i = 0; i < names_.size(); ++i)
      if (const auto value = run_.value(run, fetches_[i])) add(archive, names_[i], *value);
    archive.finish();
    const int64_t step = run_.progress().global_step;
    log_dir_.write_file("DumpTensor-" + std::to_string(step) + ".npz", file);
  }

 private:
  void add(broch::archive::ZipWriter& archive, const std::string& name, broch_tensor tensor) const {
    const broch_tensor_info info = data_.info(tensor);
    const std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    const std::string descr = containers::descr_of(broch::dl_type(info.dtype));
    const std::string bytes = broch::archive::npy_header(descr, shape) + elements_of(tensor, info);
    archive.begin(name + ".npy", bytes.size(), broch::archive::crc32_of(bytes));
    archive.append(bytes);
  }
  // A copy, since a view of a tensor on a GPU cannot be read.
  std::string elements_of(broch_tensor tensor, const broch_tensor_info& info) const {
    std::string bytes(size_t(info.element_count) * broch::dl_type(info.dtype).bits / 8, '\0');
    const auto* const table = host_.require<broch_host_tensor>(BROCH_EXT_TENSOR);
    host_.check(table->copy_out(host_.c(), tensor, 0, bytes.data(), bytes.size()));
    return bytes;
  }

  broch::Host host_;
  broch::Run run_;
  broch::TensorData data_;
  broch::LogDir log_dir_;
  std::vector<std::string> names_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_CALLBACK(DumpTensors, "broch.callback.dump-tensors", "1.0.0",
               "Writes values of every step into DumpTensor-STEP.npz in the log folder.",
               Options::schema, broch::produces())
