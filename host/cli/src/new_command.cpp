// new_command.cpp: broch plugin new: writes a folder with a small, complete plugin, which CMake or
// Meson builds against the installed SDK, and a manifest that trains with it.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "base/text.hpp"
#include "commands.hpp"
#include "plugins/entry.hpp"
#include "plugins/metadata.hpp"
#include "templates.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Exit;
using Replacements = std::map<std::string, std::string, std::less<>>;

struct NewOptions {
  std::string role, name, lang = "c++", dir;
};

struct Language {
  const char* name;
  const char* source;  // path in the new folder; '@' stands for the name
  const char* kind;    // file among the templates of a role
  const char* cmake;   // "" if another tool builds it
  const char* meson;
  const char* standard;
};
constexpr Language kLanguages[] = {{"c", "@.c", "plugin.c", "C", "c", "c_std=c11"},
                                   {"c++", "@.cpp", "plugin.cpp", "CXX", "cpp", "cpp_std=c++17"},
                                   {"rust", "src/lib.rs", "plugin.rs", "", "rust", ""}};
// Names of targets that CMake and Meson reserve.
constexpr std::array kReserved = {"all",     "benchmark", "clean", "dist",     "help",
                                  "install", "package",   "test",  "uninstall"};

std::string one_of(const std::vector<std::string>& known) {
  return "one of " + base::join(known, ", ");
}

// Lower-case letters and digits, in words joined by '-'; begins with a letter: "loss-watch".
bool is_plain(const std::string& name) {
  if (name.empty() || name.back() == '-' || !std::islower(static_cast<unsigned char>(name[0])))
    return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool joins = c == '-' && name[i - 1] != '-';
    if (c > 'z' || !(std::islower(c) || std::isdigit(c) || joins)) return false;
  }
  return true;
}

// "loss-watch" becomes "org.example.loss-watch"; a reverse address is not changed.
std::string id_of(const std::string& name) {
  constexpr const char* kExpected =
      "words of small letters and digits joined by '-', or a reverse address of such: "
      "loss-watch, org.example.loss-watch";
  for (size_t at = 0; at <= name.size();) {
    const size_t dot = std::min(name.find('.', at), name.size());
    if (!is_plain(name.substr(at, dot - at)) || name.size() > 100)
      base::fail(Exit::usage, "the name of a plugin", base::quoted(name), kExpected,
                 "choose another name");
    at = dot + 1;
  }
  if (name.starts_with("broch."))
    base::fail(Exit::usage, "the name of a plugin", base::quoted(name), "an address of your own",
               "\"broch.\" is kept for built-in components");
  return name.find('.') == std::string::npos ? "org.example." + name : name;
}

// "loss-watch" becomes "loss_watch" or, for class_word, "LossWatch".
std::string file_word(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
std::string class_word(const std::string& name) {
  std::string word;
  bool starts = true;
  for (const char c : name) {
    if (c != '-') word += starts ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    starts = c == '-';
  }
  return word;
}

const Language& language_of(const std::string& name) {
  std::vector<std::string> known;
  for (const Language& language : kLanguages) {
    if (name == language.name) return language;
    known.push_back(language.name);
  }
  base::fail(Exit::usage, "--lang", base::quoted(name), one_of(known), "");
}

// Replaces every @WORD@ that is in words.
std::string filled(std::string_view text, const Replacements& words) {
  std::string out;
  while (!text.empty()) {
    const size_t at = text.find('@');
    out += text.substr(0, at);
    if (at == text.npos) break;
    const size_t end = text.find('@', at + 1);
    const auto word =
        end == text.npos ? words.end() : words.find(text.substr(at + 1, end - at - 1));
    out += word == words.end() ? "@" : word->second;
    text.remove_prefix(word == words.end() ? at + 1 : end + 1);
  }
  return out;
}

// The crate `broch` of this program: <prefix>/share/broch/rust, seen from <prefix>/bin/broch.
std::string rust_crate() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path crate = program.parent_path().parent_path() / "share/broch/rust";
  if (error || !fs::exists(crate / "Cargo.toml", error))
    base::fail(Exit::data, crate.string(), "no Cargo.toml", "the crate broch for Rust",
               "install Broch completely: cmake --install");
  return crate.string();
}

