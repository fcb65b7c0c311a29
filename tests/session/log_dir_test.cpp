// log_dir_test.cpp: what happens to a folder that is there.
#include "log_folder/log_dir.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "folder.hpp"

using broch::log_folder::LogDir;
using broch::test::Folder;
namespace base = broch::base;
namespace fs = std::filesystem;

TEST_CASE("log_dir: backup renames a folder with content and starts an empty one") {
  const Folder folder;
  folder.write("log/old.txt", "old");
  const base::FakeClock clock;
  const LogDir dir(folder / "log", "backup", false, clock);
  CHECK(dir.path() == folder / "log");
  CHECK_FALSE(fs::exists(folder / "log/old.txt"));
  const std::string backup = "log." + base::file_stamp(clock.wall());
  CHECK(folder.read(backup + "/old.txt") == "old");
}

TEST_CASE("log_dir: a second backup at the same second takes another name") {
  const Folder folder;
  const base::FakeClock clock;
  for (const char* text : {"first", "second"}) {
    folder.write("log/old.txt", text);
    const LogDir dir(folder / "log", "backup", false, clock);
  }
  const std::string backup = "log." + base::file_stamp(clock.wall());
  CHECK(folder.read(backup + "/old.txt") == "first");
  CHECK(folder.read(backup + "-2/old.txt") == "second");
}

TEST_CASE("log_dir: keep, delete, new and quit do what they say") {
  const Folder folder;
  folder.write("log/old.txt", "old");
  { const LogDir dir(folder / "log", "keep", false); }
  CHECK(folder.read("log/old.txt") == "old");
  {
    const LogDir dir(folder / "log", "new", false);
    CHECK(dir.path() == folder / "log-2");
  }
  CHECK_THROWS_WITH_AS(LogDir(folder / "log", "quit", false),
                       doctest::Contains("log_dir_action is quit"), base::Error);
  { const LogDir dir(folder / "log", "delete", false); }
  CHECK_FALSE(fs::exists(folder / "log/old.txt"));
}

TEST_CASE("log_dir: with new, starts at the same time take different folders") {
  const Folder folder;
  fs::create_directories(folder / "log");
  // Another start has chosen this one, and written nothing yet.
  const broch::log_folder::FolderLock first(folder / "log");
  {
    const LogDir dir(folder / "log", "new", false);
    CHECK(dir.path() == folder / "log-2");
  }
  fs::remove_all(folder / "log-2");
  LogDir dir(folder / "log", "new", false);
  dir.take_back();
  CHECK_FALSE(fs::exists(folder / "log-2"));
  CHECK(fs::exists(folder / "log"));
  CHECK(broch::log_folder::FolderLock::is_held(folder / "log"));
}

TEST_CASE("log_dir: a start that was killed while it set old content aside is repeated") {
  const Folder folder;
  folder.write("log/.broch-old/log.log", "before");
  folder.write("log/model-1.safetensors", "not yet set aside");
  LogDir dir(folder / "log", "delete", false);
  dir.keep();
  CHECK_FALSE(fs::exists(folder / "log/.broch-old"));
  CHECK_FALSE(fs::exists(folder / "log/.broch-old-2"));
  CHECK_FALSE(fs::exists(folder / "log/model-1.safetensors"));
}

TEST_CASE("log_dir: the old folder stays locked until the new one is") {
  static const Folder folder;
  static const base::FakeClock clock;
  static bool free = true;
  folder.write("log/old.txt", "old");
  // The line that tells of the new name comes between the two.
  base::set_log_interlude(
      [] {
        try {
          broch::log_folder::FolderLock(folder / ("log." + base::file_stamp(clock.wall())));
        } catch (const base::Error&) {
          free = false;
        }
      },
      nullptr);
  { const LogDir dir(folder / "log", "backup", false, clock); }
  base::set_log_interlude(nullptr, nullptr);
  CHECK_FALSE(free);
}

TEST_CASE("log_dir: a start that loses the race for the folder leaves the winner's as it is") {
  static const Folder folder;
  static std::optional<broch::log_folder::FolderLock> winner;
  const base::FakeClock clock;
  folder.write("log/old.txt", "old");
  // The line that tells of the new name comes after the old folder was renamed.
  base::set_log_interlude(
      [] {
        if (winner) return;
        folder.write("log/new.txt", "new");
        winner.emplace(folder / "log");
      },
      nullptr);
  CHECK_THROWS_WITH_AS(LogDir(folder / "log", "backup", false, clock),
                       doctest::Contains("in use by another run"), base::Error);
  base::set_log_interlude(nullptr, nullptr);
  CHECK(folder.read("log/new.txt") == "new");
  CHECK(folder.read("log." + base::file_stamp(clock.wall()) + "/old.txt") == "old");
  winner.reset();
}

TEST_CASE("log_dir: resuming keeps everything and needs the folder") {
  const Folder folder;
  folder.write("log/log.log", "earlier\n");
  {
    const LogDir dir(folder / "log/", "backup", true);
    base::info("now");
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  CHECK(folder.read("log/log.log").find("earlier\n") == 0);
  CHECK(folder.read("log/log.log").find("now") != std::string::npos);
  CHECK_THROWS_WITH_AS(LogDir(folder / "other", "backup", true),
                       doctest::Contains("no such folder to resume from"), base::Error);
}

TEST_CASE("log_dir: a folder that cannot be made names the cause") {
  const Folder folder;
  folder.write("file", "");
  CHECK_THROWS_WITH_AS(LogDir(folder / "file/log", "backup", false),
                       doctest::Contains("Not a directory"), base::Error);
}
