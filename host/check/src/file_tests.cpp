// file_tests.cpp: tests that only read the file, without loading it.
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "base/noun.hpp"
#include "base/text.hpp"
#include "subject.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

// Accepts the C library, the C++ runtime, and the sanitizers for builds that use them.
bool may_be_needed(std::string_view library, bool torch) {
  static constexpr std::string_view kAllowed[] = {
      "libc.so",      "libm.so",     "libpthread.so", "libdl.so",     "librt.so",
      "libstdc++.so", "libgcc_s.so", "libc++.so",     "libc++abi.so", "ld-linux",
      "libatomic.so", "libasan.so",  "libubsan.so",   "libtsan.so",   "libclang_rt"};
  const auto begins = [&](std::string_view name) { return library.starts_with(name); };
  return std::any_of(std::begin(kAllowed), std::end(kAllowed), begins) ||
         (torch && (library == "libtorch_cpu.so" || library == "libc10.so"));
}

// For family "GLIBC" and version "GLIBC_2.34": {2, 34}. Empty if the family differs.
std::vector<int> numbers_of(std::string_view version, std::string_view family) {
  std::vector<int> numbers;
  if (!version.starts_with(family) || version.size() <= family.size() + 1 ||
      version[family.size()] != '_')
    return numbers;
  version.remove_prefix(family.size() + 1);
  while (!version.empty()) {
    int number = 0;
    const auto [end, error] =
        std::from_chars(version.data(), version.data() + version.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    version.remove_prefix(static_cast<size_t>(end - version.data()));
    if (!version.empty()) version.remove_prefix(1);
  }
  return numbers;
}

std::string test_readable(Subject& subject) {
  const size_t count = subject.file().metadata.components.size();
  check_entry(*subject.file().facts.entry, subject.file().path);
  return base::counted(int64_t(count), "component");
}

std::string test_exports(Subject& subject) {
  std::vector<std::string> others = subject.file().facts.exports;
  std::erase(others, plugins::kEntrySymbol);
  if (!others.empty())
    throw Failed(
        "exports " + base::join(others, ", ") + " besides " + plugins::kEntrySymbol +
        "\n  hint: build with broch_add_plugin, or hidden visibility and a version script");
  return "";
}

std::string test_unique_symbols(Subject& subject) {
  const std::vector<std::string>& unique = subject.file().facts.unique;
  if (!unique.empty())
    throw Failed(base::join(unique, ", ") +
                 ": shared by all libraries of the process (STB_GNU_UNIQUE)"
                 "\n  hint: compile with -fno-gnu-unique");
  return "";
}

// A library of the system beyond these is allowed if it is there, and named: whoever installs the
// plugin has to install it, too.
std::string test_needed_libraries(Subject& subject) {
  const bool torch = !subject.file().metadata.torch.empty();
  std::vector<std::string> others;
  for (const std::string& library : subject.file().facts.needed) {
    if (may_be_needed(library, torch)) continue;
    if (!dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL))
      throw Failed("needs " + library +
                   ", which is not on this system; expected libc, libm, the C++ runtime, and "
                   "libraries that are installed\n  hint: link it statically, or install it");
    others.push_back(library);
  }
  if (!others.empty()) return "works only where these are installed: " + base::join(others, ", ");
  return base::join(subject.file().facts.needed, ", ");
}

std::string test_symbol_versions(Subject& subject) {
  std::map<std::string, std::pair<std::vector<int>, std::string>> highest;
  for (const plugins::SymbolVersion& needed : subject.file().facts.versions)
    for (const char* family : {"GLIBC", "GLIBCXX", "CXXABI", "GCC"})
      if (const std::vector<int> numbers = numbers_of(needed.version, family); !numbers.empty())
        highest[family] = std::max(highest[family], {numbers, needed.version});
  const std::string here = std::string("GLIBC_") + gnu_get_libc_version();
  if (highest.contains("GLIBC") && highest["GLIBC"].first > numbers_of(here, "GLIBC"))
    throw Failed("needs " + highest["GLIBC"].second + ", this machine has " + here +
                 "\n  hint: build on the oldest system that is to run it");
  std::vector<std::string> texts;
  for (const auto& [family, found] : highest) texts.push_back(found.second);
  return base::join(texts, ", ");
}

}  // namespace

std::vector<Test> file_tests() {
  return {
      {"readable", "entry and metadata can be read without loading the file", Stage::file,
       &test_readable},
      {"exports", "exports broch_entry_v1 and nothing else", Stage::load, &test_exports},
      {"unique-symbols", "has no symbol that all libraries of a process share", Stage::load,
       &test_unique_symbols},
      {"needed-libraries", "needs only libraries that are there", Stage::load,
       &test_needed_libraries},
      {"symbol-versions", "needs no newer C library than this machine's", Stage::load,
       &test_symbol_versions},
  };
}

}  // namespace broch::check
