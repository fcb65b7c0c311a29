// device_test.cpp: broch.device/1 on the CPU, and where there is no other device.
#include "broch/status.h"
#include "project.hpp"

using namespace broch::test;

namespace {

int64_t number(const Project& project, const std::string& name) {
  const Lines lines = project.trace(name + " ");
  REQUIRE(lines.size() == 1);
  return std::stoll(lines[0]);
}

}  // namespace

TEST_CASE("device: what the CPU has and holds, and which devices are missing") {
  Project project;
  const std::string machine =
      R"({"use": "test.machine", "with": {)" + project.trace_option() + "}}";
  CHECK(project.train({"plugins=[\"" RECORDER "\", \"" MODELS "\", \"" SERVANT "\"]",
                       "callbacks=[" + machine + "]"}) == Exit::training);
  CHECK(project.failure.find("broch.device/1 info: no device of type 77 and index 0: the null "
                             "runtime has the CPU alone") != std::string::npos);
  CHECK(number(project, "count") == 1);
  CHECK(number(project, "types") == 0);
  CHECK(number(project, "cuda:99") == BROCH_E_NOT_FOUND);
  CHECK(project.trace("name ").at(0) != "");
  const int64_t total = number(project, "total"), used = number(project, "used");
  CHECK(number(project, "grown") > 100 << 20);
  CHECK(used > 1 << 20);
  CHECK(used < total);
  CHECK(number(project, "free") < total);
  // Where /proc/self/clear_refs may be written, the 128 MiB are forgotten.
  CHECK(number(project, "peak") >= used);
  if (std::ofstream("/proc/self/clear_refs") << "5" << std::flush)
    CHECK(number(project, "peak") < used + (64 << 20));
}
