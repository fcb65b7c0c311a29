// environment.cpp: what is known of the program, the system and the devices.
#include "environment.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <string_view>

#include "base/machine.hpp"
#include "plugins/entry.hpp"
#include "value/json.hpp"

namespace broch::session {
namespace {

using value::Value;

// Such as "Debian GNU/Linux 12 (bookworm)"; "" if the system does not tell.
std::string distribution() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    std::erase(name, '"');
    return name;
  }
  return "";
}

std::string system_in_words() {
  utsname names{};
  if (uname(&names) != 0) return distribution();
  const std::string kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  const std::string name = distribution();
  return name.empty() ? kernel : name + ", " + kernel;
}

Value cpu() {
  const base::Cpu facts = base::cpu();
  Value::Array isa;
  for (const std::string& name : facts.isa) isa.emplace_back(name);
  Value value{Value::Object{}};
  value.set("model", Value(facts.model));
  value.set("cores", Value(int64_t(facts.cores)));
  value.set("usable_cores", Value(int64_t(facts.usable_cores)));
  value.set("isa", Value(std::move(isa)));
  return value;
}

Value gpus(runtime::Backend& backend) {
  Value::Array list;
  for (runtime::Device device{BROCH_DL_CUDA, 0}; backend.has_device(device); ++device.index) {
    const runtime::DeviceFacts facts = backend.facts(device);
    Value value{Value::Object{}};
    value.set("device", Value(runtime::to_string(device)));
    value.set("name", Value(facts.name));
    value.set("memory_bytes", Value(facts.total));
    list.push_back(std::move(value));
  }
  return Value(std::move(list));
}

}  // namespace

void write_environment(const log_folder::LogDir& log_dir, runtime::Backend& backend) {
  Value value{Value::Object{}};
  value.set("broch", Value(std::string(BROCH_VERSION)));
  value.set("interface", Value(plugins::host_interface()));
  value.set("runtime", Value(backend.version()));
  value.set("system", Value(system_in_words()));
  value.set("cpu", cpu());
  value.set("memory_bytes", Value(int64_t(base::memory_bytes())));
  value.set("gpus", gpus(backend));
  log_dir.write("environment.json", value::to_pretty_text(value));
}

}  // namespace broch::session
