// bad.cpp: a plugin that does one thing wrong, which the library's name says; other names do
// everything well. The build changes ROLE and the metadata (CMakeLists.txt).
#include <broch/broch.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#ifndef ROLE
#define ROLE "callback"
#endif
#ifndef CODE_ID
#define CODE_ID "org.example.bad"
#endif
#ifdef WRONG_DEFAULT
#define DEFAULT R"("three")"
#else
#define DEFAULT "3"
#endif
#if defined UNKNOWN_IN_PRODUCES || defined UNKNOWN_IN_CONSUMES
#define SETS \
  R"(, "sets": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}, "default": []})"
#else
#define SETS ""
#endif
#define OPTIONS                                                                                                    \
  R"({"type": "object", "properties": {"count": {"type": "integer", "x-broch-mutable": true, "default": )" DEFAULT \
  "}" SETS "}}"
#ifdef UNKNOWN_EXTENSION
#define MORE R"("requires_ext": ["broch.telepathy/1"], )"
#elif defined UNKNOWN_OPTION
#define MORE R"("triggers_at_end": "cout", )"
#elif defined UNKNOWN_IN_PRODUCES
#define MORE R"("produces": ["{count}_{sets/name}", "{cout?_}error"], )"
#elif defined UNKNOWN_IN_CONSUMES
#define MORE R"("consumes": ["{count}_{sets/nam}"], )"
#elif defined UNKNOWN_IN_PREFIX
#define MORE R"("metric_prefix": "{coutn?_}", )"
#else
#define MORE ""
#endif

extern "C" const char bad_name[];

namespace {

const std::string_view kBad = bad_name;
// Volatile, so that no compiler knows better.
int* volatile nowhere = nullptr;

[[maybe_unused]] void crash() { *nowhere = 1; }
[[maybe_unused]] void* wait_for_ever(void*) {
  for (;;) pause();
}

// --- loading

struct Constructed {
  Constructed() {
    if (kBad == "hang-in-constructor") wait_for_ever(nullptr);
    if (kBad == "crash-in-constructor") crash();
    if (kBad == "thread-in-constructor") {
      pthread_t thread;
      pthread_create(&thread, nullptr, wait_for_ever, nullptr);
    }
    if (kBad == "variable-in-constructor") setenv("BAD_PLUGIN", "1", 1);
    if (kBad == "handler-in-constructor") signal(SIGUSR1, SIG_IGN);
    if (kBad == "file-in-constructor") static_cast<void>(dup(0));
    // As -ffast-math does: flush results to zero, take denormals for zero.
    if (kBad == "fast-math-in-constructor") _mm_setcsr(_mm_getcsr() | 0x8040);
  }
  ~Constructed() {
    if (kBad == "abort-at-exit") abort();
  }
} constructed;

#ifdef UNDEFINED
extern "C" void function_that_nobody_has();
[[gnu::used]] auto* volatile undefined = &function_that_nobody_has;
#endif
#ifdef STUB
extern "C" int stub_function();
[[gnu::used]] int (*volatile stub)() = &stub_function;
#endif

// --- an instance

struct Self {
  const broch_host* host;
  const broch_host_data_point* data;
  const broch_host_metrics* metrics;
  const broch_host_progress* run;
  int64_t count = 0;  // of the options
  // Atomic, because bad plugins change them on several threads.
  std::atomic<int64_t> index{0};  // of the next point
  std::atomic<float> scratch{0};
  int64_t steps = 0;     // kept
  broch_point kept = 0;  // of another call
  FILE* file = nullptr;  // of a sink
};
int64_t shared_index = 0;
Self* first = nullptr;
FILE* shared_file = nullptr;
int unfinished = 0;  // files of sinks

template <class Table>
const Table* find(const broch_host* host, const char* id) {
  return static_cast<const Table*>(host->get_extension(host, id));
}

broch_status create(const broch_host* host, const char*, void** out) {
  if (kBad == "crash-in-create") crash();
  if (kBad == "garbage-from-create") return 77;
  if (kBad == "silent-create") return BROCH_E_INTERNAL;
  if (kBad == "throw-in-create") throw std::runtime_error("thrown in create");
  if (kBad == "hang-in-create") wait_for_ever(nullptr);
  if (kBad == "chdir-in-create") static_cast<void>(chdir("/"));
  auto* const self = new Self{host, find<broch_host_data_point>(host, BROCH_EXT_DATA_POINT),
                              find<broch_host_metrics>(host, BROCH_EXT_METRICS),
                              find<broch_host_progress>(host, BROCH_EXT_PROGRESS)};
  const auto* config = find<broch_host_config>(host, BROCH_EXT_CONFIG);
  if (!config) {
    delete self;
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host has no broch.config/1");
  }
  config->get_i64(host, "/count", &self->count);
  if (kBad == "crash-for-options" && self->count < 0) crash();
  if (kBad == "silent-for-options" && self->count > 1000) {
    delete self;
    return BROCH_E_INVALID_ARGUMENT;
  }
  if (kBad == "needs-metrics") {
    broch_metric_point point;
    self->metrics->latest(host, "none", &point);
  }
  if (kBad == "equal-sizes" && self->metrics &&
      self->metrics->struct_size != sizeof(broch_host_metrics)) {
    delete self;
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "metrics of another size");
  }
  if (kBad == "leak" || kBad == "leak-files") {
    [[gnu::used]] static void* volatile leaked = nullptr;
    if (kBad == "leak") leaked = malloc(100);
    if (kBad == "leak-files") static_cast<void>(open("/dev/null", O_RDONLY));
  }
  if (kBad == "leak-threads") {
    pthread_t thread;
    pthread_create(&thread, nullptr, wait_for_ever, nullptr);
  }
  if (kBad == "leak-handle") {
    broch_point point = 0;
    self->data->point_new(host, &point);
  }
  if (!first) first = self;
  *out = self;
  return BROCH_OK;
}

