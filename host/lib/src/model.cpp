// model.cpp: opens and closes models.
#include "model.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "boundary.hpp"
#include "describe.hpp"

namespace broch::lib {
namespace {

graph::RunnerOptions runner_options(const libbroch_options& options) {
  graph::RunnerOptions result;
  if (options.level < LIBBROCH_FAST || options.level > LIBBROCH_EAGER)
    refuse("option level", std::to_string(options.level),
           "LIBBROCH_FAST, LIBBROCH_BITWISE or LIBBROCH_EAGER");
  if (options.level != LIBBROCH_FAST) result.level = runtime::Level::bitwise;
  result.eager = options.level == LIBBROCH_EAGER;
  if (options.shapes) result.most_shapes = options.shapes;
  result.tell = [log = options.log, context = options.log_context](const std::string& what) {
    if (log) log(context, what.c_str());
  };
  return result;
}

libbroch_options checked(const libbroch_options* given) {
  libbroch_options options = libbroch_default_options();
  if (!given) return options;
  if (given->struct_size != sizeof options)
    refuse("option struct_size", std::to_string(given->struct_size), std::to_string(sizeof options),
           "use libbroch_default_options of the same version");
  return *given;
}

// Why the content cannot be read; "" if it can.
std::string problem_of(int opened) {
  struct stat facts {};
  char first = 0;
  if (opened < 0 || ::fstat(opened, &facts) != 0) return std::strerror(errno);
  if (S_ISDIR(facts.st_mode)) return "a folder";
  if (!S_ISREG(facts.st_mode)) return "no regular file, but a pipe or a device";
  return ::read(opened, &first, 1) < 0 ? std::strerror(errno) : "";
}

// Says that a file is not there, or cannot be read, before somebody calls it damaged.
void check_readable(const std::string& file) {
  // Opening a pipe without a writer would wait for one.
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const std::string problem = problem_of(opened);
  if (opened >= 0) ::close(opened);
  if (problem.empty()) return;
  const base::Error error(
      base::Exit::data,
      {file, problem, "a bundle", "check the path, or write a bundle with broch export"});
  throw Failure(LIBBROCH_NO_FILE, error.what());
}

std::unique_ptr<libbroch_model> model_of(const bundle::Bundle& bundle,
                                         const libbroch_options& options) {
  auto model = std::make_unique<libbroch_model>();
  graph::RunnerOptions how = runner_options(options);
  // Several threads would add what meets at one element in any order.
  const bool repeats = options.level != LIBBROCH_FAST || options.threads > 1;
  model->engine = shared_engine(options.threads, repeats);
  how.threads = model->engine->threads;
  runtime::Backend& backend = *model->engine->backend;
  model->graph = bundle.graph();
  model->about = bundle.about();
  model->files = bundle.files();
  model->runtime = backend.version();
  model->runner =
      std::make_unique<graph::Runner>(backend, model->graph, bundle.weights(backend), how);
  describe(*model);
  return model;
}

template <class Read>
libbroch_status open(libbroch_model** model, const libbroch_options* options, libbroch_error* error,
                     const Read& read) noexcept {
  if (model) *model = nullptr;
  return guarded(error, LIBBROCH_DAMAGED, [&] {
    if (!model) refuse("argument model", "NULL", "the address of a pointer");
    *model = model_of(read(), checked(options)).release();
  });
}

}  // namespace
}  // namespace broch::lib

using namespace broch;

extern "C" {

libbroch_status libbroch_open(const char* file, const libbroch_options* options,
                              libbroch_model** model, libbroch_error* error) {
  return lib::open(model, options, error, [&] {
    if (!file) lib::refuse("argument file", "NULL", "the name of a bundle");
    lib::check_readable(file);
    return bundle::Bundle(std::filesystem::path(file));
  });
}

libbroch_status libbroch_open_memory(const void* bytes, size_t size,
                                     const libbroch_options* options, libbroch_model** model,
                                     libbroch_error* error) {
  return lib::open(model, options, error, [&] {
    if (!bytes) lib::refuse("argument bytes", "NULL", "the content of a bundle");
    return bundle::Bundle(std::span(static_cast<const std::byte*>(bytes), size), "bundle");
  });
}

void libbroch_close(libbroch_model* model) { delete model; }

}  // extern "C"
