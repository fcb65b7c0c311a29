// catalog_test.cpp: what is found, what wins and what is refused.
#include "plugins/catalog.hpp"

#include <algorithm>

#include "support.hpp"

using broch::plugins::Catalog;
using broch::plugins::Found;
using broch::plugins::Origin;
using broch::plugins::Place;
using support::check_diagnostic;
using support::failure;
using support::Folder;

namespace {

Place found_in(const std::string& folder) { return {folder, Origin::user}; }

std::vector<std::string> ids(const Catalog& catalog) {
  std::vector<std::string> result;
  for (const Found& found : catalog.components()) result.push_back(found.component.id);
  return result;
}

}  // namespace

TEST_CASE("catalog: libraries of a folder and of the folders right below it are listed") {
  const Folder root;
  root.folder("package/deeper");
  root.put("good", "good.so");
  root.put("no_section", "package/inner.so");
  root.put("second_id", "package/deeper/too_deep.so");
  root.put("second_id", "notes.txt");
  const Catalog catalog({}, {found_in(root.path())});
  CHECK(ids(catalog) == std::vector<std::string>{"test.good", "test.no_section", "test.other"});
  CHECK(catalog.find("test.no_section").file.path == root / "package/inner.so");
  CHECK(catalog.find("test.other").component.version == "0.1.0");
  CHECK(catalog.broken().empty());
  CHECK(catalog.shadowed().empty());
}

TEST_CASE("catalog: the first of two libraries with one id wins and the second is reported") {
  const Folder first, second;
  first.put("second_id", "b.so");
  second.put("second_id", "a.so");
  const Catalog catalog({}, {found_in(first.path()), found_in(second.path())});
  CHECK(catalog.find("test.second_id").file.path == first / "b.so");
  REQUIRE(catalog.shadowed().size() == 1);
  CHECK(catalog.shadowed()[0].id == "test.second_id");
  CHECK(catalog.shadowed()[0].path == second / "a.so");
  CHECK(catalog.shadowed()[0].by == first / "b.so");
}

TEST_CASE("catalog: a file of the manifest comes before what the search finds") {
  const Folder root, mine;
  root.put("good", "good.so");
  const std::string path = mine.put("good", "mine.so");
  const Catalog catalog({path}, {found_in(root.path())});
  CHECK(catalog.find("test.good").file.path == path);
  CHECK(catalog.find("test.good").file.origin == Origin::manifest);
}

TEST_CASE("catalog: one file found twice is one file") {
  const Folder root;
  root.put("good", "good.so");
  const Catalog catalog({root / "good.so"}, {found_in(root.path()), found_in(root.path())});
  CHECK(catalog.files().size() == 1);
  CHECK(catalog.shadowed().empty());
}

TEST_CASE("catalog: a broken file that was found is listed, one that was named is an error") {
  const Folder root;
  support::write_file(root / "text.so", "no library");
  root.put("no_symbol", "no_symbol.so");
  const Catalog catalog({}, {found_in(root.path())});
  REQUIRE(catalog.broken().size() == 2);
  check_diagnostic(catalog.broken()[0].reason, root / "no_symbol.so",
                   "does not export broch_entry_v1", "a library made for Broch", "BROCH_PLUGIN");
  check_diagnostic(catalog.broken()[1].reason, root / "text.so", "a file of 10 bytes",
                   "an ELF header");
  check_diagnostic(failure([&root] { Catalog({root / "text.so"}, {}); }), root / "text.so",
                   "a file of 10 bytes", "an ELF header");
  check_diagnostic(failure([&root] { Catalog({root / "none.so"}, {}); }), root / "none.so",
                   "No such file", "a readable file");
}

TEST_CASE("catalog: a missing folder is nothing, unless it was named with --plugin-path") {
  const Folder root;
  CHECK_NOTHROW(Catalog({}, {found_in(root / "none")}));
  check_diagnostic(failure([&root] {
                     Catalog({}, {Place{root / "none", Origin::flag}});
                   }),
                   root / "none", "No such file", "readable");
}

