// pipe_test.cpp: the dataflow pipe through manifests: good programs, bad ones, resuming, ending.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "slope.hpp"

using namespace broch::test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::string listed(const Lines& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "\"" : ", \"") + word + "\"";
  return "[" + list + "]";
}

std::string pipe_of(const Lines& command, const std::string& more = "") {
  return R"({"use": "pipe", "with": {"cwd": ")" PROGRAMS_DIR R"(", "command": )" + listed(command) +
         more + "}}";
}
std::string child(const std::string& name, const std::string& more = "",
                  const std::string& argument = "") {
  Lines words{"python3", "children.py", name};
  if (!argument.empty()) words.push_back(argument);
  return pipe_of(words, more);
}
std::string python(const std::string& name, const std::string& more = "",
                   const Lines& options = {}) {
  Lines words{"python3", "-m", "broch_pipe", "children:" + name};
  words.insert(words.end(), options.begin(), options.end());
  return pipe_of(words, more);
}
std::string feed(const std::string& flow) { return "data=" + around("feed", flow); }

constexpr const char* kSaver = R"(, "model-saver")";

// Trains on a program that fails; what the failure says.
std::string failure_of(const std::string& flow, int steps = 5) {
  Project project;
  CHECK(train(project, {feed(flow), "steps_per_epoch=" + std::to_string(steps)}) == Exit::data);
  CAPTURE(project.failure);
  CHECK(project.failure.find("children.py") != std::string::npos);
  return project.failure;
}

bool is_alive(pid_t process) { return kill(process, 0) == 0; }

// Whether the process is gone within a second: init has to take an orphan that was killed.
bool is_gone(pid_t process) {
  for (int i = 0; i < 100 && is_alive(process); ++i) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    if (stat >> number >> name >> state && state == "Z") return true;
    usleep(10000);
  }
  return !is_alive(process);
}

Lines in_shared_memory(const std::string& start) {
  Lines names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (entry.path().filename().string().starts_with(start)) names.push_back(entry.path());
  return names;
}

}  // namespace

TEST_CASE("pipe: a process for each round, or one for all") {
  Project project;
  const Lines three{"0", "8", "9", "1", "8", "9", "2"};
  CHECK(means(project, feed(child("rounds")), 7) == three);
  CHECK(means(project, feed(child("rounds", R"(, "restart": "never")")), 7) == three);
}

TEST_CASE("pipe: one process for all rounds, also where a map goes back to the last point") {
  Project project;
  const std::string flow = child("laps", R"(, "restart": "never", "size": 1)");
  const Lines counted{"0", "1", "2", "3", "4"};
  CHECK(means(project, "data=" + around("queue", flow), 5) == counted);
  // Before each round, since its thread may have read ahead.
  const std::string map = around("map", flow, R"(, "transforms": [], "threads": 1)");
  CHECK(means(project, feed(map), 5) == counted);
}

TEST_CASE("pipe: its points become batches, also those in shared memory") {
  Project project;
  for (const std::string& flow : {child("scalars"), child("scalars", "", "1")})
    CHECK(means(project, feed(around("batch", flow, R"(, "batch_size": 2)")), 3) ==
          Lines{"1.5", "3.5", "1.5"});
}

TEST_CASE("pipe: the program is told round, seed, rank and world") {
  Project project;
  CHECK(means(project, feed(child("told", R"(, "seed": 5012)")), 5) ==
        Lines{"0", "0", "1", "12", "1"});
}

TEST_CASE("pipe: size is that of an epoch, and compared with what comes") {
  Project project;
  CHECK(train(project, {"dataflow=" + child("three", R"(, "size": 3)"), "steps_per_epoch=null"}) ==
        Exit::ok);
  CHECK(project.logged("Epoch 1 (global_step 3) finished"));
  CHECK(has(failure_of(child("three", R"(, "size": 4)")), "found 3 points in round 0, expected 4"));
  CHECK(has(failure_of(child("three", R"(, "size": 2)")), "found more points in round 0"));
}

TEST_CASE("pipe: a resumed run continues with the program's cursor, or passes points over") {
  for (const std::string use : {"feed", "queue"}) {
    CAPTURE(use);
    Project seeking, plain;
    const std::string own = "data=" + around(use, child("cursors"));
    CHECK(means(seeking, own, 3, 1, false, kSaver) == Lines{"1", "2", "3"});
    CHECK(means(seeking, own, 3, 2, true, kSaver) == Lines{"4", "5", "1"});
    CHECK(seeking.logged("starts at 3"));
    CHECK(!seeking.logged("passes over"));
    const std::string none = "data=" + around(use, child("rounds"));
    CHECK(means(plain, none, 5, 1, false, kSaver) == Lines{"0", "8", "9", "1", "8"});
    CHECK(means(plain, none, 5, 2, true, kSaver) == Lines{"9", "2", "8", "9", "3"});
    CHECK(plain.logged("passes over 2 data points that were used before"));
  }
}