void destroy(void* self_) {
  auto* const self = static_cast<Self*>(self_);
  if (first == self) first = nullptr;
  if (self->file && kBad != "leaves-file-open") fclose(self->file);
  delete self;
}

// --- a callback

broch_status before_train(void*) {
  if (kBad == "locale-in-before-train") {
    static locale_t other = newlocale(LC_ALL_MASK, "C", nullptr);
    uselocale(other);
  }
  return BROCH_OK;
}

broch_status before_epoch(void*) {
  if (kBad == "hang-in-before-epoch") wait_for_ever(nullptr);
  return BROCH_OK;
}

broch_status after_epoch(void*) {
  return kBad == "silent-after-epoch" ? broch_status{BROCH_E_INTERNAL} : broch_status{BROCH_OK};
}

[[maybe_unused]] void* put_from_thread(void* self_) {
  auto* const self = static_cast<Self*>(self_);
  self->metrics->put_scalar(self->host, "from-thread", 1);
  return nullptr;
}

broch_status trigger_step(void* self_) {
  auto* const self = static_cast<Self*>(self_);
  ++self->steps;
  if (kBad == "shared-state") ++first->steps;
  if (kBad == "crash-in-trigger-step") crash();
  if (kBad == "division-by-zero") raise(SIGFPE);
  if (kBad == "exit-in-trigger-step") exit(0);
  if (kBad == "throw-in-trigger-step") throw 7;
  if (kBad == "directory-in-trigger-step") static_cast<void>(chdir("/"));
  if (kBad == "rounding-in-trigger-step") fesetround(FE_DOWNWARD);
  if (kBad == "foreign-pointer") {
    broch_host copy = *self->host;
    self->metrics->put_scalar(&copy, "number", 1);
  }
  if (kBad == "call-on-thread") {
    pthread_t thread;
    pthread_create(&thread, nullptr, put_from_thread, self);
    pthread_join(thread, nullptr);
  }
  if (self->metrics) self->metrics->put_scalar(self->host, "number", double(self->steps));
  return BROCH_OK;
}

