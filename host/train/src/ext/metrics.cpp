// metrics.cpp: broch.metrics/1.
#include <algorithm>

#include "base/text.hpp"
#include "tables.hpp"

namespace broch::train {

namespace {

constexpr const char* kPutSummary = "broch.metrics/1 put_summary";
constexpr const char* kPutScalar = "broch.metrics/1 put_scalar";
constexpr const char* kPutImage = "broch.metrics/1 put_image";
constexpr const char* kPutEvent = "broch.metrics/1 put_event";
constexpr const char* kHistory = "broch.metrics/1 history";
constexpr const char* kLatest = "broch.metrics/1 latest";

Monitors& monitors_of(Instance& instance) {
  Trainer& trainer = trainer_of(instance);
  if (trainer.setting_up() && !trainer.in_callbacks_setup())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         "there are no monitors before setup_graph of the callbacks"};
  return trainer.monitors();
}

// Names must be fit for JSON, event files and terminals.
const char* name_given(const char* name, const char* function) {
  const std::string_view text = given(name, function, "name");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  if (!text.empty() && base::is_utf8(text) && std::ranges::none_of(text, is_control)) return name;
  throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                       std::string(function) + ": name " + base::quoted(text) +
                           ", expected some UTF-8 text without control characters"};
}

broch_status put_scalar(const broch_host* host, const char* name, double value) {
  return serve(host, kPutScalar, Role::main, [&](Instance& instance) {
    monitors_of(instance).put_scalar(name_given(name, kPutScalar), value);
    return BROCH_OK;
  });
}

broch_status put_image(const broch_host* host, const char* name, const broch_dl_tensor* image) {
  return serve(host, kPutImage, Role::main, [&](Instance& instance) {
    monitors_of(instance).put_image(name_given(name, kPutImage), *given(image, kPutImage, "image"));
    return BROCH_OK;
  });
}

broch_status put_summary(const broch_host* host, const broch_summary_value* values, uint32_t n) {
  return serve(host, kPutSummary, Role::main, [&](Instance& instance) {
    if (n) given(values, kPutSummary, "values");
    for (uint32_t i = 0; i < n; ++i) name_given(values[i].tag, kPutSummary);
    monitors_of(instance).put_summary({values, n});
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

}  // namespace

const broch_host_metrics kMetricsTable = {
    sizeof(broch_host_metrics), 0, put_scalar, put_image, put_summary, put_event, latest, history};

}  // namespace broch::train
