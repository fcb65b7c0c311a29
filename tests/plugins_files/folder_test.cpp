// folder_test.cpp: folders of classes, their index file, and lists.
#include <sys/resource.h>
#include <sys/stat.h>

#include <archive/source.hpp>
#include <chrono>
#include <filesystem>

#include "files/folder_index.hpp"
#include "support.hpp"

using namespace support;
using files::FolderIndex;

namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

const std::vector<std::string> kImages{".jpg", ".png"};

// Two classes, with a folder inside of one.
void fill(const Folder& folder) {
  for (const char* name : {"b/2.jpg", "b/10.JPG", "b/deep/1.png", "b/note.txt", "a/x.png"})
    folder.write(std::string("root/") + name, "x");
}

// Everything below root is a minute old, as the index wants it.
void age(const std::string& root) {
  const auto before = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  for (const auto& entry : fs::recursive_directory_iterator(root))
    fs::last_write_time(entry, before);
  fs::last_write_time(root, before);
}

std::vector<std::string> shown(const FolderIndex& index) {
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < index.size(); ++i)
    lines.push_back(index.path(i) + " " + std::to_string(index.label(i)));
  return lines;
}

const std::vector<std::string> kShown{"a/x.png 0", "b/10.JPG 1", "b/2.jpg 1", "b/deep/1.png 1"};

}  // namespace

TEST_CASE("folder: the order of torchvision's ImageFolder") {
  Folder folder;
  fill(folder);
  const FolderIndex index = FolderIndex::scan(folder / "root", kImages);
  CHECK(shown(index) == kShown);
  CHECK(index.classes() == std::vector<std::string>{"a", "b"});
  CHECK(FolderIndex::scan(folder / "root", {}).size() == 5);
  check_refusal([&] { FolderIndex::scan(folder / "root", {".gif"}); },
                "root/a: found no file, expected at least one that ends in .gif");
  check_refusal([&] { FolderIndex::scan(folder / "root/a", kImages); }, "no folder in it");
  check_refusal([&] { FolderIndex::scan(folder / "none", kImages); }, "none: found No such file");
}

TEST_CASE("folder: the index file is used while it is true") {
  Folder folder;
  fill(folder);
  const std::string root = folder / "root", file = folder / "root.broch-index";
  FolderIndex index;
  CHECK(!index.load(file, root, kImages));
  // What has just changed may change again without another time.
  CHECK(!FolderIndex::scan(root, kImages).save(file, root, kImages));
  age(root);
  REQUIRE(FolderIndex::scan(root, kImages).save(file, root, kImages));
  REQUIRE(index.load(file, root, kImages));
  CHECK(shown(index) == kShown);
  CHECK(index.classes() == std::vector<std::string>{"a", "b"});
  CHECK(!FolderIndex().load(file, root, {".png"}));
  folder.write("root/b/deep/new.png", "x");
  CHECK(!FolderIndex().load(file, root, kImages));
  age(root);
  REQUIRE(FolderIndex::scan(root, kImages).save(file, root, kImages));
  const std::string bytes = read_file(file);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 4);
    folder.write("root.broch-index", damaged);
    CHECK(!FolderIndex().load(file, root, kImages));
    folder.write("root.broch-index", bytes.substr(0, i));
    CHECK(!FolderIndex().load(file, root, kImages));
  }
}

TEST_CASE("folder: listed classes have the labels of their places, with or without files") {
  Folder folder;
  fill(folder);
  std::filesystem::create_directories(folder / "root/empty");
  const std::string root = folder / "root", file = folder / "root.broch-index";
  check_refusal([&] { FolderIndex::scan(root, kImages); }, "root/empty: found no file");
  const std::vector<std::string> classes{"none", "b", "empty", "a"};
  const Lines expected{"b/10.JPG 1", "b/2.jpg 1", "b/deep/1.png 1", "a/x.png 3"};
  const FolderIndex index = FolderIndex::scan(root, kImages, classes);
  CHECK(shown(index) == expected);
  CHECK(index.classes() == classes);
  CHECK(index.classes_without_files() == Lines{"none", "empty"});
  check_refusal(
      [&] {
        FolderIndex::scan(root, kImages, {"b", "empty"});
      },
      "root/a: found a folder that the option classes does not name, expected one of "
      "b, empty; add it");
  check_refusal([&] { FolderIndex::scan(root, {".gif"}, classes); }, "root: found no file");
  age(root);
  REQUIRE(FolderIndex::scan(root, kImages, classes).save(file, root, kImages));
  FolderIndex loaded;
  REQUIRE(loaded.load(file, root, kImages, classes));
  CHECK(shown(loaded) == expected);
  CHECK(loaded.classes_without_files() == Lines{"none", "empty"});
  CHECK(!FolderIndex().load(file, root, kImages));
  CHECK(!FolderIndex().load(file, root, kImages, {"none", "b", "a", "empty"}));
}

TEST_CASE("folder: a message has a dozen names") {
  CHECK(files::listed({"a", "b"}) == "a, b");
  CHECK(files::listed(Lines(14, "x")) == "x, x, x, x, x, x, x, x, x, x, x, x, … and 2 more");
}

TEST_CASE("folder: a list of paths and labels") {
  Folder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const FolderIndex index =
      FolderIndex::of_list(folder.write("list.txt", mark + "a b/1.jpg 7\r\nc.png \t -1"));
  CHECK(shown(index) == std::vector<std::string>{"a b/1.jpg 7", "c.png -1"});
  for (const char* bad :
       {"a.png\n", "a.png one\n", " 3\n", "  3\n", "a.png 99999999999999999999\n", ""}) {
    const std::string list = folder.write("bad.txt", bad);
    check_refusal([&] { FolderIndex::of_list(list); }, "PATH LABEL");
  }
}

TEST_CASE("folder: a named pipe among the files is refused at once") {
  Folder folder;
  const std::string pipe = folder / "pipe.jpg";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  check_refusal([&] { broch::archive::File(pipe, ", image 3"); },
                "pipe.jpg, image 3: found no regular file");
}

TEST_CASE("folder: no room for one more open folder is not the fault of its name") {
  Folder folder;
  fill(folder);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  broch_status status = BROCH_OK;
  const std::string text = refusal([&] {
    try {
      FolderIndex::scan(folder / "root", kImages);
    } catch (const broch::Error& error) {
      status = error.status();
      throw;
    }
  });
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(status == BROCH_E_RESOURCE_EXHAUSTED);
  CHECK(text.find("ulimit -n") != std::string::npos);
}
