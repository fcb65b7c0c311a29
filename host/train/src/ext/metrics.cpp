// metrics_extension.cpp: broch.metrics/1.
#include <algorithm>

#include "base/text.hpp"
#include "tables.hpp"

namespace broch::train {

namespace {

using abi::Instance;
using abi::Role;
using abi::serve;

Monitors& monitors_of(Instance& instance) {
  Trainer& trainer = trainer_of(instance);
  if (trainer.setting_up() && !trainer.in_callbacks_setup())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         "there are no monitors before setup_graph of the callbacks"};
  return trainer.monitors();
}

// Names stand in JSON, in event files and on the terminal.
const char* name_given(const char* name, const char* function) {
  const std::string_view text = given(name, function, "name");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  if (!text.empty() && base::is_utf8(text) && std::ranges::none_of(text, is_control)) return name;
  throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                       std::string(function) + ": name " + base::quoted(text) +
                           ", expected some UTF-8 text without control characters"};
}

broch_status put_scalar(const broch_host* host, const char* name, double value) {
  return serve(host, "put_scalar", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_scalar(name_given(name, "put_scalar"), value);
    return BROCH_OK;
  });
}

broch_status put_image(const broch_host* host, const char* name, const broch_dl_tensor* image) {
  return serve(host, "put_image", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_image(name_given(name, "put_image"),
                                    *given(image, "put_image", "image"));
    return BROCH_OK;
  });
}

broch_status put_summary(const broch_host* host, const broch_summary_value* values, uint32_t n) {
  return serve(host, "put_summary", Role::main, [&](Instance& instance) {
    if (n) given(values, "put_summary", "values");
    for (uint32_t i = 0; i < n; ++i) name_given(values[i].tag, "put_summary");
    monitors_of(instance).put_summary({values, n});
    return BROCH_OK;
  });
}

broch_status put_event(const broch_host* host, const char* kind, const void* data, uint64_t size) {
  return serve(host, "put_event", Role::main, [&](Instance& instance) {
    given(kind, "put_event", "kind");
    if (size) given(data, "put_event", "data");
    monitors_of(instance).put_event(kind, data, size);
    return BROCH_OK;
  });
}

broch_status latest(const broch_host* host, const char* name, broch_metric_point* point) {
  return serve(host, "latest", Role::main, [&](Instance& instance) {
    const Monitors& monitors = monitors_of(instance);
    given(name, "latest", "name");
    given(point, "latest", "point");
    const broch_metric_point* found = monitors.latest(name);
    if (!found)
      throw abi::CallError{BROCH_E_NOT_FOUND, "latest: no metric named " + base::quoted(name) +
                                                  " so far" +
                                                  base::did_you_mean(name, monitors.names())};
    *point = *found;
    return BROCH_OK;
  });
}

broch_status history(const broch_host* host, const char* name, const broch_metric_point** points,
                     uint64_t* count) {
  return serve(host, "history", Role::main, [&](Instance& instance) {
    given(points, "history", "points");
    given(count, "history", "count");
    const auto found = monitors_of(instance).history(given(name, "history", "name"));
    *points = found.data();
    *count = found.size();
    return BROCH_OK;
  });
}

}  // namespace

const broch_metrics kMetricsTable = {sizeof(broch_metrics), 0,         put_scalar, put_image,
                                     put_summary,           put_event, latest,     history};

}  // namespace broch::train
