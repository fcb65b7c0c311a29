// plugin_name.cpp: words of small letters and digits, alone or as a reverse address.
#include "plugin_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::scaffold {
namespace {

using base::Exit;

// Names of targets that CMake and Meson reserve, and of the crate for Rust.
constexpr std::array kReserved = {
    "all",       "benchmark",  "broch",         "clean",       "coverage", "dist",
    "distcheck", "edit_cache", "help",          "install",     "package",  "package_source",
    "phony",     "preinstall", "rebuild_cache", "reconfigure", "test",     "uninstall"};

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

std::string file_word_of(std::string word) {
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

std::string class_word_of(const std::string& word) {
  std::string result;
  bool starts = true;
  for (const char c : word) {
    if (c != '-') result += starts ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    starts = c == '-';
  }
  return result;
}

}  // namespace

PluginName::PluginName(const std::string& name)
    : id(id_of(name)),
      word(id.substr(id.rfind('.') + 1)),
      file_word(file_word_of(word)),
      class_word(class_word_of(word)) {
  if (std::count(kReserved.begin(), kReserved.end(), file_word))
    base::fail(Exit::usage, "the name of a plugin", base::quoted(word),
               "a name that build tools do not use", "choose another name");
}

}  // namespace broch::scaffold
