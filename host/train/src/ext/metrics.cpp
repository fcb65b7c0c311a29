// metrics.cpp: broch.metrics/1.
#include <algorithm>
#include <deque>
#include <utility>

#include "base/text.hpp"
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
    given(image, kPutImage, "image");
    with_prefixes(monitors, name_given(name, kPutImage),
                  [&](const char* whole) { monitors.put_image(whole, *image); });
    return BROCH_OK;
  });
}

broch_status put_summary(const broch_host* host, const broch_summary_value* values, uint32_t n) {
  return serve(host, kPutSummary, Role::main, [&](Instance& instance) {
    if (n) given(values, kPutSummary, "values");
    for (uint32_t i = 0; i < n; ++i) name_given(values[i].tag, kPutSummary);
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
    given(kind, kPutEvent, "kind");
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
