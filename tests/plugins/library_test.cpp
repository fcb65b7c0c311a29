// library_test.cpp: loading, and what is refused before and after.
#include "plugins/library.hpp"

#include <dlfcn.h>
#include <fcntl.h>

#include <algorithm>
#include <chrono>

#include "base/checksum.hpp"
#include "in_child.hpp"
#include "support.hpp"

using broch::plugins::Identity;
using broch::plugins::Library;
using broch::plugins::load;
using broch::plugins::LoadOptions;
using broch::plugins::open_plugin;
using broch::plugins::Origin;
using broch::plugins::PluginFile;
using support::check_diagnostic;
using support::failure;
using support::fixture;
using support::Folder;

namespace {

PluginFile opened(const std::string& path) { return open_plugin(path, Origin::manifest); }

std::vector<std::string> crumbs;
void record(const char* what, const char* file) {
  crumbs.push_back(what == nullptr ? "" : std::string(what) + " " + file);
}

struct Refused {
  const char* fixture;
  const char* place;  // after the path
  const char* found;
  const char* expected;
  const char* next;
};

const Refused kRefused[] = {
    {"wrong_magic", "", "magic of broch_entry_v1 is 0x00001234", "0x48435242", "BROCH_PLUGIN"},
    {"wrong_major", "", "built for interface 7.2", "interface 0.2 of this host", "update Broch"},
    {"other_minor", "", "built for interface 0.3", "interface 0.2 of this host",
     "rebuild the library with the headers of interface 0.2"},
    {"newer_host", "", "needs a host of interface 0.3", "at most 0.2", "update Broch"},
    {"short_struct", "", "broch_entry_v1 has 40 bytes", "at least 48", "BROCH_PLUGIN"},
    {"lying_id", "", "the metadata describes 'test.lying_id'", "code has 'test.another'", "agree"},
    {"lying_role", ": component 'test.lying_role'", "role 'monitor' in the code", "'callback'",
     "agree"},
    {"lying_text", "", "differs from section .broch.meta", "the same text in both", "BROCH_PLUGIN"},
    {"lying_count", "", "3 components in the code", "1, as many as in the metadata", "agree"},
    {"no_components", "", "components of broch_entry_v1 is NULL", "an array", "BROCH_PLUGIN"},
    {"null_id", ": component 0", "id or role is NULL", "both as in the metadata", "rebuild"},
    {"no_vtable", ": component 'test.no_vtable'", "vtable is NULL", "broch_component_vtable",
     "rebuild"},
    {"short_vtable", ": component 'test.short_vtable'", "vtable has 8 bytes", "at least 32",
     "struct_size"},
    {"no_create", ": component 'test.no_create'", "create is NULL", "a function", "rebuild"},
    {"undefined", "", "cannot be loaded: undefined symbol: nobody_has_this", "imports only libc",
     "no-undefined"},
    {"secret_torch", "", "needs libtorch_stub.so, which its metadata does not mention",
     "\"torch\" in its metadata", "torch"},
};

}  // namespace

TEST_CASE("library: a good file is loaded once and tells who it is") {
  const PluginFile file = opened(fixture("good"));
  const Library& library = load(file);
  CHECK(&library == &load(opened(fixture("good"))));
  CHECK(library.entry().component_count == 2);
  CHECK(std::string(library.component("test.other").role) == "monitor");
  void* self = nullptr;
  CHECK(library.component("test.good").vtable->create(nullptr, "{}", &self) == BROCH_OK);
  const Identity identity = library.identity("test.good");
  CHECK(identity.version == "1.2.3");
  CHECK(identity.file == fixture("good"));
  const auto bytes = support::read_bytes(fixture("good"));
  CHECK(identity.xxh128 == broch::base::xxh128(bytes.data(), bytes.size()));
  CHECK(identity.build_id == file.facts.build_id);
  check_diagnostic(failure([&library] { library.component("test.none"); }), fixture("good"),
                   "no component 'test.none'", "an id of its metadata");
}

