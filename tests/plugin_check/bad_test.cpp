// bad_test.cpp: each plugin that does one thing wrong fails the test that is for it.
#include <doctest/doctest.h>

#include <filesystem>

#include "program.hpp"

using namespace broch::plugin_check_test;

namespace {

struct Bad {
  const char* library;
  const char* test;
  const char* words;  // that the message has
};

constexpr Bad kBad[] = {
    {"no-json", "readable", "JSON"},
    {"wrong_magic", "readable", "magic"},
    {"other_minor", "readable", "interface"},
    {"newer_host", "readable", "needs a host"},
    {"second-symbol", "exports", "second_symbol"},
    {"unique-symbol", "unique-symbols", "STB_GNU_UNIQUE"},
    {"odd-library", "needed-libraries", "libodd.so.1"},
    {"newer-library", "symbol-versions", "GLIBC_2.999"},
    {"undefined-symbol", "load", "function_that_nobody_has"},
    {"crash-in-constructor", "load", "SIGSEGV while loading"},
    {"hang-in-constructor", "load", "did not end within"},
    {"abort-at-exit", "load", "SIGABRT after the test"},
    {"thread-in-constructor", "quiet-load", "number of threads"},
    {"variable-in-constructor", "quiet-load", "variable BAD_PLUGIN"},
    {"handler-in-constructor", "quiet-load", "handler of SIGUSR1"},
    {"file-in-constructor", "quiet-load", "open files"},
    {"fast-math-in-constructor", "quiet-load", "floating-point control"},
    {"fast-math-in-constructor", "drive", "floating-point control"},
    {"no-delete", "unload", "still in memory"},
    {"other-id", "metadata", "org.example.another"},
    {"no-create", "metadata", "create is NULL"},
    {"lying_role", "metadata", "role"},
    {"lying_count", "metadata", "components in the code"},
    {"short_vtable", "metadata", "vtable has 8 bytes"},
    {"wrong-default", "options-schema", "default"},
    {"unknown-role", "known-names", "oracle"},
    {"unknown-extension", "known-names", "broch.telepathy/1"},
    {"unknown-option", "known-names", "'cout', which is not in its schema, did you mean 'count'?"},
    {"unknown-in-produces", "known-names", "produces names the option 'cout', which is not"},
    {"unknown-in-consumes", "known-names",
     "'nam', which is not in its schema, did you mean 'name'"},
    {"unknown-in-prefix", "known-names", "metric_prefix names the option 'coutn', which is not"},
    {"crash-in-create", "create", "during create"},
    {"garbage-from-create", "create", "returned 77"},
    {"silent-create", "create", "without a reason"},
    {"throw-in-create", "create", "thrown in create"},
    {"chdir-in-create", "create", "working directory"},
    {"hang-in-create", "create", "did not end within"},
    {"answers-everything", "interfaces", "which is no interface of it"},
    {"compares-beginnings", "interfaces", "broch.callback/1x"},
    {"unlisted-role", "interfaces", "broch.monitor/1"},
    {"answers-nothing", "interfaces", "broch.callback/1"},
    {"no-next", "interfaces", "next"},
    {"crash-for-options", "made-options", "during create"},
    {"silent-for-options", "made-options", "without a reason"},
    {"crash-for-change", "changed-options", "during changed"},
    {"silent-for-change", "changed-options", "without a reason"},
    {"leak", "create-destroy", "bytes more memory"},
    {"leak-files", "create-destroy", "more open files"},
    {"leak-threads", "left-threads", "more threads"},
    {"crash-in-trigger-step", "drive", "SIGSEGV in callback"},
    {"division-by-zero", "drive", "SIGFPE in callback"},
    {"exit-in-trigger-step", "drive", "exit was called in callback"},
    {"hang-in-before-epoch", "drive", "did not end within"},
    {"garbage-from-trigger", "statuses", "returned 4711"},
    {"garbage-from-trigger", "drive", "violated the interface"},
    {"outcome-from-trigger", "statuses", "returned 1"},
    {"stop-from-next", "statuses", "returned 2"},
    {"silent-after-epoch", "statuses", "without a reason"},
    {"throw-in-trigger-step", "exceptions", "escape from trigger_step"},
    {"rounding-in-trigger-step", "process-state", "floating-point control"},
    {"locale-in-before-train", "process-state", "locale"},
    {"directory-in-trigger-step", "process-state", "working directory"},
    {"call-on-thread", "callers", "a thread that the host does not know"},
    {"foreign-pointer", "callers", "no living instance"},
    {"metric-from-data", "callers", "called during next, which is [data]"},
    {"stale-point", "handles", "data point handle"},
    {"leak-handle", "leaked-handles", "did not release 1 handle"},
    {"needs-metrics", "absent-extensions", "SIGSEGV"},
    {"ignores-failure", "failing-host", "SIGSEGV"},
    {"equal-sizes", "table-sizes", "metrics of another size"},
    {"state-grows", "state", "that differ"},
    {"forgets-state", "state", "that differ"},
    {"refuses-own-state", "state", "this is no state of mine"},
    {"shared-state", "two-instances", "changed its state"},
    {"shared-index", "two-instances", "other answers"},
    {"cursor-too-early", "cursors", "as without a break"},
    {"cursor-per-tower", "cursors", "three cursors for two towers"},
    {"start-too-late", "cursors", "continued at the start of round 1"},
    {"deaf-to-cancel", "cancel", "within 2 s of cancel"},
    {"read-deaf-to-cancel", "cancel", "within 2 s of cancel"},
    {"counts-reads", "reads", "read again"},
    {"reads-onward", "reads", "as when read in order"},
    {"shared-scratch", "reads", "on 4 threads at once"},
    {"size-too-small", "size", "has 9 points, but at index 9 there is"},
    {"size-too-large", "size", "has 11 points, but at index 10 there is the end"},
    {"locates-too-early", "locate", "expected"},
    {"crash-for-cursor", "locate", "SIGSEGV in dataflow"},
    {"counts-calls", "pure", "in the next call"},
    {"asks-the-clock", "pure", "gives another result"},
    {"shared-noise", "pure", "on 4 threads at once"},
    {"writes-to-input", "input-kept", "writes to component 0"},
    {"crash-for-nothing", "odd-points", "SIGSEGV in transform"},
    {"garbage-for-many", "odd-points", "for a point of 100 components"},
    {"crash-for-no-component", "odd-points", "SIGSEGV in sink"},
    {"silent-for-integers", "writes", "without a reason"},
    {"writes-elsewhere", "writes", "no file in the folder"},
    {"writes-after-close", "writes", "after destroy"},
    {"ignores-full-disk", "targets", "a disk that is full after 10 of 20 bytes"},
    {"leaves-file-open", "abandoned", "more open files"},
    {"refuses-later", "abandoned", "the last file was not finished"},
    {"shared-file", "two-instances", "other answers"},
#if WITH_TORCH  // models, which work on LibTorch there
    {"stale-tensor", "handles", "tensor handle"},
    {"crash-in-inference", "inference", "SIGSEGV in model"},
#endif
};

std::string path_of(const std::string& library) {
  const std::string own = std::string(BAD_DIR) + "/" + library + ".so";
  if (std::filesystem::exists(own)) return own;
  return std::string(FIXTURE_DIR) + "/" + library + ".so";
}

}  // namespace