TEST_CASE("pipe: a shorter round than before is an error on resuming") {
  Project project;
  CHECK(means(project, feed(child("rounds")), 3, 1, false, kSaver) == Lines{"0", "8", "9"});
  broch::session::RunOptions options;
  options.resume = true;
  CHECK(train(project,
              {feed(child("deaf")), "steps_per_epoch=3", "max_epoch=2",
               "callbacks=[\"model-saver\"]"},
              options) == Exit::data);
  CHECK(has(project.failure, "round 0 ended after 1 points, expected at least 3"));
}

TEST_CASE("pipe: rounds can be read again from their start") {
  Project project;
  const std::string flow = child("rounds");
  const std::string again = R"(, "again": )" + flow + R"(, "rounds": 2, )" + project.trace_option();
  CHECK(means(project,
              "data=" + around("feed", around("test.started-again", flow, again),
                               R"(, "infinite": false)"),
              9) == Lines{"1", "2"});
  CHECK(project.trace("start ") == Lines{"0:0:", "1:0:"});
}

TEST_CASE("pipe: broch_pipe serves functions and classes") {
  Project plain, seeking;
  CHECK(means(plain, feed(python("generator")), 6, 1, false, kSaver) ==
        Lines{"1", "2", "3", "4", "5", "11"});
  CHECK(plain.logged("generator of round 1"));
  CHECK(means(plain, feed(python("generator")), 6, 2, true, kSaver) ==
        Lines{"12", "13", "14", "15", "21", "22"});
  CHECK(plain.logged("passes over 1 data points"));
  CHECK(means(seeking, feed(python("Seekable")), 3, 1, false, kSaver) == Lines{"1", "2", "3"});
  CHECK(means(seeking, feed(python("Seekable")), 3, 2, true, kSaver) == Lines{"4", "5", "1"});
  CHECK(seeking.logged("seeks 3"));
  CHECK(!seeking.logged("passes over"));
}

TEST_CASE("pipe: broch_pipe is found also where env sets PYTHONPATH") {
  const Folder folder;
  folder.write("own_points.py", "def points():\n    yield [[7.0]]\n");
  const std::string own = R"(, "env": ["PYTHONPATH=)" + folder.path().string() + R"("])";
  Project project;
  CHECK(means(project, feed(pipe_of({"python3", "-m", "broch_pipe", "own_points:points"}, own)),
              1) == Lines{"7"});
}

TEST_CASE("pipe: what a Python program raises is the failure") {
  Project project;
  CHECK(train(project, {feed(python("failing")), "steps_per_epoch=3"}) == Exit::data);
  CHECK(has(project.failure, "the program reports: LookupError: no such image: 17.png"));
  CHECK(has(project.failure, "Traceback"));
  CHECK(train(project, {feed(python("ragged")), "steps_per_epoch=3"}) == Exit::data);
  CHECK(has(project.failure, "component 0: found lists of different lengths"));
}

TEST_CASE("pipe: points of 4 MiB, through the pipe and through shared memory") {
  const std::string before = "broch-" + std::to_string(getpid()) + "-";
  for (const std::string shared : {"", "1000000", "999999999"}) {
    CAPTURE(shared);
    Project project;
    CHECK(means(project, feed(child("big", "", shared)), 10) ==
          Lines{"1", "2", "3", "4", "5", "6", "7", "8", "9", "1"});
    CHECK(in_shared_memory(before) == Lines{});
  }
}

TEST_CASE("pipe: shared memory that was never told of is removed") {
  const Folder folder;
  Project project;
  CHECK(means(project, feed(child("leave_shared", "", folder / "prefix")), 1) == Lines{"1"});
  const std::string prefix = folder.read("prefix");
  REQUIRE(prefix.size() > 6);
  CHECK(in_shared_memory(prefix) == Lines{});
}

TEST_CASE("pipe: a program that is deaf, or says much, is no failure") {
  Project project;
  CHECK(means(project, feed(child("deaf")), 2) == Lines{"1", "1"});
  CHECK(means(project, feed(child("chatty")), 1) == Lines{"1"});
  CHECK(project.logged("line 2999"));
  Project quiet;
  CHECK(means(quiet, feed(child("chatty", R"(, "stderr": "keep")")), 1) == Lines{"1"});
  CHECK(!quiet.logged("line 2999"));
}

TEST_CASE("pipe: garbage names the byte, and says where to print") {
  const std::string text = failure_of(child("garbage"));
  CHECK(has(text, "byte 52 (frame 1): found 'Loading data ...\\x0aLoading"));
  CHECK(has(text, "print to standard error"));
}

TEST_CASE("pipe: a program that dies is named with its exit code or signal and its last words") {
  const std::string half = failure_of(child("half"));
  CHECK(has(half, "byte 63 (frame 1): found the end of the output after 11 of the 24 bytes"));
  CHECK(has(half, "the program has ended with exit code 3"));
  CHECK(has(half, "\n  no more memory"));
  CHECK(has(failure_of(child("half", "", "5")), "after 5 of the 16 bytes of the header of a comp"));
  CHECK(has(failure_of(child("killed")), "has ended with signal 9 (Killed)"));
  CHECK(has(failure_of(child("silent_exit")), "exit code 0, expected an end frame before"));
}

