// project.cpp: templates, and the words that are filled in.
#include "project.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plugins/entry.hpp"
#include "plugins/metadata.hpp"
#include "templates.hpp"

namespace broch::scaffold {

namespace fs = std::filesystem;
using base::Exit;

struct Language {
  const char* name;
  const char* source;  // path in the new folder; '@' stands for the name
  const char* kind;    // file among the templates of a role
  const char* cmake;   // "" if another tool builds it
  const char* meson;
  const char* standard;
};

namespace {

constexpr Language kLanguages[] = {{"c", "@.c", "plugin.c", "C", "c", "c_std=c11"},
                                   {"c++", "@.cpp", "plugin.cpp", "CXX", "cpp", "cpp_std=c++17"},
                                   {"rust", "src/lib.rs", "plugin.rs", "", "rust", ""}};

// What the macros that a source calls name in it.
constexpr std::string_view kNamedByMacros = "BrochPlugin None Some";

std::string one_of(const std::vector<std::string>& known) {
  return "one of " + base::join(known, ", ");
}

void require_role(const std::string& role) {
  const std::vector<std::string>& known = plugins::known_roles();
  if (std::count(known.begin(), known.end(), role)) return;
  const std::string near = base::nearest(role, known);
  base::fail(Exit::usage, "the role of a plugin", base::quoted(role), one_of(known),
             near.empty() ? "" : "did you mean " + base::quoted(near) + "?");
}

// Shows the new plugin at work.
std::string command_for(const std::string& role, const std::string& name) {
  if (role == "sink")
    return "broch data convert " + name + ".json --plugin-path build --to points.csv";
  return "broch train " + name + ".json";
}

std::string source_of(const Language& language, const std::string& file_word) {
  std::string source = language.source;
  if (const size_t at = source.find('@'); at != source.npos) source.replace(at, 1, file_word);
  return source;
}

// Replaces every @WORD@ that is in words.
std::string filled(std::string_view text,
                   const std::map<std::string, std::string, std::less<>>& words) {
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

// Whether a source uses this word as an identifier.
bool uses(std::string_view source, const std::string& word) {
  const auto continues = [&](size_t at) {
    return at < source.size() &&
           (std::isalnum(static_cast<unsigned char>(source[at])) || source[at] == '_');
  };
  for (size_t at = source.find(word); at != source.npos; at = source.find(word, at + 1))
    if ((at == 0 || !continues(at - 1)) && !continues(at + word.size())) return true;
  return false;
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

}  // namespace

const Language& language_of(const std::string& name) {
  std::vector<std::string> known;
  for (const Language& language : kLanguages) {
    if (name == language.name) return language;
    known.push_back(language.name);
  }
  base::fail(Exit::usage, "--lang", base::quoted(name), one_of(known), "");
}

Project::Project(const PluginName& name, const std::string& role, const Language& language)
    : language_(language),
      words_{{"ID", name.id},
             {"NAME", name.word},
             {"FILE", name.file_word},
             {"CLASS", name.class_word},
             {"ROLE", role},
             {"COMMAND", command_for(role, name.word)},
             {"SOURCE", source_of(language, name.file_word)},
             {"VERSION", plugins::host_interface()},
             {"LANGUAGE", language.cmake},
             {"MESON_LANGUAGE", language.meson},
             {"MESON_STANDARD", language.standard}} {
  require_role(role);
  const std::string source = role + "/" + language.kind;
  if (uses(*find_template(source), name.class_word) || uses(kNamedByMacros, name.class_word))
    words_["CLASS"] += "Plugin";
  add(words_["SOURCE"], source);
  words_["ROLE_MANIFEST"] = filled(*find_template(role + "/manifest.json"), words_);
  add(name.word + ".json", "shared/manifest.json");
  *language.cmake ? add_c() : add_rust();
}

void Project::add(const std::string& path, const std::string& from) {
  files_[path] = filled(*find_template(from), words_);
}

// A C library that calls sin or cos must link libm; in C++, the standard library does that.
void Project::add_c() {
  const bool needs_math = files_.at(words_["SOURCE"]).find("<math.h>") != std::string::npos &&
                          std::strcmp(language_.name, "c") == 0;
  words_["CMAKE_LIBRARIES"] =
      needs_math ? "\ntarget_link_libraries(" + words_["FILE"] + " PRIVATE m)" : "";
  words_["MESON_DEPENDENCIES"] =
      needs_math ? "[broch, meson.get_compiler('c').find_library('m')]" : "broch";
  add("CMakeLists.txt", "shared/CMakeLists.txt");
  add("meson.build", "shared/meson.build");
  add("README.md", "shared/README.md");
}

void Project::add_rust() {
  words_["CRATE"] = rust_crate();
  add("Cargo.toml", "shared/Cargo.toml");
  add("meson.build", "shared/meson_rust.build");
  add("README.md", "shared/README_rust.md");
}

}  // namespace broch::scaffold
