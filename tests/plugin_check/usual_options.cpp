// usual_options.cpp: a list of components and options.
#include "usual_options.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

namespace broch::plugin_check_test {
namespace {

namespace fs = std::filesystem;

struct Given {
  const char* component;
  const char* options;  // FILES is the folder of the files
};

constexpr Given kGiven[] = {
    {"broch.callback.activation-summary", R"({"names": ["scalar0"]})"},
    {"broch.callback.data-parallel-inference-runner",
     R"({"devices": [0],
         "inferencers": [{"use": "scalar-stats", "with": {"names": ["scalar0"]}}],
         "dataflow": {"use": "fake", "with": {"size": 5, "components": [{"shape": []}]}}})"},
    {"broch.callback.derived-metric", R"({"name": "twice", "value": "2 * epoch_num"})"},
    {"broch.callback.dump-tensors", R"({"names": ["scalar0"]})"},
    {"broch.callback.early-stopping", R"({"monitor_stat": "scalar0"})"},
    {"broch.callback.enable-callback-if", R"({"condition": "global_step != 1"})"},
    {"broch.callback.freeze", R"({"phases": [{"variables": ".*"}]})"},
    {"broch.callback.human-hyper-param-setter", R"({"param": "learning_rate"})"},
    {"broch.callback.hyper-param-setter-with-func", R"({"param": "learning_rate"})"},
    {"broch.callback.inference-runner",
     R"({"inferencers": [{"use": "scalar-stats", "with": {"names": ["scalar0"]}}],
         "dataflow": {"use": "fake", "with": {"size": 5, "components": [{"shape": []}]}}})"},
    {"broch.callback.min-saver", R"({"monitor_stat": "scalar0"})"},
    {"broch.callback.nan-guard", R"({"names": ["scalar0"]})"},
    {"broch.callback.param-summary",
     R"({"parts": [{"variables": ".*", "kinds": ["mean", "histogram"]}]})"},
    {"broch.callback.periodic-callback", R"({"every_k_steps": 2})"},
    {"broch.callback.periodic-trigger", R"({"every_k_steps": 1})"},
    {"broch.callback.reduce-on-plateau",
     R"({"param": "learning_rate", "monitor_stat": "scalar0", "patience": 0})"},
    {"broch.callback.run-op", R"({"assign": [{"variables": "(?!global_step).*", "value": 1}]})"},
    {"broch.callback.samples",
     R"({"outputs": [{"name": "scalar0", "as": "numbers"}],
         "dataflow": {"use": "fake", "with": {"size": 5, "components": [{"shape": []}]}}})"},
    {"broch.callback.schedule",
     R"({"param": "learning_rate", "step_based": true,
         "phases": [{"shape": "exponential", "from": 0.5, "factor": 0.9}]})"},
    {"broch.callback.scheduled-hyper-param-setter",
     R"({"param": "learning_rate", "schedule": [[1, 0.5]]})"},
    {"broch.callback.simple-moving-average", R"({"tensors": ["scalar0"], "window_size": 2})"},
    {"broch.callback.stat-monitor-param-setter",
     R"({"param": "learning_rate", "stat_name": "scalar0", "value_func": "value / 2",
         "threshold": 0, "last_k": 2})"},
    {"broch.callback.tensor-printer", R"({"names": ["scalar0"]})"},
    {"broch.callback.time-budget", R"({"seconds": 1000})"},
    {"broch.dataflow.arrays", R"({"components": [{"file": "FILES/f4.npy"}]})"},
    {"broch.dataflow.bucket-by-length",
     R"({"batch_sizes": [2, 2], "boundaries": [2], "dataflow": {"use": "fake", "with": {"size": 9,
         "components": [{"shape": [3]}]}}})"},
    {"broch.dataflow.class-balanced",
     R"({"component": 0, "dataflow": {"use": "fake", "with": {"size": 9,
         "components": [{"shape": [], "dtype": "int64", "high": 4}]}}})"},
    {"broch.dataflow.csv",
     R"({"file": "FILES/table.csv", "components": [{"columns": ["price", "count"]}]})"},
    {"broch.dataflow.hdf5", R"({"file": "FILES/h5py.h5", "components": ["group/packed"]})"},
    {"broch.dataflow.fashion-mnist", R"({"split": "test"})"},
    {"broch.dataflow.image-folder", R"({"folder": "FILES/classes", "extensions": []})"},
    {"broch.dataflow.lmdb", R"({"path": "FILES/tensorpack.lmdb"})"},
    {"broch.dataflow.npy", R"({"components": [{"file": "FILES/f4.npy"}]})"},
    {"broch.dataflow.pack-tokens",
     R"({"length": 4, "dataflow": {"use": "fake", "with": {"size": 9,
         "components": [{"shape": [3], "dtype": "int64", "high": 9}]}}})"},
    {"broch.dataflow.pipe", R"({"command": ["cat", "FILES/frames"]})"},
    {"broch.dataflow.safetensors-folder", R"({"folder": "FILES/tensors"})"},
    {"broch.dataflow.select", R"({"components": [0]})"},
    {"broch.dataflow.split", R"({"parts": [0.8, 0.2], "part": 0})"},
    {"broch.dataflow.svmlight", R"({"file": "FILES/rows.svm"})"},
    {"broch.dataflow.tar", R"({"files": ["FILES/webdataset.tar"], "components": ["jpg", "cls"]})"},
    {"broch.dataflow.text-lines", R"({"file": "FILES/rows.svm"})"},
    {"broch.dataflow.tfrecord",
     R"({"files": ["FILES/tensorflow.tfrecord"], "components": [{"feature": "image"}]})"},
    {"broch.dataflow.tokens", R"({"file": "FILES/rows.svm", "dtype": "uint8", "length": 4})"},
    {"broch.dataflow.weighted-sample", R"({"weights": [1, 2, 3, 4, 5]})"},
    {"broch.callback.activation-summary", R"({"names": ["scalar0"]})"},
    {"broch.input_source.dummy-constant", R"({"shapes": [[]]})"},
    {"broch.input_source.side-by-side",
     R"({"inputs": [{"use": "dummy-constant", "with": {"shapes": [[]]}}], "names": [["x"]]})"},
    {"broch.inferencer.perplexity", R"({"loss": "scalar0"})"},
    {"broch.inferencer.regression-errors", R"({"prediction": "scalar0", "target": "scalar0"})"},
    {"broch.inferencer.sample-mean", R"({"names": ["scalar0"]})"},
    {"broch.model.dcgan", R"({"image_size": 8, "generator_width": 2, "discriminator_width": 2})"},
    {"broch.model.gpt",
     R"({"vocabulary": 9, "context": 8, "layers": 1, "heads": 2, "width": 4, "dropout": 0.1})"},
    {"broch.model.lstm-lm", R"({"vocabulary": 9, "width": 4, "units": 4, "layers": 2})"},
    {"broch.model.resnet",
     R"({"form": "cifar", "depth": 8, "width": 4, "image_size": 8, "classes": 3})"},
    {"broch.model.sequential",
     R"({"inputs": [{"name": "x", "shape": [2, 3]}, {"name": "y", "shape": [2]}],
         "layers": [{"layer": "batch_norm"}, {"layer": "fully_connected", "units": 1}],
         "loss": "mse", "metrics": ["mean_absolute_error"]})"},
    {"broch.model.unet", R"({"width": 2, "image_size": [32, 32]})"},
    {"broch.model.vit",
     R"({"image_size": 8, "patch_size": 4, "layers": 1, "heads": 2, "width": 4, "hidden": 8})"},
    {"broch.model.wide-resnet", R"({"depth": 10, "widen_factor": 1, "image_size": 8})"},
    {"broch.monitor.mlflow", R"({"folder": "FILES/mlruns"})"},
    {"broch.monitor.notify", R"({"command": "true"})"},
    {"broch.monitor.prometheus", R"({"file": "FILES/metrics.prom"})"},
    {"broch.transform.center-paste", R"({"background_shape": [20, 20]})"},
    {"broch.transform.filter", R"({"component": 0, "minimum": 0})"},
    {"broch.transform.flip", R"({"horiz": true})"},
    {"broch.transform.log-mel", R"({"n_fft": 4, "mels": 2})"},
    {"broch.transform.one-hot", R"({"classes": 256})"},
    {"broch.transform.random-paste", R"({"background_shape": [20, 20]})"},
};

