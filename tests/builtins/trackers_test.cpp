// trackers_test.cpp: host-memory-tracker, machine-tracker, device-memory-tracker.
#include "slope.hpp"

using namespace broch::test;

TEST_CASE("host-memory-tracker: numbers between nothing and all memory") {
  Project project;
  CHECK(train(project, {"callbacks=[\"host-memory-tracker\"]",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.logged("GiB of memory are free before the training"));
  const double all = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  for (const char* name : {"HostFreeMemory (GB) ", "ProcessMemory (GB) "}) {
    const Lines lines = project.trace(std::string("M.scalar ") + name);
    REQUIRE(lines.size() == 1);
    CHECK(std::stod(lines[0]) > 0);
    CHECK(std::stod(lines[0]) < all);
  }
}

TEST_CASE("machine-tracker: processors and a disk, by what the system says") {
  Project project;
  CHECK(train(project, {"callbacks=[\"machine-tracker\"]", "max_epoch=2",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  const auto number = [&](const std::string& name) {
    const Lines lines = project.trace("M.scalar " + name + " ");
    REQUIRE(lines.size() == 2);
    return std::stod(lines[1]);
  };
  CHECK(number("ProcessCPU (%)") > 0);
  CHECK(number("ProcessCPU (%)") < 100.0 * double(sysconf(_SC_NPROCESSORS_ONLN)) + 50);
  const auto space = std::filesystem::space(project.log_dir());
  CHECK(number("FreeDisk (GB)") > 0);
  CHECK(number("FreeDisk (GB)") <= double(space.capacity) / (1 << 30));
  CHECK(train(project, {"callbacks=[" + use("machine-tracker", R"("disk": "nowhere")") + "]",
                        "max_epoch=2"}) == Exit::ok);
  CHECK(project.log_lines("nowhere is not known: ").size() == 1);
}

TEST_CASE("device-memory-tracker: the peak of a device, here of the processor") {
  Project project;
  const auto track = [&](const std::string& devices) {
    return train(project, {"callbacks=[" + use("device-memory-tracker", devices) + "]",
                           "monitors=[" + project.listener() + "]"});
  };
  CHECK(track(R"("devices": ["cpu"])") == Exit::ok);
  const Lines lines = project.trace("M.scalar PeakMemory(MB)/cpu ");
  REQUIRE(lines.size() == 1);
  CHECK(std::stod(lines[0]) > 1);
  CHECK(track(R"("devices": ["gpu"])") != Exit::ok);
  CHECK(project.failure.find("found 'gpu', expected cpu, or cuda:0, cuda:1 …") !=
        std::string::npos);
}