broch_status trigger_epoch(void* self_) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "garbage-from-trigger") return 4711;
  if (kBad == "outcome-from-trigger") return BROCH_END;
  if (!self->metrics) return BROCH_OK;
  const broch_metric_point* points = nullptr;
  uint64_t count = 0;
  const broch_status status = self->metrics->history(self->host, "number", &points, &count);
  if (kBad == "ignores-failure") return points[0].value > 1e9 ? 1 : 0;
  return status < 0 ? status : broch_status{BROCH_OK};
}

// --- a dataflow of ten points

broch_status open_flow(void* self_, const void* cursor, uint64_t size) {
  auto* const self = static_cast<Self*>(self_);
  self->index = size ? std::atoll(std::string(static_cast<const char*>(cursor), size).c_str()) : 0;
  if (kBad == "cursor-too-early" && size) --self->index;
  if (kBad == "shared-index") shared_index = self->index;
  return BROCH_OK;
}

broch_status start_cursor(void* self_, const broch_writer* cursor) {
  const int64_t index = static_cast<Self*>(self_)->index;
  const std::string text = std::to_string(kBad == "start-too-late" ? index + 1 : index);
  return cursor->write(cursor->context, text.data(), text.size());
}

broch_status next(void* self_, const broch_cancel* cancel, broch_point point) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "deaf-to-cancel") wait_for_ever(nullptr);
  if (kBad == "shared-index") self->index = shared_index++;
  if (kBad == "stale-point" && self->kept) self->data->point_clear(self->host, self->kept);
  self->kept = point;
  if (kBad == "metric-from-data" && self->metrics)
    self->metrics->put_scalar(self->host, "point", 1);
  if (cancel->cancelled(cancel->context)) return BROCH_CANCELLED;
  if (self->index >= 10) return BROCH_END;
  if (kBad == "stop-from-next") return BROCH_STOP;
  auto value = float(self->index);
  const broch_dl_tensor tensor = {&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
  if (!self->data)
    return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED, "no broch.data_point/1");
  broch_status status = self->data->add_copy(self->host, point, nullptr, &tensor);
  const std::string cursor = std::to_string(++self->index);
  if (status >= 0) status = self->data->set_cursor(self->host, point, cursor.data(), cursor.size());
  return status;
}

// --- the same, as an input source

broch_status setup(void*, const broch_input_spec*, uint32_t) { return BROCH_OK; }

broch_status resume(void* self, const broch_bytes* cursors, uint32_t n) {
  constexpr uint32_t kTowers = 2;  // of the test
  const broch_host* host = static_cast<Self*>(self)->host;
  if (kBad == "cursor-per-tower" && n > kTowers)
    return host->fail(host, BROCH_E_INVALID_ARGUMENT, "more cursors than towers");
  return open_flow(self, cursors[n - 1].data, cursors[n - 1].size);
}

broch_status reset_state(void* self) { return open_flow(self, nullptr, 0); }

broch_status next_of_tower(void* self, uint32_t, const broch_cancel* cancel, broch_point point) {
  return next(self, cancel, point);
}

// --- the dataflow, read by index

broch_status size(void*, int64_t* size) {
  *size = kBad == "size-too-small" ? 9 : kBad == "size-too-large" ? 11 : 10;
  return BROCH_OK;
}

// What another thread may change meanwhile, if it is kept in the instance.
float kept_for_a_while(Self& self, float value) {
  self.scratch = value;
  usleep(50);
  return self.scratch;
}

broch_status read_flow(void* self_, uint64_t round, uint64_t index, const broch_cancel* cancel,
                       broch_point point) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "read-deaf-to-cancel") wait_for_ever(nullptr);
  if (cancel->cancelled(cancel->context)) return BROCH_CANCELLED;
  if (index >= 10) return BROCH_END;
  if (!self->data)
    return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED, "no broch.data_point/1");
  // The order of the next round is another one.
  auto value = float((index + 3 * round) % 10);
  if (kBad == "counts-reads") value = float(self->index++);
  if (kBad == "shared-scratch") value = kept_for_a_while(*self, value);
  if (kBad == "reads-onward") value = float(std::max(self->index.load(), int64_t(index)));
  self->index = std::max(self->index.load(), int64_t(index));
  const broch_dl_tensor tensor = {&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
  broch_status status = self->data->add_copy(self->host, point, nullptr, &tensor);
  const std::string cursor = "at " + std::to_string(round) + ":" + std::to_string(index + 1);
  if (status >= 0) status = self->data->set_cursor(self->host, point, cursor.data(), cursor.size());
  return status;
}