TEST_CASE("library: what may not be loaded is refused with place, found, expected, next step") {
  for (const Refused& refused : kRefused) {
    CAPTURE(refused.fixture);
    const std::string path = fixture(refused.fixture);
    const std::string message = failure([&path] { load(opened(path)); });
    check_diagnostic(message, path + refused.place, refused.found, refused.expected, refused.next);
    CHECK(message.find("/proc/") == std::string::npos);
  }
}

TEST_CASE("library: a longer entry, one without section and one with two symbols load") {
  for (const char* name : {"long_struct", "no_section", "two_symbols"})
    CHECK_NOTHROW(load(opened(fixture(name))));
}

TEST_CASE("library: LibTorch must be the one that the metadata names") {
  PluginFile file = opened(fixture("secret_torch"));
  file.metadata.torch = "2.11.0-a";
  check_diagnostic(failure([&file] { load(file); }), file.path, "built against LibTorch '2.11.0-a'",
                   "a library without LibTorch", "--runtime torch");
  LoadOptions options;
  options.torch = "2.11.0-b";
  check_diagnostic(failure([&] { load(file, options); }), file.path,
                   "built against LibTorch '2.11.0-a'", "LibTorch '2.11.0-b', which this host",
                   "rebuild");
}

TEST_CASE("library: a part of LibTorch that is not loaded yet is not searched for") {
  PluginFile file = opened(fixture("secret_torch"));
  LoadOptions options;
  options.torch = file.metadata.torch = "2.11.0-a";
  check_diagnostic(failure([&] { load(file, options); }), file.path,
                   "needs libtorch_stub.so, which this host has not loaded", "libc10.so alone");
  REQUIRE(dlopen(TORCH_STUB, RTLD_NOW | RTLD_LOCAL));
  CHECK(load(file, options).component("test.secret_torch").id == std::string("test.secret_torch"));
}

TEST_CASE("library: a file put in place of a listed one is not what gets loaded") {
  const Folder folder;
  const PluginFile file = opened(folder.put("second_id", "x.so"));
  support::fs::rename(folder.put("good", "y.so"), folder / "x.so");
  CHECK(load(file).component("test.second_id").id == std::string("test.second_id"));
}

TEST_CASE("library: a file that was written over since it was listed is refused") {
  const Folder folder;
  const PluginFile file = opened(folder.put("good", "x.so"));
  std::fstream stream(folder / "x.so", std::ios::in | std::ios::out | std::ios::binary);
  const auto bytes = support::read_bytes(folder / "x.so");
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  stream.seekp(static_cast<std::streamoff>(text.find("Does nothing.")));
  stream << "Does harm :-)";
  stream.close();
  check_diagnostic(failure([&file] { load(file); }), file.path, "changed since it was listed",
                   "the same file", "run again");
}

TEST_CASE("library: the number of a closed file never stands for another library") {
  const Folder folder;
  folder.put("lying_id", "refused.so");
  folder.put("long_struct", "next.so");
  failure([&folder] { load(opened(folder / "refused.so")); });
  CHECK(load(opened(folder / "next.so")).component("test.long_struct").id ==
        std::string("test.long_struct"));
}

TEST_CASE("library: loading leaves a breadcrumb before foreign code runs and takes it back") {
  const Folder folder;
  LoadOptions options;
  options.breadcrumb = record;
  crumbs.clear();
  const std::string path = folder.put("good", "crumb.so");
  load(opened(path), options);
  CHECK(crumbs == std::vector<std::string>{"loading " + path, ""});
}

TEST_CASE("library: a constructor that hangs ends the program with 4 and a message") {
#ifdef __SANITIZE_THREAD__
  MESSAGE(
      "skipped: with the thread sanitizer's shadow memory, fork finds no memory after many loads");
  return;
#endif
  const auto start = std::chrono::steady_clock::now();
  const broch::test::Death death = broch::test::in_child([] {
    LoadOptions options;
    options.seconds = 0.2;
    load(opened(fixture("hanging")), options);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(death.exit == 4);
  check_diagnostic(death.text, "error: " + fixture("hanging"),
                   "loading did not end within 0.2 second", "a call that returns", "constructors");
  CHECK(took.count() >= 0.2);
  CHECK(took.count() < 5);
}
