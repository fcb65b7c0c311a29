// config.cpp: broch.config/1, which reads the options of the calling instance.
#include "abi/serve.hpp"
#include "options.hpp"
#include "tables.hpp"

namespace broch::abi {
namespace {

// The body of a getter: checks both pointers and calls get(options).
template <class Value, class Get>
broch_status read(const broch_host* host, const char* function, const char* pointer, Value* value,
                  Get&& get) {
  return serve(host, function, kNoScope, [&](Instance& instance) {
    given(pointer, function, "pointer");
    given(value, function, "value");
    *value = get(instance.options());
    return BROCH_OK;
  });
}

const char* text(const broch_host* host) {
  broch_status status = BROCH_OK;
  const Caller instance(host, "broch.config/1 text", kNoScope, &status);
  return instance ? instance->options().text().c_str() : "{}";
}

int32_t kind(const broch_host* host, const char* pointer) {
  int32_t kind = BROCH_CONFIG_ABSENT;
  read(host, "broch.config/1 kind", pointer, &kind,
       [&](const Options& options) { return options.kind(pointer); });
  return kind;
}

broch_status get_bool(const broch_host* host, const char* pointer, int32_t* value) {
  return read(host, "broch.config/1 get_bool", pointer, value,
              [&](const Options& options) { return options.get_bool(pointer) ? 1 : 0; });
}

broch_status get_i64(const broch_host* host, const char* pointer, int64_t* value) {
  return read(host, "broch.config/1 get_i64", pointer, value,
              [&](const Options& options) { return options.get_i64(pointer); });
}

broch_status get_f64(const broch_host* host, const char* pointer, double* value) {
  return read(host, "broch.config/1 get_f64", pointer, value,
              [&](const Options& options) { return options.get_f64(pointer); });
}

broch_status get_string(const broch_host* host, const char* pointer, const char** value) {
  return read(host, "broch.config/1 get_string", pointer, value,
              [&](const Options& options) { return options.get_string(pointer); });
}

broch_status get_size(const broch_host* host, const char* pointer, uint64_t* size) {
  return read(host, "broch.config/1 get_size", pointer, size,
              [&](const Options& options) { return options.get_size(pointer); });
}

broch_status get_key(const broch_host* host, const char* pointer, uint64_t index,
                     const char** key) {
  return read(host, "broch.config/1 get_key", pointer, key,
              [&](const Options& options) { return options.get_key(pointer, index); });
}

}  // namespace

constinit const broch_host_config kConfigTable = {sizeof(broch_host_config),
                                                  0,
                                                  text,
                                                  kind,
                                                  get_bool,
                                                  get_i64,
                                                  get_f64,
                                                  get_string,
                                                  get_size,
                                                  get_key};

}  // namespace broch::abi
