// atomic_file_test.cpp: old or new, never half, whatever the file system does.
#include "store/atomic_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "io_faults.hpp"
#include "support.hpp"

using namespace broch::store;
using broch::base::Error;
using broch::base::Exit;

namespace {

using Names = std::vector<std::string>;

// Exit status of `act` in a child process.
int in_child(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("atomic file: after commit the new bytes are there and nothing else") {
  const Folder folder;
  write_atomically(folder / "a", "one");
  write_atomically(folder / "a", "two");
  write_atomically(folder / "empty", "");
  CHECK(read_file(folder / "a") == "two");
  CHECK(list(folder.path()) == Names{"a", "empty"});
}

TEST_CASE("atomic file: without commit the old file stays and the temporary one goes") {
  const Folder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new", 3);
    CHECK(list(folder.path()).size() == 2);
  }
  CHECK(read_file(folder / "a") == "old");
  CHECK(list(folder.path()) == Names{"a"});
}

TEST_CASE("atomic file: a device, a pipe and a folder are not replaced") {
  const Folder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("/dev/full", folder / "device");
  for (const char* name : {"pipe", "folder", "device"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH_AS(write_atomically(folder / name, "new"),
                         doctest::Contains("a regular file or a new name"), Error);
  }
  CHECK(std::filesystem::is_fifo(folder / "pipe"));
  CHECK(std::filesystem::is_symlink(folder / "device"));
  CHECK(list(folder.path()) == Names{"device", "folder", "pipe"});
}

TEST_CASE("atomic file: through a link the file it leads to is replaced") {
  const Folder folder;
  std::filesystem::create_directory(folder / "there");
  write_file(folder / "there/a", "old");
  std::filesystem::create_symlink("there/a", folder / "link");
  write_atomically(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_file(folder / "there/a") == "new");
}

TEST_CASE("atomic file: a copy has the same bytes") {
  const Folder folder;
  const std::string bytes(3'000'000, 'x');
  write_file(folder / "a", bytes);
  copy_atomically(folder / "a", folder / "b");
  CHECK(read_file(folder / "b") == bytes);
  CHECK(matches(refusal(Exit::data, [&] { copy_atomically(folder / "none", folder / "b"); }),
                "/none: cannot be opened: No such file"));
}

TEST_CASE("atomic file: clean-up takes what the dead left and leaves what the living write") {
  const Folder folder;
  write_file(folder / ".broch-tmp-7-0", "left");
  write_file(folder / "other.tmp", "not ours");
  AtomicFile living(folder / "a");
  CHECK(remove_leftovers(folder.path()) == 1);
  living.write("x", 1);
  living.commit();
  CHECK(list(folder.path()) == Names{"a", "other.tmp"});
}

TEST_CASE("atomic file: clean-up leaves what the living write on NFS, too") {
  const Folder folder;
  write_file(folder / ".broch-tmp-7-0", "left");
  lock_as_nfs(true);
  AtomicFile living(folder / "a");
  CHECK(remove_leftovers(folder.path()) == 1);
  lock_as_nfs(false);
  living.commit();
  CHECK(list(folder.path()) == Names{"a"});
}

TEST_CASE("atomic file: a left-over with the next temporary name is no obstacle") {
  const Folder folder;
  for (int i = 0; i < 50; ++i)
    write_file(folder / (".broch-tmp-" + std::to_string(getpid()) + "-" + std::to_string(i)), "");
  write_atomically(folder / "a", "new");
  CHECK(read_file(folder / "a") == "new");
}

TEST_CASE("atomic file: each folder that is made has a durable name") {
  const Folder folder;
  arm_io(IoFault::fail, 1000, EIO);
  CHECK(create_folders(folder / "a/b").string() == folder / "a");
  CHECK(disarm_io() == 6);  // open, fsync and close of the folder of each
  arm_io(IoFault::fail, 1000, EIO);
  CHECK(create_folders(folder / "a/b").empty());
  CHECK(disarm_io() == 0);
  write_file(folder / "file", "");
  CHECK_THROWS_AS(create_folders(folder / "file/c"), std::filesystem::filesystem_error);
}

TEST_CASE("atomic file: a file system without fsync for folders is no failure") {
  const Folder folder;
  arm_io(IoFault::fail, 1000, EINVAL);
  write_atomically(folder / "a", "old");
  const int calls = disarm_io();
  arm_io(IoFault::fail, calls - 1, EINVAL);  // the folder's fsync, before it is closed
  std::string failure;
  try {
    write_atomically(folder / "a", "new");
  } catch (const Error& error) {
    failure = error.what();
  }
  CHECK(disarm_io() == calls);
  CHECK(failure == "");
  CHECK(read_file(folder / "a") == "new");
}

TEST_CASE("atomic file: a missing or forbidden folder is an error naming file and cause") {
  const Folder folder;
  CHECK(matches(refusal(Exit::data, [&] { write_atomically(folder / "none/a", "x"); }),
                "none/a: cannot be written: No such file or directory\n  hint: check the path"));
  CHECK(
      matches(refusal(Exit::data, [&] { write_atomically("/proc/broch", "x"); }), "/proc/broch: "));
}

TEST_CASE("atomic file: writes that stop half-way are continued") {
  const Folder folder;
  arm_io(IoFault::short_write);
  write_atomically(folder / "a", std::string(1000, 'x'));
  CHECK(disarm_io() > 10);
  CHECK(read_file(folder / "a") == std::string(1000, 'x'));
}

TEST_CASE("atomic file: at every call that fails, old or new is there and the error says why") {
  for (const int error : {ENOSPC, EDQUOT, EIO}) {
    for (const IoFault fault : {IoFault::fail, IoFault::fail_sticky}) {
      for (int nth = 1;; ++nth) {
        const Folder folder;
        write_file(folder / "a", "old");
        arm_io(fault, nth, error);
        std::string message;
        try {
          write_atomically(folder / "a", "new");
        } catch (const Error& failure) {
          message = failure.what();
          CHECK(failure.exit() == Exit::data);
        }
        const int calls = disarm_io();
        const std::string found = read_file(folder / "a");
        CHECK((found == "new" || (found == "old" && !message.empty())));
        if (!message.empty()) {
          CHECK_MESSAGE(matches(message, "/a: cannot be .*: " + std::string(std::strerror(error))),
                        message);
        }
        CHECK(list(folder.path()) == Names{"a"});
        if (calls < nth) {
          CHECK(found == "new");
          CHECK(nth > 7);
          break;
        }
      }
    }
  }
}

TEST_CASE("atomic file: interrupted calls are repeated") {
  const Folder folder;
  for (const int nth : {1, 2}) {  // open, write
    arm_io(IoFault::fail, nth, EINTR);
    write_atomically(folder / "a", "new");
    disarm_io();
  }
  CHECK(read_file(folder / "a") == "new");
}

TEST_CASE("atomic file: killed before or after any call, old or new is there, clean-up does rest") {
  for (const IoFault fault : {IoFault::kill_before, IoFault::kill_after}) {
    int killed = 0;
    for (int nth = 1;; ++nth) {
      const Folder folder;
      write_file(folder / "a", "old");
      const int status = in_child([&] {
        arm_io(fault, nth);
        write_atomically(folder / "a", "new");
      });
      const std::string found = read_file(folder / "a");
      CHECK((found == "old" || found == "new"));
      remove_leftovers(folder.path());
      CHECK(list(folder.path()) == Names{"a"});
      if (status == 0) break;
      REQUIRE(status == -SIGKILL);
      ++killed;
    }
    CHECK(killed >= 7);  // open, write, fsync, pread, rename, close, folder's open, fsync, close
  }
}

TEST_CASE("atomic file: what the device changed behind our back is found before the rename") {
  const Folder folder;
  write_file(folder / "a", "old");
  AtomicFile file(folder / "a");
  file.write("new", 3);
  for (const std::string& name : list(folder.path()))
    if (name != "a") write_file(folder / name, "nex");
  const std::string text = refusal(Exit::data, [&] { file.commit(); });
  CHECK_MESSAGE(matches(text, "/a: what was read back differs"), text);
  CHECK(read_file(folder / "a") == "old");
  CHECK(list(folder.path()) == Names{"a"});
}

TEST_CASE("atomic file: a full file system keeps the old file and says so") {
  const Folder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("skipped: a small tmpfs can be mounted by root only");
    return;
  }
  write_atomically(folder / "a", "old");
  const std::string text =
      refusal(Exit::data, [&] { write_atomically(folder / "a", std::string(1 << 20, 'x')); });
  CHECK_MESSAGE(matches(text, "/a: cannot be written: No space left on device\n  hint: free space"),
                text);
  CHECK(read_file(folder / "a") == "old");
  CHECK(list(folder.path()) == Names{"a"});
  umount(folder.path().c_str());
}

TEST_CASE("atomic file: a limit on file size keeps the old file and says so") {
  const Folder folder;
  write_file(folder / "a", "old");
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_atomically(folder / "a", std::string(2000, 'x'));
    } catch (const Error& failure) {
      _exit(matches(failure.what(), "/a: cannot be written: File too large\n.*ulimit") ? 17 : 18);
    }
  });
  CHECK(status == 17);
  CHECK(read_file(folder / "a") == "old");
  CHECK(list(folder.path()) == Names{"a"});
}