TEST_CASE("pipe: a program that stalls is an error after the timeout") {
  const std::string text = failure_of(child("stall", R"(, "timeout": 3)"));
  CHECK(has(text, "no whole data point within 3"));
  CHECK(has(text, "waiting for the disk"));
}

TEST_CASE("pipe: a program that only fills its standard error is an error after the timeout, too") {
  Project project;
  const std::string flood =
      pipe_of({"sh", "-c", "yes again >&2"}, R"(, "timeout": 1, "stderr": "keep")");
  CHECK(train(project, {feed(flood), "steps_per_epoch=1"}) == Exit::data);
  CHECK(has(project.failure, "no whole data point within 1"));
  CHECK(has(project.failure, "the last lines of its standard error"));
}

TEST_CASE("pipe: the program's own report, and output after the end") {
  CHECK(has(failure_of(child("report")), "the program reports: the camera is unplugged"));
  CHECK(has(failure_of(child("more_after_end")), "output after the end frame"));
  Project project;
  CHECK(means(project, feed(child("fails_after_end")), 4) == Lines{"1", "2", "3", "1"});
  CHECK(project.logged("after its end frame: exit code 4"));
}

TEST_CASE("pipe: a program that cannot be started") {
  Project project;
  CHECK(train(project, {feed(pipe_of({"/no/such/program"}))}) != Exit::ok);
  CHECK(has(project.failure, "cannot start '/no/such/program': No such file or directory"));
}

TEST_CASE("pipe: every number of a frame is checked") {
  const std::pair<const char*, const char*> cases[] = {
      {"version", "found version 2, expected version 1"},
      {"kind", "found a frame of kind 9"},
      {"no_components", "found 0 components, expected 1 to 1024"},
      {"many_components", "found 2147483648 components"},
      {"body", "found a frame of 4611686018427387904 bytes"},
      {"short_body", "expected at most the 4 bytes that are left"},
      {"long_body", "found 4 bytes more in the frame"},
      {"dtype", "found dtype 77"},
      {"rank", "found 200 dimensions"},
      {"shape", "found a dimension of size"},
      {"negative", "found a dimension of size -1"},
      {"bytes", "found 8 bytes of elements, expected 4"},
      {"too_big", "raise max_point_bytes"},
      {"shared_elsewhere", "found shared memory named 'someone-elses'"},
      {"shared_path", "found shared memory named '../tmp/x'"},
      {"shared_absent", "which cannot be opened"},
      {"shared_header", "found elements at byte 60, expected an offset of 64"},
      {"end_text", "found a text of 1 bytes, expected none"},
      {"long_text", "found a text of 65001 bytes"},
  };
  for (const auto& [name, words] : cases) {
    CAPTURE(name);
    CHECK(has(failure_of(child("wrong", "", name), 1), words));
  }
  CHECK(has(failure_of(child("shared_short"), 1), "with 2 bytes from byte 64 on, expected 4"));
  CHECK(
      has(failure_of(child("big", R"(, "max_point_bytes": 4194303)"), 1), "raise max_point_bytes"));
}

TEST_CASE("pipe: at the end nothing is left of a stubborn program, within 2 s") {
  for (const std::string use : {"feed", "queue"}) {
    CAPTURE(use);
    const Folder folder;
    Project project;
    CHECK(means(project, "data=" + around(use, child("stubborn", "", folder / "numbers")), 1) ==
          Lines{"1"});
    const auto end = steady_clock::now();
    pid_t process = 0, other = 0;
    std::ifstream(folder / "numbers") >> process >> other;
    REQUIRE((process > 1 && other > 1));
    CHECK(is_gone(process));
    CHECK(is_gone(other));
    CHECK(steady_clock::now() - end < milliseconds(2000));
    CHECK((waitpid(process, nullptr, WNOHANG) == -1 && errno == ECHILD));
  }
}

TEST_CASE("pipe: a signal to the host ends a wait for a program") {
  Project project;
  std::thread killer([&] {  // in the second step
    for (int i = 0; i < 2000 && project.trace("mean ").empty(); ++i) usleep(10000);
    if (!project.trace("mean ").empty()) kill(getpid(), SIGINT);
  });
  const std::string fetch = recorder("{" + project.trace_option() + R"(, "fetch": ["mean"]})");
  const Exit exit =
      train(project, {feed(child("stall")), "callbacks=[" + fetch + "]", "steps_per_epoch=3"});
  killer.join();
  CHECK(exit == Exit::saved);
  CHECK(project.trace("mean ") == Lines{"1"});
  CHECK(!project.logged("within 5 seconds"));  // as a source that hangs would be told
}