TEST_CASE("check: a plugin that does one thing wrong fails the test that is for it") {
  for (const Bad& bad : kBad) {
    CAPTURE(std::string(bad.library));
    const Report report = broch::plugin_check_test::report(
        {path_of(bad.library), "--test", bad.test, "--timeout", "4", "--creations", "100"});
    CHECK(report.exit_code == 4);
    const std::vector<Json> failed = report.tests(bad.test, "failed");
    REQUIRE_MESSAGE(failed.size() == 1, report.whole.dump(1));
    CHECK_MESSAGE(
        failed.front().at("message").get<std::string>().find(bad.words) != std::string::npos,
        failed.front().dump(1));
  }
}

TEST_CASE("check: a wrapper that takes a failure of its child for the end of the data fails") {
  const Report report =
      broch::plugin_check_test::report({WRAPPERS, "--test", "drive", "--test", "child-failure"});
  CHECK(report.exit_code == 4);
  CHECK(report.tests("drive", "passed").size() == 2);
  const std::vector<Json> failed = report.tests("child-failure", "failed");
  const std::vector<Json> passed = report.tests("child-failure", "passed");
  REQUIRE_MESSAGE(failed.size() == 1, report.whole.dump(1));
  REQUIRE(passed.size() == 1);
  CHECK(failed.front().at("component") == "valid.hides");
  CHECK(failed.front().at("message").get<std::string>().find("as at the end of the data") !=
        std::string::npos);
  CHECK(passed.front().at("component") == "valid.passes");
}

TEST_CASE("check: what builds on a test that failed is left out, and says so") {
  const Report report = broch::plugin_check_test::report({path_of("undefined-symbol")});
  CHECK(report.exit_code == 4);
  CHECK(report.tests("load", "failed").size() == 1);
  for (const char* test : {"quiet-load", "metadata", "create", "drive"}) {
    CAPTURE(test);
    REQUIRE(report.tests(test, "skipped").size() == 1);
    CHECK(report.tests(test, "skipped").front().at("message") == "load failed");
  }
}

TEST_CASE("check: other options are no remedy for one whose schema is wrong") {
  const Report report = broch::plugin_check_test::report({path_of("wrong-default")});
  CHECK(report.tests("drive", "skipped").size() == 1);
  CHECK(report.whole.at("untried").empty());
}

TEST_CASE("check: operators outside of the set are a note, not a failure" *
          doctest::skip(!WITH_TORCH)) {
  const Report report =
      broch::plugin_check_test::report({path_of("unstable-operator"), "--test", "unstable-ops"});
  CHECK(report.exit_code == 0);
  REQUIRE(report.tests("unstable-ops", "passed").size() == 1);
  const std::string message = report.tests("unstable-ops", "passed").front().at("message");
  CHECK(message.find("aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor") !=
        std::string::npos);
}

TEST_CASE("check: a seed repeats the made options") {
  // The last options before the crash; lines begin with the time.
  const auto last = [](const char* seed) {
    const Report report = broch::plugin_check_test::report(
        {path_of("crash-for-options"), "--test", "made-options", "--seed", seed});
    const std::string output = report.tests("made-options", "failed").at(0).at("output");
    const size_t at = output.rfind("number ");
    return output.substr(at, output.find('\n', at) - at);
  };
  const std::string first = last("1");
  CHECK(first.find("\"count\":-") != std::string::npos);
  CHECK(first == last("1"));
}

TEST_CASE("check: tests can be listed, and a wrong name is an error of usage") {
  const Outcome list = check({"--list", "--json"});
  CHECK(list.exit_code == 0);
  CHECK(Json::parse(list.out).at("tests").size() >= 30);
  CHECK(check({path_of("good-callback"), "--test", "no-such-test"}).exit_code == 2);
  CHECK(check({}).exit_code == 2);
}
