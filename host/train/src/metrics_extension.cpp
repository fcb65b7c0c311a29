// metrics_extension.cpp: broch.metrics/1.
#include "base/text.hpp"
#include "extension_tables.hpp"

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

broch_status put_scalar(const broch_host* host, const char* name, double value) {
  return serve(host, "put_scalar", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_scalar(name, value);
    return BROCH_OK;
  });
}

broch_status put_image(const broch_host* host, const char* name, const broch_dl_tensor* image) {
  return serve(host, "put_image", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_image(name, *image);
    return BROCH_OK;
  });
}

broch_status put_summary(const broch_host* host, const broch_summary_value* values, uint32_t n) {
  return serve(host, "put_summary", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_summary({values, n});
    return BROCH_OK;
  });
}

broch_status put_event(const broch_host* host, const char* kind, const void* data, uint64_t size) {
  return serve(host, "put_event", Role::main, [&](Instance& instance) {
    monitors_of(instance).put_event(kind, data, size);
    return BROCH_OK;
  });
}

broch_status latest(const broch_host* host, const char* name, broch_metric_point* point) {
  return serve(host, "latest", Role::main, [&](Instance& instance) {
    const Monitors& monitors = monitors_of(instance);
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
    const auto found = monitors_of(instance).history(name);
    *points = found.data();
    *count = found.size();
    return BROCH_OK;
  });
}

}  // namespace

const broch_metrics kMetricsTable = {sizeof(broch_metrics), 0,         put_scalar, put_image,
                                     put_summary,           put_event, latest,     history};

}  // namespace broch::train
