// hostile.cpp: one component that plays every role a run asks for, well, until it is told to
// misbehave: options say what it does and in which call. Tables by hand, since the C++ layer would
// catch half of it.
#include <broch/broch.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

struct Hostile {
  const broch_host* host = nullptr;
  std::string what, where, file;
  int64_t epoch = 0;   // from which on it misbehaves; 0: at once
  int64_t points = 0;  // of the dataflow
  bool said = false;
  broch_tensor fetched = 0;  // borrowed in after_run, kept for too long
};

// Owned by the instance that retained it last.
broch_tensor owned = 0;

template <class Table>
const Table* extension(const Hostile& self, const char* id) {
  return static_cast<const Table*>(self.host->get_extension(self.host, id));
}

[[noreturn]] void hang() {
  for (;;) pause();
}

void write_to_nowhere() {
  static volatile uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = char(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

// Jumps to a frame that is gone: below this one, so that the C library sees it.
jmp_buf gone;
[[gnu::noinline]] void set_deep_down() {
  volatile char frame[65536];
  frame[0] = 1;
  if (setjmp(gone) != 0) std::_Exit(frame[0]);
}

void truncate_own_file() {
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&truncate_own_file), &info);
  if (truncate(info.dli_fname, 0) != 0) std::_Exit(98);
}

// Pages that were not touched yet come from the file, which has none left.
[[gnu::noinline]] int read_own_file() {
  truncate_own_file();
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&truncate_own_file), &info);
  volatile int sum = 0;
  for (int page = 0; page < 4; ++page) sum = sum + static_cast<char*>(info.dli_fbase)[page * 4096];
  return sum;
}

void on_a_thread(Hostile& self, const char* name, void (*act)()) {
  std::thread([host = self.host, name, act] {
    const auto* scope =
        static_cast<const broch_host_scope*>(host->get_extension(host, BROCH_EXT_SCOPE));
    if (name) scope->thread_enter(host, name);
    act();
  }).detach();
}

// The thread goes on while the run and the process end.
void chat_for_ever(Hostile& self, bool announced) {
  std::thread([host = self.host, announced] {
    const auto* scope =
        static_cast<const broch_host_scope*>(host->get_extension(host, BROCH_EXT_SCOPE));
    const auto* metrics =
        static_cast<const broch_host_metrics*>(host->get_extension(host, BROCH_EXT_METRICS));
    if (announced) scope->thread_enter(host, "chatter");
    for (;;) {
      metrics->put_scalar(host, "noise", 1);
      if (scope->push(host) == BROCH_OK) scope->pop(host);
      host->log(host, BROCH_LOG_DEBUG, "still here");
    }
  }).detach();
}

// Where the callback that the host calls jumps back to, over the host.
jmp_buf over_the_host;
broch_status ask_to_jump(const Hostile& self) {
  if (setjmp(over_the_host) == 0)
    extension<broch_host_metrics>(self, BROCH_EXT_METRICS)->put_scalar(self.host, "noise", 1);
  return BROCH_OK;
}

broch_status copy_outside(const Hostile& self) {
  const auto* checkpoints = extension<broch_host_checkpoint>(self, BROCH_EXT_CHECKPOINT);
  const char* path = nullptr;
  int64_t step = 0;
  if (checkpoints->latest(self.host, nullptr, &path, &step) != BROCH_OK) return BROCH_E_INTERNAL;
  return checkpoints->copy(self.host, path, self.file.c_str());
}

// One byte of a file that nobody looks at, in place.
broch_status write_over(const std::string& file) {
  const int fd = open(file.c_str(), O_WRONLY);
  const bool done = pwrite(fd, "x", 1, 9) == 1;  // padding of the ELF header
  close(fd);
  return done ? BROCH_OK : BROCH_E_INTERNAL;
}

broch_status passes_nothing(const Hostile& self) {
  const auto* metrics = extension<broch_host_metrics>(self, BROCH_EXT_METRICS);
  return metrics->put_scalar(self.host, nullptr, 1);
}