broch_status locate(void* self_, const void* cursor, uint64_t size, uint64_t* round,
                    uint64_t* index) {
  auto* const self = static_cast<Self*>(self_);
  std::string text(static_cast<const char*>(cursor), size);
  if (kBad == "crash-for-cursor" && text == "x") crash();
  const bool own = text.rfind("at ", 0) == 0;
  if (own) text.erase(0, 3);
  unsigned long long numbers[2] = {};
  if (std::sscanf(text.c_str(), "%llu:%llu", &numbers[0], &numbers[1]) != 2)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "this is no cursor of mine");
  *round = numbers[0];
  *index = numbers[1];
  if (kBad == "locates-too-early" && own) --*index;
  return BROCH_OK;
}

// --- a transform that adds noise

broch_status apply(void* self_, uint64_t seed, broch_point in, broch_point out) {
  auto* const self = static_cast<Self*>(self_);
  if (!self->data)
    return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED, "no broch.data_point/1");
  broch_dl_tensor from = {};
  uint32_t count = 0;
  broch_status status = self->data->count(self->host, in, &count);
  if (status < 0) return status;
  if (kBad == "garbage-for-many" && count == 100) return 4711;
  if (count == 0 && kBad != "crash-for-nothing")
    return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT,
                            "found a point without components, expected one at least");
  if (count > 0) status = self->data->view(self->host, in, 0, &from);
  if (status < 0) return status;
  if (kBad == "crash-for-nothing" && count == 0) crash();
  if (kBad == "writes-to-input" && from.dtype.bits == 32 && !from.strides)
    *reinterpret_cast<float*>(static_cast<char*>(from.data) + from.byte_offset) = 7;
  broch_draws draws = broch_draws_of(seed);
  auto value = float(broch_draw_uniform(&draws));
  if (kBad == "counts-calls") value = float(self->index++);
  if (kBad == "asks-the-clock") value = float(std::time(nullptr) % 1000);
  if (kBad == "shared-noise") value = kept_for_a_while(*self, value);
  const broch_dl_tensor tensor = {&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
  return self->data->add_copy(self->host, out, nullptr, &tensor);
}

// --- a sink that writes the bytes of all components

[[maybe_unused]] broch_status fail_to_write(const Self& self) {
  return self.host->fail(self.host, BROCH_E_DATA_LOSS, "the file cannot be written");
}

broch_status open_file(void* self_, const char* path) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "refuses-later" && unfinished > 0)
    return self->host->fail(self->host, BROCH_E_INTERNAL, "the last file was not finished");
  ++unfinished;
  self->file = fopen(kBad == "writes-elsewhere" ? "elsewhere" : path, "wb");
  shared_file = self->file;
  return self->file ? broch_status{BROCH_OK} : fail_to_write(*self);
}

broch_status put(void* self_, broch_point point) {
  auto* const self = static_cast<Self*>(self_);
  if (!self->data)
    return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED, "no broch.data_point/1");
  uint32_t count = 0;
  broch_status status = self->data->count(self->host, point, &count);
  if (kBad == "crash-for-no-component" && status >= 0 && count == 0) crash();
  for (uint32_t i = 0; status >= 0 && i < count; ++i) {
    broch_dl_tensor from = {};
    status = self->data->view(self->host, point, i, &from);
    if (status < 0) break;
    if (kBad == "silent-for-integers" && from.dtype.code == BROCH_DL_INT) return BROCH_E_DATA_LOSS;
    if (from.strides)
      return self->host->fail(self->host, BROCH_E_INVALID_ARGUMENT,
                              "found memory with gaps, expected none");
    size_t bytes = from.dtype.bits / 8;
    for (int32_t k = 0; k < from.ndim; ++k) bytes *= size_t(from.shape[k]);
    FILE* const file = kBad == "shared-file" ? shared_file : self->file;
    const size_t written = fwrite(static_cast<char*>(from.data) + from.byte_offset, 1, bytes, file);
    if (written != bytes && kBad != "ignores-full-disk") return fail_to_write(*self);
  }
  return status;
}

