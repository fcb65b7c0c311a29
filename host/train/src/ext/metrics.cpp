// metrics.cpp: broch.metrics/1.
#include <algorithm>
#include <deque>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/dlpack.hpp"
#include "tables.hpp"
#include "train/metric_name.hpp"

namespace broch::train {

namespace {

constexpr const char* kPutSummary = "broch.metrics/1 put_summary";
constexpr const char* kPutScalar = "broch.metrics/1 put_scalar";
constexpr const char* kPutImage = "broch.metrics/1 put_image";
constexpr const char* kPutEvent = "broch.metrics/1 put_event";
constexpr const char* kHistory = "broch.metrics/1 history";
constexpr const char* kLatest = "broch.metrics/1 latest";
constexpr const char* kPrefixPush = "broch.metrics/1 prefix_push";
constexpr const char* kPrefixPop = "broch.metrics/1 prefix_pop";

Monitors& monitors_of(Instance& instance) {
  Trainer& trainer = trainer_of(instance);
  if (trainer.setting_up() && !trainer.in_callbacks_setup())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         "there are no monitors before setup_graph of the callbacks"};
  return trainer.monitors();
}

const char* name_given(const char* name, const char* function) {
  const std::string_view text = given(name, function, "name");
  if (is_metric_name(text)) return name;
  throw abi::CallError{
      BROCH_E_INVALID_ARGUMENT,
      std::string(function) + ": name " + base::quoted(text) + ", expected " + kMetricNameExpected};
}

abi::CallError wrong(const char* function, const std::string& what) {
  return {BROCH_E_INVALID_ARGUMENT, std::string(function) + ": " + what};
}

runtime::TensorInfo described(const broch_dl_tensor& tensor, const char* function) {
  try {
    return runtime::describe_dl(tensor);
  } catch (const base::Error& error) {  // here it is the caller's mistake, and not one in data
    throw wrong(function, error.what());
  }
}

// What role/monitor.h says about the tensor of a kind of summary. rank 0: any.
struct Form {
  int32_t kind;
  broch_dtype dtype;
  uint32_t rank;
  const char* words;