broch_status item(const Hostile& self, broch_tensor tensor) {
  double value = 0;
  return extension<broch_host_tensor>(self, BROCH_EXT_TENSOR)->item(self.host, tensor, &value);
}

broch_status retain(const Hostile& self, broch_tensor tensor) {
  return extension<broch_host_tensor>(self, BROCH_EXT_TENSOR)->retain(self.host, tensor, &owned);
}

broch_status act(Hostile& self) {
  const std::string& what = self.what;
  if (what == "throw") throw std::runtime_error("thrown across");
  if (what == "throw int") throw 42;
  if (what == "abort") std::abort();
  if (what == "segfault") write_to_nowhere();
  if (what == "divide") {
    volatile int64_t nothing = 0;
    return broch_status(self.epoch / nothing);
  }
  if (what == "trap") __builtin_trap();
  if (what == "overflow") return recurse(0);
  if (what == "exit") std::exit(0);
  if (what == "exit on a thread") on_a_thread(self, nullptr, [] { std::exit(0); }), hang();
  if (what == "kill") raise(SIGKILL);
  if (what == "hang") hang();
  if (what == "longjmp") longjmp(gone, 1);
  if (what == "garbage status") return 12345;
  if (what == "outcome") return BROCH_NONE;
  if (what == "lowest status") return INT32_MIN;
  if (what == "fork") return fork() < 0 ? BROCH_E_INTERNAL : BROCH_OK;
  if (what == "fork and exit") {
    if (fork() == 0) std::exit(3);
  }
  if (what == "change directory") return chdir("/") == 0 ? BROCH_OK : BROCH_E_INTERNAL;
  if (what == "change locale") setlocale(LC_ALL, "C.UTF-8");
  if (what == "change rounding") fesetround(FE_UPWARD);
  if (what == "unmask exceptions") feenableexcept(FE_DIVBYZERO);
  if (what == "block signals") {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  }
  if (what == "take signals") signal(SIGTERM, SIG_IGN);
  if (what == "close files")
    for (int fd = 3; fd < 256; ++fd) close(fd);
  if (what == "use a stale handle") return item(self, self.fetched);
  if (what == "use a foreign handle") return item(self, owned);
  if (what == "use a made-up handle") return item(self, 0x1234567812345678);
  if (what == "use a made-up host")
    return extension<broch_host_metrics>(self, BROCH_EXT_METRICS)
        ->put_scalar(reinterpret_cast<const broch_host*>(&self), "x", 1);
  if (what == "pass nothing") return passes_nothing(self);
  if (what == "write to a table")
    const_cast<broch_host_metrics*>(extension<broch_host_metrics>(self, BROCH_EXT_METRICS))
        ->struct_size = 1;
  if (what == "write to the progress") {
    auto* progress = const_cast<broch_progress*>(
        extension<broch_host_progress>(self, BROCH_EXT_PROGRESS)->progress(self.host));
    progress->epoch_num = -1000, progress->max_epoch = 1 << 30;
  }
  if (what == "ask to jump") return ask_to_jump(self);
  if (what == "jump") longjmp(over_the_host, 1);
  if (what == "write outside")
    return extension<broch_host_log_dir>(self, BROCH_EXT_LOG_DIR)
        ->write_file(self.host, self.file.c_str(), "x", 1);
  if (what == "write to no path")
    return extension<broch_host_log_dir>(self, BROCH_EXT_LOG_DIR)->path(self.host, nullptr);
  if (what == "write without a name")
    return extension<broch_host_log_dir>(self, BROCH_EXT_LOG_DIR)
        ->write_file(self.host, nullptr, "x", 1);
  if (what == "write no bytes")
    return extension<broch_host_log_dir>(self, BROCH_EXT_LOG_DIR)
        ->write_file(self.host, "x", nullptr, 1);
  if (what == "show no label")
    return extension<broch_host_ui>(self, BROCH_EXT_UI)->begin(self.host, nullptr, 1);
  if (what == "copy outside") return copy_outside(self);
  if (what == "write over") return write_over(self.file);
  if (what == "replace")  // by something that is no library
    return rename((self.file + ".other").c_str(), self.file.c_str()) == 0 ? BROCH_OK
                                                                          : BROCH_E_INTERNAL;
  if (what == "leave a thread") chat_for_ever(self, false);
  if (what == "leave an announced thread") chat_for_ever(self, true);
  if (what == "throw on a thread") on_a_thread(self, nullptr, [] { throw 42; }), hang();
  if (what == "throw on an announced thread") on_a_thread(self, "worker", [] { throw 42; }), hang();
  if (what == "segfault on a thread") on_a_thread(self, nullptr, write_to_nowhere), hang();
  if (what == "truncate its file") return read_own_file();
  return BROCH_OK;
}

