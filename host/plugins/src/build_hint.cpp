// build_hint.cpp: looks for a project in the folders above a library.
#include "plugins/build_hint.hpp"

#include <filesystem>
#include <iterator>

#include "base/content.hpp"

namespace broch::plugins {
namespace {

namespace fs = std::filesystem;

bool has(const fs::path& folder, const char* file) {
  std::error_code error;
  return fs::exists(folder / file, error);
}

bool has_preset(const fs::path& project, const std::string& name) {
  const std::string text = base::content_of(project / "CMakePresets.json").value_or("");
  return !name.empty() && text.find('"' + name + '"') != std::string::npos;
}

// The first folder below the project is taken as the build folder, as in build/NAME.so. If the
// second one is the name of a CMake preset, as in build/release, the commands use that preset.
std::string with_cmake(const fs::path& project, const fs::path& library) {
  const fs::path below = library.lexically_relative(project);
  const fs::path build = project / *below.begin();
  const std::string preset = below.begin() == below.end() ? "" : std::next(below.begin())->string();
  if (has_preset(project, preset))
    return "cd " + project.string() + " && cmake --preset " + preset +
           " && cmake --build --preset " + preset;
  if (has(build, "CMakeCache.txt")) return "cmake --build " + build.string();
  return "cmake -S " + project.string() + " -B " + build.string() +
         " -DCMAKE_PREFIX_PATH=PREFIX && cmake --build " + build.string() +
         ", with PREFIX where Broch is installed";
}

std::string with_meson(const fs::path& project, const fs::path& library) {
  const std::string build = (project / *library.lexically_relative(project).begin()).string();
  const std::string compile = "meson compile -C " + build;
  if (has(build, "build.ninja")) return compile;
  return "meson setup " + build + " " + project.string() + " && " + compile;
}

std::string with_cargo(const fs::path& project, const fs::path& library) {
  const std::string build =
      "cargo build --release --manifest-path " + (project / "Cargo.toml").string();
  const std::string made = (project / "target/release").string();
  if (library.parent_path() == made) return build;
  return build + ", and copy the library from " + made;
}

}  // namespace

std::string how_to_build(const std::string& library) {
  const fs::path path = library;
  for (fs::path folder = path.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (has(folder, "CMakeLists.txt")) return "build it: " + with_cmake(folder, path);
    if (has(folder, "meson.build")) return "build it: " + with_meson(folder, path);
    if (has(folder, "Cargo.toml")) return "build it: " + with_cargo(folder, path);
  }
  return "build the library, or correct the path; `broch plugin new` makes one to begin with";
}

}  // namespace broch::plugins
