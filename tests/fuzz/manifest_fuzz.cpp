// manifest_fuzz.cpp: any bytes as a manifest, with the one it extends behind a line "---" and an
// environment of three: a manifest whose resolved text loads to itself, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "manifest/manifest.hpp"

namespace {

using namespace broch::manifest;

std::shared_ptr<const Source> source(const char* name, const std::string& text) {
  return std::make_shared<const Source>(Source{name, "/", text});
}

std::optional<std::string> environment(const std::string& name) {
  if (name == "N") return "7";
  if (name == "DIR") return "data/${x}";
  if (name == "A_TOKEN") return "hidden";
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kBorder = "\n---\n";
  const size_t end = text.find(kBorder);
  const std::string base = end == std::string::npos ? "" : text.substr(end + kBorder.size());
  const Surroundings surroundings{[&base](const std::string&) { return source("base.json", base); },
                                  environment};
  try {
    const Manifest manifest =
        load_source(source("fuzz.json", text.substr(0, end)), {}, surroundings);
    const std::string resolved = manifest.resolved_text();
    const bool is_shown = resolved.find("hidden") != std::string::npos;
    if (is_shown && text.find("hidden") == std::string::npos) std::abort();
    const Manifest again = load_source(source("fuzz.json", resolved), {}, surroundings);
    if (again.resolved_text() != resolved) std::abort();
  } catch (const broch::base::Error&) {
  }
  return 0;
}