broch_status at(void* me, const char* where) {
  auto& self = *static_cast<Hostile*>(me);
  if (self.where != where) return BROCH_OK;
  if (self.epoch > 0 &&
      extension<broch_host_progress>(self, BROCH_EXT_PROGRESS)->progress(self.host)->epoch_num <
          self.epoch)
    return BROCH_OK;
  if (!self.said) self.host->log(self.host, BROCH_LOG_INFO, ("acts in " + self.where).c_str());
  self.said = true;
  return act(self);
}

broch_status setup_graph(void* me) {
  const auto& self = *static_cast<Hostile*>(me);
  uint32_t id = 0;
  const auto* run = extension<broch_host_progress>(self, BROCH_EXT_PROGRESS);
  const broch_status status = run->fetch(self.host, "cost", &id);
  return status == BROCH_OK ? at(me, "setup_graph") : status;
}
broch_status before_train(void* self) { return at(self, "before_train"); }
broch_status after_train(void* self) { return at(self, "after_train"); }
broch_status before_epoch(void* self) { return at(self, "before_epoch"); }
broch_status after_epoch(void* self) { return at(self, "after_epoch"); }
broch_status before_run(void* self, broch_run, uint64_t*) { return at(self, "before_run"); }
broch_status after_run(void* me, broch_run run) {
  auto& self = *static_cast<Hostile*>(me);
  const auto* runs = extension<broch_host_progress>(self, BROCH_EXT_PROGRESS);
  if (runs->value(self.host, run, 0, &self.fetched) != BROCH_OK) return BROCH_E_INTERNAL;
  if (self.what == "retain" && retain(self, self.fetched) != BROCH_OK) return BROCH_E_INTERNAL;
  return at(me, "after_run");
}
broch_status trigger_step(void* self) { return at(self, "trigger_step"); }
broch_status trigger_epoch(void* self) { return at(self, "trigger_epoch"); }
constexpr broch_callback kCallback = {
    sizeof kCallback, 0,           setup_graph,   before_train, before_epoch, before_run, after_run,
    trigger_step,     after_epoch, trigger_epoch, nullptr,      after_train};

broch_status process_scalar(void* self, const char*, double) { return at(self, "process_scalar"); }
constexpr broch_monitor kMonitor = {
    sizeof kMonitor, 0, process_scalar, nullptr, nullptr, nullptr, 0, 0};

broch_status save(void* me, const broch_writer* writer) {
  const broch_status status = at(me, "save");
  return status == BROCH_OK ? writer->write(writer->context, "x", 1) : status;
}
broch_status load(void* self, uint32_t, const void*, uint64_t) { return at(self, "load"); }
constexpr broch_plugin_state kState = {sizeof kState, 1, save, load};

broch_status start(void* self) { return at(self, "start"); }
broch_status stop(void* self) { return at(self, "stop"); }
constexpr broch_plugin_service kService = {sizeof kService, 0, start, stop};