TEST_CASE("catalog: an unknown id names the nearest one, the places and the broken files") {
  const Folder root;
  root.put("good", "good.so");
  support::write_file(root / "text.so", "no library");
  const Catalog catalog({}, {found_in(root.path())});
  const std::string message = failure([&catalog] { catalog.find("test.god"); });
  check_diagnostic(message, "component 'test.god'", "no plugin has it", "one of the 2 ids",
                   "did you mean 'test.good'. searched " + root.path().string());
  CHECK(message.find("not usable: " + (root / "text.so")) != std::string::npos);
}

TEST_CASE("catalog: a component for another host is listed, and finding it says what to rebuild") {
  const Folder root;
  root.put("other_minor", "x.so");
  root.put("wrong_major", "y.so");
  const Catalog catalog({}, {found_in(root.path())});
  CHECK(ids(catalog).size() == 2);
  check_diagnostic(failure([&catalog] { catalog.find("test.other_minor"); }), root / "x.so",
                   "built for interface 0.3", "interface 0.2 of this host",
                   "rebuild the library with the headers of interface 0.2");
  check_diagnostic(failure([&catalog] { catalog.find("test.wrong_major"); }), root / "y.so",
                   "built for interface 7.2", "interface 0.2 of this host");
}

TEST_CASE("catalog: what anybody may write to is refused") {
  const Folder root;
  root.folder("open");
  root.put("good", "open/good.so");
  chmod((root / "open").c_str(), 0777);
  chmod(root.put("no_section", "writable.so").c_str(), 0646);
  const Catalog catalog({}, {found_in(root.path())});
  CHECK(catalog.files().empty());
  REQUIRE(catalog.broken().size() == 2);
  check_diagnostic(catalog.broken()[0].reason, root / "writable.so", "anybody may write to it",
                   "only its owner", "chmod o-w");
  check_diagnostic(catalog.broken()[1].reason, root / "open", "anybody may write to this folder",
                   "only its owner", "chmod o-w");
  check_diagnostic(failure([&root] { Catalog({root / "open/good.so"}, {}); }), root / "open",
                   "anybody may write to this folder", "only its owner");
  chmod((root / "open").c_str(), 01777);
  CHECK_NOTHROW(Catalog({root / "open/good.so"}, {}));
}

TEST_CASE("catalog: in a sticky folder the file of another user is refused") {
  if (geteuid() != 0) {
    MESSAGE("skipped: only root can give a file away");
    return;
  }
  const Folder root;
  chmod(root.path().c_str(), 01777);
  const std::string path = root.put("good", "good.so");
  REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
  check_diagnostic(failure([&path] { Catalog({path}, {}); }), path, "belongs to another user",
                   "a file of your own");
}

TEST_CASE("catalog: a link may not lead out of its search folder") {
  const Folder root, outside;
  outside.put("good", "good.so");
  root.put("no_section", "real.so");
  support::fs::create_symlink(outside / "good.so", root / "absolute.so");
  support::fs::create_symlink(
      "../" + support::fs::path(outside.path()).filename().string() + "/good.so",
      root / "relative.so");
  support::fs::create_directory_symlink(outside.path(), root / "package");
  support::fs::create_symlink("real.so", root / "inside.so");
  const Catalog catalog({}, {found_in(root.path())});
  CHECK(ids(catalog) == std::vector<std::string>{"test.no_section"});
  REQUIRE(catalog.broken().size() == 3);
  for (const auto& broken : catalog.broken())
    check_diagnostic(broken.reason, broken.path, "leads to " + (outside / "good.so"),
                     "a file below " + root.path().string(), "--plugin-path");
}

TEST_CASE("catalog: pipes and folders that end in .so hold nothing up") {
  const Folder root;
  root.folder("folder.so");
  REQUIRE(mkfifo((root / "pipe.so").c_str(), 0644) == 0);
  const Catalog catalog({}, {found_in(root.path())});
  REQUIRE(catalog.broken().size() == 1);
  check_diagnostic(catalog.broken()[0].reason, root / "pipe.so", "not a regular file", "a library");
}