broch_status close_file(void* self_) {
  auto* const self = static_cast<Self*>(self_);
  --unfinished;
  if (kBad == "writes-after-close") return BROCH_OK;
  const bool closed = fclose(std::exchange(self->file, nullptr)) == 0;
  return closed || kBad == "ignores-full-disk" ? broch_status{BROCH_OK} : fail_to_write(*self);
}

// --- a model of one variable

broch_status inputs(void*, const broch_signature* signature) {
  static const broch_input_spec x = {"x", nullptr, nullptr, 0, BROCH_FLOAT32, 0, 0};
  return signature->add(signature->context, &x);
}

bool is_training(const Self& self, broch_tower tower) {
  const auto* towers = find<broch_host_tower>(self.host, BROCH_EXT_TOWER);
  broch_tower_info info{};
  info.struct_size = sizeof info;
  return !towers || towers->info(self.host, tower, &info) < 0 || info.is_training != 0;
}

broch_status tower(void* self_, broch_tower tower, const broch_tensor* inputs, uint32_t,
                   broch_tensor* cost) {
  auto* const self = static_cast<Self*>(self_);
  const auto* variables = find<broch_host_variables>(self->host, BROCH_EXT_VARIABLES);
  const auto* ops = find<broch_host_ops>(self->host, BROCH_EXT_OPS);
  if (!variables || !ops)
    return self->host->fail(self->host, BROCH_E_UNIMPLEMENTED,
                            "this host has no variables or operators");
  if (kBad == "crash-in-inference" && !is_training(*self, tower)) crash();
  broch_variable_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT32;
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  spec.initializer = BROCH_INIT_CONSTANT;
  broch_variable variable = 0;
  broch_tensor w = 0;
  broch_status status = variables->get(self->host, tower, "W", &spec, &variable, &w);
  if (status < 0) return status;
  const char* const schema = kBad == "unstable-operator"
                                 ? "aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor"
                                 : "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor";
  broch_op op = 0;
  status = ops->resolve(self->host, schema, &op);
  if (status < 0) return status;
  broch_value args[2] = {{BROCH_TAG_TENSOR, 0, {inputs[0]}}, {BROCH_TAG_TENSOR, 0, {w}}};
  broch_value product{};
  status = ops->call(self->host, op, args, 2, &product, 1);
  if (status < 0) return status;
  *cost = product.u.tensor;
  if (kBad == "stale-tensor") {
    static broch_tensor earlier = w;
    args[1].u.tensor = earlier;
    if (earlier != w) ops->call(self->host, op, args, 2, &product, 1);
    earlier = w;
  }
  return status;
}

broch_status optimizer(void*, const broch_writer* entry) {
  static const char text[] = R"({"use": "sgd", "with": {"learning_rate": 0.1}})";
  return entry->write(entry->context, text, sizeof text - 1);
}

// --- state

broch_status save(void* self_, const broch_writer* writer) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "state-grows") ++self->steps;
  return writer->write(writer->context, &self->steps, sizeof self->steps);
}

broch_status load(void* self_, uint32_t, const void* bytes, uint64_t size) {
  auto* const self = static_cast<Self*>(self_);
  if (kBad == "refuses-own-state" || size != sizeof self->steps)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "this is no state of mine");
  if (kBad != "forgets-state") std::memcpy(&self->steps, bytes, size);
  return BROCH_OK;
}