broch_status open_flow(void* self, const void*, uint64_t) { return at(self, "open"); }
broch_status next(void* me, const broch_cancel*, broch_point point) {
  auto& self = *static_cast<Hostile*>(me);
  if (const broch_status status = at(me, "next"); status != BROCH_OK) return status;
  static float one[] = {1};
  static int64_t shape[] = {1};
  ++self.points;
  const bool lies = self.where == "point" && self.points == 4;
  broch_dl_tensor tensor = {};
  tensor.data = one;
  tensor.device = {BROCH_DL_CPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {BROCH_DL_FLOAT, 32, 1};
  tensor.shape = shape;
  static int64_t wild[] = {-5};
  static int64_t vast[] = {int64_t{1} << 62};
  if (lies && self.what == "no memory") tensor.data = nullptr;
  if (lies && self.what == "no shape") tensor.shape = nullptr;
  if (lies && self.what == "negative shape") tensor.shape = wild;
  if (lies && self.what == "vast shape") tensor.shape = vast;
  if (lies && self.what == "many dimensions") tensor.ndim = 1 << 30;
  if (lies && self.what == "odd type") tensor.dtype = {77, 3, 9};
  if (lies && self.what == "other device") tensor.device = {2, 99};
  const auto* data = extension<broch_host_data_point>(self, BROCH_EXT_DATA_POINT);
  const broch_status status = data->add_copy(self.host, point, nullptr, &tensor);
  if (status != BROCH_OK) return status;
  std::string cursor = std::to_string(self.points - 1);
  if (lies && self.what == "long cursor") cursor.resize(BROCH_CURSOR_SIZE_MAX + 1, ' ');
  return data->set_cursor(self.host, point, cursor.data(), cursor.size());
}
constexpr broch_dataflow kFlow = {sizeof kFlow, 0, nullptr, open_flow, nullptr, next, nullptr};

constexpr broch_monitor kShort = {4, 0, nullptr, nullptr, nullptr, nullptr, 0, 0};
constexpr broch_dataflow kEmpty = {sizeof kEmpty, 0, nullptr, nullptr, nullptr, nullptr, nullptr};

const void* get_interface(void* me, const char* id) {
  const auto& self = *static_cast<Hostile*>(me);
  const std::string_view asked(id);
  if (self.where == "get_interface") {
    if (self.what == "wild table") return reinterpret_cast<const void*>(8);
    if (self.what == "no table") return nullptr;
    if (self.what == "short table") return &kShort;
    if (self.what == "empty table" && asked == BROCH_ROLE_DATAFLOW) return &kEmpty;
    at(me, "get_interface");
  }
  if (asked == BROCH_ROLE_CALLBACK) return &kCallback;
  if (asked == BROCH_ROLE_MONITOR) return &kMonitor;
  if (asked == BROCH_ROLE_DATAFLOW) return &kFlow;
  if (asked == BROCH_PLUGIN_STATE) return &kState;
  if (asked == BROCH_PLUGIN_SERVICE) return &kService;
  return nullptr;
}

std::string option(const Hostile& self, const char* pointer) {
  const char* text = "";
  extension<broch_host_config>(self, BROCH_EXT_CONFIG)->get_string(self.host, pointer, &text);
  return text;
}

broch_status create(const broch_host* host, const char* options, void** out) {
  auto* self = new Hostile;
  self->host = host;
  self->what = option(*self, "/what");
  self->where = option(*self, "/where");
  self->file = option(*self, "/file");
  extension<broch_host_config>(*self, BROCH_EXT_CONFIG)->get_i64(host, "/epoch", &self->epoch);
  set_deep_down();
  *out = self;
  if (self->where != "create") return BROCH_OK;
  if (self->what == "write to the options")
    std::memset(const_cast<char*>(options), 'X', std::strlen(options));
  if (self->what == "no reason") return BROCH_E_INTERNAL;
  return at(self, "create");
}

void destroy(void* me) {
  at(me, "destroy");
  delete static_cast<Hostile*>(me);
}

constexpr broch_component_vtable kVtable = {sizeof kVtable, 0, create, get_interface, destroy};
constexpr broch_component kComponents[] = {{"test.hostile", "callback", &kVtable}};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "test.hostile", "role": "callback", "roles": ["callback", "monitor", "dataflow"],
  "version": "1.0.0", "summary": "Misbehaves.",
  "options": {
    "type": "object",
    "properties": {"what": {"type": "string"}, "where": {"type": "string"},
                   "file": {"type": "string", "default": ""},
                   "epoch": {"type": "integer", "default": 2}},
    "required": ["what", "where"], "additionalProperties": false}}]})")