template <class Number>
std::string bytes_of(Number value) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A file with the tensor "x" of two float32.
std::string safetensors() {
  const std::string header = R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})";
  return bytes_of(uint64_t(header.size())) + header + bytes_of(1.0F) + bytes_of(2.0F);
}

// Three points of two float32 and the end of the round, for pipe.
std::string frames() {
  const auto head = [](uint16_t kind, uint32_t components, uint64_t size) {
    return "BRPF" + bytes_of(uint16_t{1}) + bytes_of(kind) + bytes_of(components) +
           bytes_of(uint32_t{0}) + bytes_of(size);
  };
  const std::string component =
      bytes_of(uint8_t{1}) + bytes_of(uint8_t{1}) + bytes_of(uint16_t{0}) + bytes_of(uint32_t{0}) +
      bytes_of(uint64_t{8}) + bytes_of(int64_t{2}) + bytes_of(1.0F) + bytes_of(2.0F);
  std::string all;
  for (int i = 0; i < 3; ++i) all += head(1, 1, component.size()) + component;
  return all + head(2, 0, 0);
}

}  // namespace

UsualOptions::UsualOptions() {
  const fs::path tests = TESTS_DIR;
  for (const char* file :
       {"plugins_arrays/good/f4.npy", "plugins_files/good/table.csv",
        "plugins_containers/good/h5py.h5", "plugins_containers/good/tensorpack.lmdb",
        "plugins_containers/good/webdataset.tar", "plugins_containers/good/tensorflow.tfrecord"})
    fs::copy_file(tests / file, folder_.path() / fs::path(file).filename());
  folder_.write("classes/a/1.txt", "one");
  folder_.write("classes/b/2.txt", "two");
  folder_.write("tensors/a.safetensors", safetensors());
  folder_.write("tensors/b.safetensors", safetensors());
  folder_.write("rows.svm", "1 1:0.5 3:2\n2 2:1\n3 1:1\n");
  folder_.write("frames", frames());
}

Words UsualOptions::words() const {
  Words words;
  for (const Given& given : kGiven) {
    std::string options = given.options;
    for (size_t at; (at = options.find("FILES")) != std::string::npos;)
      options.replace(at, 5, folder_.path().string());
    words.insert(words.end(), {"--with", std::string(given.component) + "=" + options});
  }
  return words;
}

}  // namespace broch::plugin_check_test
