// continuation.cpp: when a training can go on, and with which words.
#include "continuation.hpp"

#include <filesystem>

#include "base/command_line.hpp"
#include "base/log.hpp"
#include "session/preconditions.hpp"

namespace broch::cli {
namespace {

std::string command_to_continue(const Launch& launch, const std::string& log_dir) {
  std::string command = "broch train " + base::quoted_for_shell(log_dir) + " --resume";
  if (launch.runtime != "torch") command += " --runtime " + launch.runtime;
  for (const std::string& folder : launch.plugin_path)
    command += " --plugin-path " + base::quoted_for_shell(whole_path(folder));
  if (launch.servers > 0) command += " --ps " + std::to_string(launch.servers);
  if (!launch.ranks) return command;
  return launch.ranks->launcher == "broch"
             ? command + " --ranks " + std::to_string(launch.ranks->world)
             : command + ", started by " + launch.ranks->launcher + " as this time";
}

bool has_checkpoint(const manifest::Manifest& manifest) {
  try {
    return session::newest_checkpoint(manifest).has_value();
  } catch (const base::Error&) {
    return false;
  }
}

// Whether a training that ended like this has something left to do that may be done now.
bool may_go_on(base::Exit exit) {
  using base::Exit;
  return exit != Exit::ok && exit != Exit::manifest && exit != Exit::plugin &&
         exit != Exit::checkpoint;
}

bool is_interrupted(base::Exit exit) {
  using base::Exit;
  return exit == Exit::saved || exit == Exit::interrupted || exit == Exit::terminated;
}

}  // namespace

std::string whole_path(const std::string& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();  // "run/" is "run"
}

void tell_how_to_continue(const Launch& launch, manifest::Manifest manifest,
                          const std::string& log_dir, base::Exit exit) {
  manifest.log_dir = log_dir;
  if (log_dir.empty() || !may_go_on(exit) || !has_checkpoint(manifest)) return;
  base::info(std::string(is_interrupted(exit) ? "continue with: "
                                              : "continue from the last checkpoint with: ") +
             command_to_continue(launch, log_dir));
}

}  // namespace broch::cli
