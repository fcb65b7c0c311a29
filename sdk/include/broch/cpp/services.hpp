// services.hpp: what components can ask the host for: progress, fetches, metrics, hyper-parameters,
// variables, the log folder and more. Failures throw Error.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data_point.hpp"
#include "host.hpp"
#include "tensor.hpp"

namespace broch {
inline namespace v0 {

// The counters of the training, and values that are computed together with a step; see
// ext/progress.h.
class Run {
 public:
  explicit Run(const Host& host)
      : host_(host),
        table_(host.require<broch_host_progress>(BROCH_EXT_PROGRESS)),
        progress_(table_->progress(host.c())) {}

  const broch_progress& progress() const { return *progress_; }
  // Whether the current step is the last one of its epoch.
  bool is_last_step() const { return progress_->local_step == progress_->steps_per_epoch - 1; }

  // In setup_graph of a callback: requests a value with every hooked run. Returns its id.
  uint32_t fetch(const std::string& name) const {
    uint32_t id = 0;
    host_.check(table_->fetch(host_.c(), name.c_str(), &id));
    return id;
  }
  // In after_run. No value: it was not requested in this run.
  std::optional<double> scalar(broch_run run, uint32_t id) const {
    double value = 0;
    if (host_.check(table_->scalar(host_.c(), run, id, &value)) == BROCH_NONE) return std::nullopt;
    return value;
  }
  std::optional<broch_tensor> value(broch_run run, uint32_t id) const {
    broch_tensor value = 0;
    if (host_.check(table_->value(host_.c(), run, id, &value)) == BROCH_NONE) return std::nullopt;
    return value;
  }
  void run_collection(const std::string& collection) const {
    host_.check(table_->run_collection(host_.c(), collection.c_str()));
  }
  void request_stop(const std::string& reason) const {
    host_.check(table_->request_stop(host_.c(), reason.c_str()));
  }
  void want_summaries(broch_run run) const { host_.check(table_->want_summaries(host_.c(), run)); }
  void evaluate_summaries() const { host_.check(table_->evaluate_summaries(host_.c())); }

 private:
  Host host_;
  const broch_host_progress* table_;
  const broch_progress* progress_;
};

// Makes the current thread, which the plugin has started, known to the host until the object is
// destroyed. Make it a local variable of the thread, before any other call to the host; see
// ext/scope.h.
class ThreadScope {
 public:
  ThreadScope(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_host_scope>(BROCH_EXT_SCOPE)) {
    host_.check(table_->thread_enter(host_.c(), name.c_str()));
  }
  ~ThreadScope() { table_->thread_leave(host_.c()); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  Host host_;
  const broch_host_scope* table_;
};

// Random numbers outside tower functions. The same stream and index always give the same numbers;
// see ext/rng.h.
class Rng {
 public:
  Rng(const Host& host, std::string stream)
      : host_(host),
        table_(host.require<broch_host_rng>(BROCH_EXT_RNG)),
        stream_(std::move(stream)) {}

  std::vector<uint64_t> bits(uint64_t index, size_t n) const {
    std::vector<uint64_t> words(n);
    host_.check(table_->bits(host_.c(), stream_.c_str(), index, words.data(), n));
    return words;
  }
  std::vector<double> uniform(uint64_t index, size_t n) const {
    std::vector<double> values(n);
    host_.check(table_->uniform(host_.c(), stream_.c_str(), index, values.data(), n));
    return values;
  }
  std::vector<double> normal(uint64_t index, size_t n) const {
    std::vector<double> values(n);
    host_.check(table_->normal(host_.c(), stream_.c_str(), index, values.data(), n));
    return values;
  }
  std::vector<uint64_t> below(uint64_t index, uint64_t bound, size_t n) const {
    std::vector<uint64_t> values(n);
    host_.check(table_->below(host_.c(), stream_.c_str(), index, bound, values.data(), n));
    return values;
  }
  std::vector<uint64_t> permutation(uint64_t index, size_t n) const {
    std::vector<uint64_t> order(n);
    host_.check(table_->permutation(host_.c(), stream_.c_str(), index, order.data(), n));
    return order;
  }

 private:
  Host host_;
  const broch_host_rng* table_;
  std::string stream_;
};

// A device, its properties and its memory; see ext/device.h.
class Device {
 public:
  // The number of devices of a type (BROCH_DL_…).
  static uint32_t count(const Host& host, int32_t type) {
    uint32_t count = 0;
    host.check(host.require<broch_host_device>(BROCH_EXT_DEVICE)->count(host.c(), type, &count));
    return count;
  }
  explicit Device(const Host& host, int32_t type = BROCH_DL_CPU, int32_t index = 0)
      : host_(host),
        table_(host.require<broch_host_device>(BROCH_EXT_DEVICE)),
        device_{type, index} {}

  broch_device_info info() const {
    broch_device_info info{};
    info.struct_size = sizeof info;
    host_.check(table_->info(host_.c(), device_, &info));
    return info;
  }
  broch_device_memory memory() const {
    broch_device_memory memory{};
    memory.struct_size = sizeof memory;
    host_.check(table_->memory(host_.c(), device_, &memory));
    return memory;
  }
  void reset_peak() const { host_.check(table_->reset_peak(host_.c(), device_)); }
  void synchronize() const { host_.check(table_->synchronize(host_.c(), device_)); }

 private:
  Host host_;
  const broch_host_device* table_;
  broch_dl_device device_;
};

// A span in the profile of the run, from construction to destruction; see ext/profile.h.
class Span {
 public:
  Span(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_host_profile>(BROCH_EXT_PROFILE)) {
    host_.check(table_->begin(host_.c(), name.c_str()));
  }
  ~Span() { table_->end(host_.c()); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Host host_;
  const broch_host_profile* table_;
};

// Communication between ranks. An instance must make the same calls in the same order on all ranks;
// see ext/dist.h.
class Dist {
 public:
  explicit Dist(const Host& host)
      : host_(host), table_(host.require<broch_host_dist>(BROCH_EXT_DIST)) {
    host_.check(table_->ranks(host_.c(), &rank_, &world_, &local_rank_));
  }

  uint32_t rank() const { return rank_; }
  uint32_t world() const { return world_; }
  uint32_t local_rank() const { return local_rank_; }

  // Element by element over all ranks. mode: BROCH_REDUCE_…. The number of values must be the same
  // on all ranks.
  std::vector<double> all_reduce(std::vector<double> values, int32_t mode) const {
    host_.check(table_->all_reduce(host_.c(), values.data(), uint32_t(values.size()), mode));
    return values;
  }
  double mean(double value) const { return all_reduce({value}, BROCH_REDUCE_MEAN)[0]; }
  // The bytes of rank root. bytes must have the same size on all ranks.
  std::string broadcast(std::string bytes, uint32_t root = 0) const {
    host_.check(table_->broadcast(host_.c(), bytes.data(), bytes.size(), root));
    return bytes;
  }
  void barrier() const { host_.check(table_->barrier(host_.c())); }

 private:
  Host host_;
  const broch_host_dist* table_;
  uint32_t rank_ = 0, world_ = 1, local_rank_ = 0;
};

// The input of the run; see ext/input.h.
class RunInput {
 public:
  explicit RunInput(const Host& host)
      : host_(host), table_(host.require<broch_host_input>(BROCH_EXT_INPUT)) {}

  // No value: the run has no input source.
  std::optional<uint32_t> flags() const {
    uint32_t flags = 0;
    if (host_.check(table_->flags(host_.c(), &flags)) == BROCH_NONE) return std::nullopt;
    return flags;
  }
  // No value: unknown.
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (host_.check(table_->size(host_.c(), &size)) == BROCH_NONE) return std::nullopt;
    return size;
  }
  // The number of data points that a tower has consumed since the program was started.
  uint64_t consumed(uint32_t tower = 0) const {
    uint64_t points = 0;
    host_.check(table_->consumed(host_.c(), tower, &points));
    return points;
  }
  void towers(uint32_t n) const { host_.check(table_->towers(host_.c(), n)); }
  // In run_step of a trainer: fills point. BROCH_OK, or BROCH_END or BROCH_STOP: return these from
  // run_step.
  broch_status next(uint32_t tower, const Point& point) const {
    return host_.check(table_->next(host_.c(), tower, point.handle()));
  }

 private:
  Host host_;
  const broch_host_input* table_;
};

// What the training towers have added to collections; see ext/collections.h. tower: its index.
class Collections {
 public:
  explicit Collections(const Host& host)
      : host_(host), table_(host.require<broch_host_collections>(BROCH_EXT_COLLECTIONS)) {}

  std::vector<std::string> list(uint32_t tower = 0) const {
    return texts([&](const char** names, uint32_t capacity, uint32_t* count) {
      return table_->list(host_.c(), nullptr, tower, names, capacity, count);
    });
  }
  // The published name of each member; "" for a member without a name.
  std::vector<std::string> members(const std::string& collection, uint32_t tower = 0) const {
    return texts([&](const char** names, uint32_t capacity, uint32_t* count) {
      return table_->members(host_.c(), nullptr, tower, collection.c_str(), names, capacity, count);
    });
  }
  uint32_t fetch(const std::string& collection, uint32_t member, uint32_t tower = 0) const {
    uint32_t id = 0;
    host_.check(table_->fetch(host_.c(), tower, collection.c_str(), member, &id));
    return id;
  }

 private:
  template <class Ask>
  std::vector<std::string> texts(Ask&& ask) const {
    uint32_t count = 0;
    host_.check(ask(nullptr, 0, &count));
    std::vector<const char*> names(count);
    host_.check(ask(names.data(), count, &count));
    return {names.begin(), names.end()};
  }

  Host host_;
  const broch_host_collections* table_;
};

// Sends numbers and images to the monitors, and reads earlier numbers; see ext/metrics.h.
class Metrics {
 public:
  explicit Metrics(const Host& host)
      : host_(host), table_(host.require<broch_host_metrics>(BROCH_EXT_METRICS)) {}

  void put_scalar(const std::string& name, double value) const {
    host_.check(table_->put_scalar(host_.c(), name.c_str(), value));
  }
  void put_image(const std::string& name, const broch_dl_tensor& image) const {
    host_.check(table_->put_image(host_.c(), name.c_str(), &image));
  }
  // The last value. No value: none has been put yet.
  std::optional<broch_metric_point> latest(const std::string& name) const {
    broch_metric_point point{};
    const broch_status status = table_->latest(host_.c(), name.c_str(), &point);
    if (status == BROCH_E_NOT_FOUND) return std::nullopt;
    host_.check(status);
    return point;
  }

 private:
  Host host_;
  const broch_host_metrics* table_;
};

// Hyper-parameters, which are numbers that change during training; see ext/hyper_param.h.
class HyperParam {
 public:
  explicit HyperParam(const Host& host)
      : host_(host), table_(host.require<broch_host_hyper_param>(BROCH_EXT_HYPER_PARAM)) {}

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

// The variables of the run, outside tower functions; see ext/variables.h.
class Variables {
 public:
  explicit Variables(const Host& host)
      : host_(host), table_(host.require<broch_host_variables>(BROCH_EXT_VARIABLES)) {}

  // The variables that have all of flags (BROCH_VARIABLE_…), in the order of creation.
  std::vector<broch_variable> list(uint32_t flags = 0) const {
    uint32_t count = 0;
    host_.check(table_->list(host_.c(), 0, flags, nullptr, 0, &count));
    std::vector<broch_variable> handles(count);
    host_.check(table_->list(host_.c(), 0, flags, handles.data(), count, &count));
    return handles;
  }
  // By full name.
  broch_variable find(const std::string& name) const {
    broch_variable variable = 0;
    host_.check(table_->find(host_.c(), name.c_str(), &variable));
    return variable;
  }
  broch_variable_info info(broch_variable variable) const {
    broch_variable_info info{};
    info.struct_size = sizeof info;
    host_.check(table_->info(host_.c(), variable, &info));
    return info;
  }
  // A borrowed alias of the memory, not a copy; TensorData reads it.
  broch_tensor value(broch_variable variable) const {
    broch_tensor value = 0;
    host_.check(table_->value(host_.c(), variable, &value));
    return value;
  }
  // values: row-major, of the dtype of the variable. Throws Error if their number is wrong.
  template <class T>
  void assign(broch_variable variable, const std::vector<T>& values) const {
    const broch_variable_info is = info(variable);
    std::vector<int64_t> shape(is.shape, is.shape + is.rank);
    int64_t elements = 1;
    for (const int64_t extent : shape) elements *= extent;
    if (elements != int64_t(values.size()))
      throw Error(BROCH_E_INVALID_ARGUMENT, std::string(is.name) + " has " +
                                                std::to_string(elements) + " elements, not " +
                                                std::to_string(values.size()));
    const broch_dl_tensor view =
        dl_view(values.data(), dl_type(dtype_of(T{})), shape.data(), int32_t(is.rank));
    host_.check(table_->assign(host_.c(), variable, &view));
  }

 private:
  Host host_;
  const broch_host_variables* table_;
};

// The log folder of this run; see ext/log_dir.h.
class LogDir {
 public:
  explicit LogDir(const Host& host)
      : host_(host), table_(host.require<broch_host_log_dir>(BROCH_EXT_LOG_DIR)) {}

  // No value: this process has no log folder, because it is not the chief.
  std::optional<std::string> path() const {
    const char* path = "";
    if (host_.check(table_->path(host_.c(), &path)) == BROCH_NONE) return std::nullopt;
    return path;
  }
  // Writes a file in the log folder, completely or not at all. name must not contain '/'.
  void write_file(const std::string& name, const std::string& text) const {
    host_.check(table_->write_file(host_.c(), name.c_str(), text.data(), text.size()));
  }

 private:
  Host host_;
  const broch_host_log_dir* table_;
};

}  // namespace v0
}  // namespace broch
