// env_command.cpp: broch env: facts for a bug report.
#include <cstdlib>
#include <iostream>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "dist/ranks.hpp"
#include "options.hpp"
#include "output.hpp"
#include "plugins/entry.hpp"
#include "plugins/search.hpp"
#include "runtime/backend.hpp"
#include "version.hpp"

namespace broch::cli {
namespace {

struct EnvOptions {
  std::vector<std::string> plugin_path;
  bool json = false;
};

struct Runtime {
  std::string version;  // "" if it cannot be opened
  std::string build;
  std::string why_not;
  std::vector<std::string> cuda_devices;
  std::string why_no_cuda;
};

Runtime look_at_runtime() {
  Runtime runtime;
  try {
    const auto backend = runtime::open_torch_backend();
    runtime.version = backend->version();
    runtime.build = backend->build();
    runtime::Device device{BROCH_DL_CUDA, 0};
    for (; backend->has_device(device); ++device.index)
      runtime.cuda_devices.push_back(runtime::to_string(device));
    if (runtime.cuda_devices.empty()) runtime.why_no_cuda = backend->why_not(device);
  } catch (const base::Error& error) {
    runtime.why_not = error.what();
    runtime.why_no_cuda = "LibTorch cannot be opened";
  }
  return runtime;
}

Value pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  Value value{Value::Object{}};
  for (const auto& [name, content] : list) value.set(name, text(content));
  return value;
}

// The rank of this process among the ranks of its run, or why it cannot be known.
std::string ranks_in_words() {
  try {
    const dist::Ranks ranks = dist::ranks_of_this_process();
    if (ranks.launcher.empty()) return "1, no launcher";
    std::string words = "rank " + std::to_string(ranks.rank) + " of " +
                        std::to_string(ranks.world) + ", started by " + ranks.launcher;
    if (!ranks.alone())
      words += ", meeting at " + ranks.address + ":" + std::to_string(ranks.port) +
               (ranks.serves ? ", which rank 0 opens" : ", which the launcher has opened");
    if (const char* servers = std::getenv("BROCH_PS"); servers && !ranks.alone())
      words += ", parameter servers: " + std::string(servers);
    return words;
  } catch (const base::Error& error) {
    return error.what();
  }
}

void print_env_json(const Runtime& runtime, const base::Cpu& cpu,
                    const std::vector<plugins::Place>& places) {
  std::vector<std::string> folders;
  for (const plugins::Place& place : places) folders.push_back(place.folder);
  print_json(object({{"broch", text(BROCH_VERSION)},
                     {"interface", text(plugins::host_interface())},
                     {"commit", text_or_null(kCommit)},
                     {"compiler", text(__VERSION__)},
                     {"libtorch", text_or_null(runtime.version)},
                     {"libtorch_build", text_or_null(runtime.build)},
                     {"libtorch_missing", text_or_null(runtime.why_not)},
                     {"cuda_devices", list(runtime.cuda_devices)},
                     {"cuda_missing", text_or_null(runtime.why_no_cuda)},
                     {"cpu", object({{"model", text(cpu.model)},
                                     {"cores", integer(cpu.cores)},
                                     {"usable_cores", integer(cpu.usable_cores)},
                                     {"isa", list(cpu.isa)}})},
                     {"memory_bytes", integer(int64_t(base::memory_bytes()))},
                     {"ranks", text(ranks_in_words())},
                     {"plugin_path", list(folders)},
                     {"environment", pairs(base::environment())},
                     {"limits", pairs(base::limits())}}));
}

void print_env(const Runtime& runtime, const base::Cpu& cpu,
               const std::vector<plugins::Place>& places) {
  std::cout << version_text() << "\ncompiler: gcc " << __VERSION__
            << "\nlibtorch: " << (runtime.version.empty() ? runtime.why_not : runtime.version)
            << (runtime.build.empty() ? "" : "\nlibtorch build: " + runtime.build) << "\ncuda: "
            << (runtime.cuda_devices.empty() ? runtime.why_no_cuda
                                             : base::join(runtime.cuda_devices, " "))
            << "\ncpu: " << (cpu.model.empty() ? "unknown model" : cpu.model) << ", " << cpu.cores
            << " cores, " << cpu.usable_cores << " usable; " << base::join(cpu.isa, " ")
            << "\nmemory: " << base::memory_bytes() / (uint64_t{1} << 20)
            << " MiB\nranks: " << ranks_in_words() << "\nplugin path:\n";
  for (const plugins::Place& place : places)
    std::cout << "  " << place.folder << " (" << plugins::origin_name(place.origin) << ")\n";
  std::cout << "environment:\n";
  for (const auto& [name, value] : base::environment())
    std::cout << "  " << name << '=' << value << '\n';
  std::cout << "limits:\n";
  for (const auto& [name, value] : base::limits())
    std::cout << "  " << name << ": " << value << '\n';
}

int env(const EnvOptions& options) {
  const Runtime runtime = look_at_runtime();
  const std::vector<plugins::Place> places =
      plugins::search_places(options.plugin_path, plugins::surroundings());
  options.json ? print_env_json(runtime, base::cpu(), places)
               : print_env(runtime, base::cpu(), places);
  return 0;
}

}  // namespace

void add_env(CLI::App& app, int& exit_code) {
  static EnvOptions options;
  CLI::App* command =
      app.add_subcommand("env", "Print versions, devices, folders and limits, for a bug report");
  add_plugin_path(*command, options.plugin_path);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = env(options); });
}

}  // namespace broch::cli