broch_status changed(void*, const char*) {
  if (kBad == "crash-for-change") crash();
  return kBad == "silent-for-change" ? BROCH_E_INVALID_ARGUMENT : BROCH_OK;
}

// --- tables

constexpr broch_callback kCallback = {sizeof(broch_callback),
                                      0,
                                      nullptr,
                                      before_train,
                                      before_epoch,
                                      nullptr,
                                      nullptr,
                                      trigger_step,
                                      after_epoch,
                                      trigger_epoch,
                                      nullptr,
                                      nullptr};
const broch_dataflow kFlow = {sizeof(broch_dataflow),
                              0,
                              nullptr,
                              open_flow,
                              start_cursor,
                              kBad == "no-next" ? nullptr : next,
                              nullptr};
constexpr broch_input_source kSource = {sizeof(broch_input_source),
                                        0,
                                        setup,
                                        nullptr,
                                        reset_state,
                                        resume,
                                        next_of_tower,
                                        nullptr,
                                        nullptr};
[[maybe_unused]] constexpr broch_indexed kIndexed = {
    sizeof(broch_indexed), 0, nullptr, size, read_flow, locate, nullptr};
constexpr broch_transform kTransform = {sizeof(broch_transform), 0, apply};
constexpr broch_sink kSink = {sizeof(broch_sink), 0, open_file, put, close_file};
constexpr broch_model kModel = {sizeof(broch_model), 0, inputs, tower, nullptr, optimizer};
constexpr broch_plugin_options kOptions = {sizeof(broch_plugin_options), 0, changed};
constexpr broch_plugin_state kState = {sizeof(broch_plugin_state), 1, save, load};
[[maybe_unused]] constexpr broch_monitor kMonitor = {
    sizeof(broch_monitor), 0, nullptr, nullptr, nullptr, nullptr, 0, 0};

const void* role_table() {
  constexpr std::string_view role = ROLE;
  if (role == "dataflow") return &kFlow;
  if (role == "input_source") return &kSource;
  if (role == "transform") return &kTransform;
  if (role == "model") return &kModel;
  if (role == "sink") return &kSink;
  return &kCallback;
}

const void* get_interface(void*, const char* id) {
  if (kBad == "answers-everything") return role_table();
  if (kBad == "compares-beginnings" && std::strncmp(id, "broch." ROLE "/1", sizeof ROLE + 7) == 0)
    return role_table();
  if (kBad == "unlisted-role" && std::strcmp(id, BROCH_ROLE_MONITOR) == 0) return &kMonitor;
  if (kBad == "answers-nothing") return nullptr;
  if (std::strcmp(id, "broch." ROLE "/1") == 0) return role_table();
#ifdef INDEXED
  if (std::strcmp(id, BROCH_ROLE_INDEXED) == 0) return &kIndexed;
#endif
  if (std::strcmp(id, BROCH_PLUGIN_STATE) == 0 && role_table() == &kCallback) return &kState;
  if (std::strcmp(id, BROCH_PLUGIN_OPTIONS) == 0) return &kOptions;
  return nullptr;
}

const broch_component_vtable kVtable = {sizeof(broch_component_vtable), 0,
                                        kBad == "no-create" ? nullptr : create, get_interface,
                                        destroy};
constexpr broch_component kComponents[] = {{CODE_ID, ROLE, &kVtable}};

}  // namespace

#ifdef SECOND_SYMBOL
extern "C" BROCH_EXPORT int second_symbol;
int second_symbol = 1;
#endif
#ifdef UNIQUE
template <class T>
struct BROCH_EXPORT Shared {
  static int count;
};
template <class T>
int Shared<T>::count = 0;
BROCH_EXPORT int touch() { return ++Shared<int>::count; }
#endif

#ifdef METADATA
BROCH_PLUGIN(kComponents, METADATA)
#else
BROCH_PLUGIN(kComponents, R"({"components": [{"id": "org.example.bad", "role": ")" ROLE
                          R"(", "version": "1.0.0", "summary": "Does one thing wrong.", )" MORE
                          R"("options": )" OPTIONS "}]}")
#endif