// The files of a new folder: texts by path.
class Project {
 public:
  Project(const NewOptions& options, const Language& language) : language_(language) {
    const std::string id = id_of(options.name), name = id.substr(id.rfind('.') + 1);
    const std::string file = file_word(name);
    if (std::count(kReserved.begin(), kReserved.end(), file))
      base::fail(Exit::usage, "the name of a plugin", base::quoted(name),
                 "a name that build tools do not use", "choose another name");
    std::string source = language.source;
    if (const size_t at = source.find('@'); at != source.npos) source.replace(at, 1, file);
    words_ = {{"ID", id},
              {"NAME", name},
              {"FILE", file},
              {"CLASS", class_word(name)},
              {"ROLE", options.role},
              {"SOURCE", source},
              {"VERSION", plugins::host_interface()},
              {"LANGUAGE", language.cmake},
              {"MESON_LANGUAGE", language.meson},
              {"MESON_STANDARD", language.standard}};
    require_role(options);
    add(source, options.role + "/" + language.kind);
    words_["ROLE_MANIFEST"] = filled(text_of(options.role + "/manifest.json"), words_);
    add(name + ".json", "shared/manifest.json");
    *language.cmake ? add_c() : add_rust();
  }

  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  static std::string_view text_of(const std::string& path) { return *find_template(path); }
  void add(const std::string& path, const std::string& from) {
    files_[path] = filled(text_of(from), words_);
  }

  static void require_role(const NewOptions& options) {
    const std::vector<std::string>& known = plugins::known_roles();
    if (std::count(known.begin(), known.end(), options.role)) return;
    const std::string near = base::nearest(options.role, known);
    base::fail(Exit::usage, "the role of a plugin", base::quoted(options.role), one_of(known),
               near.empty() ? "" : "did you mean " + base::quoted(near) + "?");
  }

  // A C library that calls sin or cos must link libm; in C++, the standard library does that.
  void add_c() {
    const bool needs_math = files_.at(words_.at("SOURCE")).find("<math.h>") != std::string::npos &&
                            std::strcmp(language_.name, "c") == 0;
    words_["CMAKE_LIBRARIES"] =
        needs_math ? "\ntarget_link_libraries(" + words_["FILE"] + " PRIVATE m)" : "";
    words_["MESON_DEPENDENCIES"] =
        needs_math ? "[broch, meson.get_compiler('c').find_library('m')]" : "broch";
    add("CMakeLists.txt", "shared/CMakeLists.txt");
    add("meson.build", "shared/meson.build");
    add("README.md", "shared/README.md");
  }
  void add_rust() {
    words_["CRATE"] = rust_crate();
    add("Cargo.toml", "shared/Cargo.toml");
    add("meson.build", "shared/meson_rust.build");
    add("README.md", "shared/README_rust.md");
  }

  const Language& language_;
  Replacements words_;
  std::map<std::string, std::string> files_;
};

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& error) {
  throw Error(Exit::data, {path.string(), error.message(), "a new folder that can be written",
                           "name another one with --dir"});
}

// Writes into a temporary folder and renames it when it is complete.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& wanted) : wanted_(wanted) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(wanted_)) && !fs::is_empty(wanted_, error))
      base::fail(Exit::usage, wanted_.string(), "something that is there", "a new folder",
                 "nothing is overwritten: name another one with --dir");
    if (wanted_.has_parent_path()) fs::create_directories(wanted_.parent_path(), error);
    if (error) cannot_write(wanted_.parent_path(), error);
    std::string name = (wanted_.parent_path() / (".broch-new-XXXXXX")).string();
    if (!mkdtemp(name.data())) cannot_write(wanted_, {errno, std::generic_category()});
    part_ = name;
    fs::permissions(part_, fs::perms(0755), error);
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!part_.empty()) fs::remove_all(part_, ignored);
  }

  void write(const fs::path& path, const std::string& text) const {
    std::error_code error;
    fs::create_directories((part_ / path).parent_path(), error);
    std::ofstream file(part_ / path, std::ios::binary);
    file << text;
    if (!file.flush()) cannot_write(wanted_ / path, {errno, std::generic_category()});
  }
  void commit() {
    std::error_code error;
    fs::rename(part_, wanted_, error);
    if (error) cannot_write(wanted_, error);
    part_.clear();
  }

 private:
  fs::path wanted_, part_;
};

int plugin_new(const NewOptions& options) {
  const Project project(options, language_of(options.lang));
  const std::string id = id_of(options.name);
  const fs::path folder =
      options.dir.empty() ? fs::path(id.substr(id.rfind('.') + 1)) : fs::path(options.dir);
  NewFolder made(fs::absolute(folder).lexically_normal());
  for (const auto& [path, text] : project.files()) made.write(path, text);
  made.commit();
  for (const auto& [path, text] : project.files()) std::cout << (folder / path).string() << '\n';
  return 0;
}

}  // namespace

void add_plugin_new(CLI::App& plugin, int& exit_code) {
  static NewOptions options;
  CLI::App* command = plugin.add_subcommand(
      "new", "Write a folder with a small working plugin and a manifest that trains with it");
  command->add_option("role", options.role, base::join(plugins::known_roles(), ", "))->required();
  command->add_option("name", options.name, "loss-watch, or org.example.loss-watch")->required();
  command->add_option("--lang", options.lang, "c, c++ or rust; by default c++");
  command->add_option("--dir", options.dir, "The new folder; by default the plugin's name");
  command->callback([&exit_code] { exit_code = plugin_new(options); });
}

}  // namespace broch::cli
