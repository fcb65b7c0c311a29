// cli_harness.hpp: the program as a user meets it: a manifest in a folder goes in; exit code, log
// and files come out.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

namespace broch::cli_harness {

using test::Folder;

using Json = nlohmann::ordered_json;
// Name of a variable to its elements, row-major.
using Values = std::map<std::string, std::vector<double>>;

class Training {
 public:
  // The manifest is written to folder/name.json with folder/name as its log_dir. A level that it
  // does not name is that of the environment variable BROCH_TEST_LEVEL, if it is set; likewise the
  // trainer's option devices and BROCH_TEST_DEVICE, such as cuda:0.
  Training(const Folder& folder, const std::string& name, Json manifest);

  // Exit code of `broch train MANIFEST arguments`; 128 + n after signal n.
  int run(const std::vector<std::string>& arguments = {}) const { return wait(start(arguments)); }
  // The same of `broch check MANIFEST`.
  int check() const { return wait(start({}, {}, "check")); }
  // launcher: words before the program, the first of which is found in PATH.
  pid_t start(const std::vector<std::string>& arguments = {},
              const std::vector<std::string>& launcher = {}, const char* command = "train") const;
  static int wait(pid_t pid);

  const std::filesystem::path& log_dir() const { return log_dir_; }
  // What it said, of all its starts.
  std::string talk() const;
  // The text of a file in the log folder; "" when there is none.
  std::string text(const std::string& file) const;
  Json stats() const { return Json::parse(text("stats.json")); }
  // The variables of model-{step}.
  Values checkpoint(int64_t step) const;
  // Those of any checkpoint file.
  static Values variables(const std::filesystem::path& file);

 private:
  std::filesystem::path manifest_, log_dir_, talk_;
};

// How often a part occurs in a text.
size_t count(const std::string& text, const std::string& part);

}  // namespace broch::cli_harness