  bool fits(const runtime::TensorInfo& info) const {
    if (info.dtype != dtype || info.device.type != BROCH_DL_CPU) return false;
    if (rank && info.shape.rank != rank) return false;
    const auto& dims = info.shape.dims;
    if (kind == BROCH_SUMMARY_IMAGE) return dims[2] == 1 || dims[2] == 3 || dims[2] == 4;
    return kind != BROCH_SUMMARY_PR_CURVE || dims[0] == 4;
  }
};
constexpr Form kForms[] = {{BROCH_SUMMARY_HISTOGRAM, BROCH_FLOAT64, 0, "float64"},
                           {BROCH_SUMMARY_IMAGE, BROCH_UINT8, 3,
                            "uint8 (height, width, channels) with 1, 3 or 4 channels"},
                           {BROCH_SUMMARY_AUDIO, BROCH_FLOAT32, 2, "float32 (frames, channels)"},
                           {BROCH_SUMMARY_PR_CURVE, BROCH_FLOAT64, 2, "float64 (4, n)"}};

// Monitors read what a value points to without a check of their own.
void require_content(const broch_summary_value& value) {
  const std::string tag = base::quoted(value.tag);
  if (value.kind == BROCH_SUMMARY_TEXT && value.size && !value.bytes)
    throw wrong(kPutSummary, tag + " has no bytes, expected " + std::to_string(value.size));
  const auto* const form = std::ranges::find(kForms, value.kind, &Form::kind);
  if (form == std::end(kForms)) return;
  const std::string expected = std::string(", expected ") + form->words + " on the CPU";
  if (!value.tensor) throw wrong(kPutSummary, tag + " has no tensor" + expected);
  const runtime::TensorInfo info = described(*value.tensor, kPutSummary);
  if (!form->fits(info))
    throw wrong(kPutSummary, tag + " is " + type_text(info.dtype, info.shape) + expected);
}

// What components put before the names of metrics while they call others, the outer ones first.
// They belong to the calls on this thread, and to one run: what a failed run has left is dropped.
std::vector<std::string>& prefixes_of(const Monitors& monitors) {
  thread_local std::vector<std::string> prefixes;
  thread_local const Monitors* of = nullptr;
  if (std::exchange(of, &monitors) != &monitors) prefixes.clear();
  return prefixes;
}

// Calls put with the name behind the prefixes.
template <class Put>
void with_prefixes(const Monitors& monitors, const char* name, Put&& put) {
  const std::vector<std::string>& prefixes = prefixes_of(monitors);
  if (prefixes.empty()) return put(name);
  put((base::join(prefixes, "") + name).c_str());
}

broch_status put_scalar(const broch_host* host, const char* name, double value) {
  return serve(host, kPutScalar, Role::main, [&](Instance& instance) {
    Monitors& monitors = monitors_of(instance);
    with_prefixes(monitors, name_given(name, kPutScalar),
                  [&](const char* whole) { monitors.put_scalar(whole, value); });
    return BROCH_OK;
  });
}

broch_status put_image(const broch_host* host, const char* name, const broch_dl_tensor* image) {
  return serve(host, kPutImage, Role::main, [&](Instance& instance) {
    Monitors& monitors = monitors_of(instance);
    described(*given(image, kPutImage, "image"), kPutImage);
    with_prefixes(monitors, name_given(name, kPutImage),
                  [&](const char* whole) { monitors.put_image(whole, *image); });
    return BROCH_OK;
  });
}

broch_status put_summary(const broch_host* host, const broch_summary_value* values, uint32_t n) {
  return serve(host, kPutSummary, Role::main, [&](Instance& instance) {
    if (n) given(values, kPutSummary, "values");
    for (uint32_t i = 0; i < n; ++i) {
      name_given(values[i].tag, kPutSummary);
      require_content(values[i]);
    }
    Monitors& monitors = monitors_of(instance);
    if (prefixes_of(monitors).empty()) {
      monitors.put_summary({values, n});
      return BROCH_OK;
    }
    std::deque<std::string> tags;  // whose addresses stay
    std::vector<broch_summary_value> renamed(values, values + n);
    for (broch_summary_value& value : renamed)
      with_prefixes(monitors, value.tag,
                    [&](const char* whole) { value.tag = tags.emplace_back(whole).c_str(); });
    monitors.put_summary(renamed);
    return BROCH_OK;
  });
}

broch_status put_event(const broch_host* host, const char* kind, const void* data, uint64_t size) {
  return serve(host, kPutEvent, Role::main, [&](Instance& instance) {
    name_given(kind, kPutEvent);
    if (size) given(data, kPutEvent, "data");
    monitors_of(instance).put_event(kind, data, size);
    return BROCH_OK;
  });
}

broch_status latest(const broch_host* host, const char* name, broch_metric_point* point) {
  return serve(host, kLatest, Role::main, [&](Instance& instance) {
    const Monitors& monitors = monitors_of(instance);
    given(name, kLatest, "name");
    given(point, kLatest, "point");
    const broch_metric_point* found = monitors.latest(name);
    if (!found) return BROCH_NONE;
    *point = *found;
    return BROCH_OK;
  });
}

broch_status history(const broch_host* host, const char* name, const broch_metric_point** points,
                     uint64_t* count) {
  return serve(host, kHistory, Role::main, [&](Instance& instance) {
    given(points, kHistory, "points");
    given(count, kHistory, "count");
    const auto found = monitors_of(instance).history(given(name, kHistory, "name"));
    *points = found.data();
    *count = found.size();
    return BROCH_OK;
  });
}

broch_status prefix_push(const broch_host* host, const char* prefix) {
  return serve(host, kPrefixPush, Role::main, [&](Instance& instance) {
    prefixes_of(monitors_of(instance)).emplace_back(name_given(prefix, kPrefixPush));
    return BROCH_OK;
  });
}

broch_status prefix_pop(const broch_host* host) {
  return serve(host, kPrefixPop, Role::main, [&](Instance& instance) {
    std::vector<std::string>& prefixes = prefixes_of(monitors_of(instance));
    if (prefixes.empty())
      throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                           std::string(kPrefixPop) + ": there is no prefix"};
    prefixes.pop_back();
    return BROCH_OK;
  });
}

}  // namespace

const broch_host_metrics kMetricsTable = {sizeof(broch_host_metrics),
                                          0,
                                          put_scalar,
                                          put_image,
                                          put_summary,
                                          put_event,
                                          latest,
                                          history,
                                          prefix_push,
                                          prefix_pop};

}  // namespace broch::train
