// environment_test.cpp: a plugin that changes what belongs to the process.
#include "abi/environment.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <string>

#include "probe.hpp"

using namespace broch;
using broch::test::error_of;
using broch::test::Probe;
using broch::test::World;

namespace {

std::string here() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path);
}

}  // namespace

TEST_CASE("environment: what was changed is named with instance and hook, and put back") {
  World world;
  Probe probe;
  const auto instance = world.make(probe, "x");
  const std::string start = here();
  const std::string locale = setlocale(LC_ALL, nullptr);
  abi::Environment environment;
  const auto check = [&] {
    return error_of([&] { environment.check(*instance, "before_train"); });
  };
  CHECK(check() == "");

  REQUIRE(chdir("/") == 0);
  CHECK(check().find("1: callback 'x' (test.probe) violated the interface: changed the working "
                     "directory from " +
                     start + " to / in before_train") == 0);
  CHECK(here() == start);

  REQUIRE(setlocale(LC_ALL, "C.UTF-8"));
  CHECK(check().find("changed the locale from " + locale + " to C.UTF-8") != std::string::npos);
  CHECK(setlocale(LC_ALL, nullptr) == locale);

  const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  uselocale(own);
  CHECK(check().find("the locale of the thread") != std::string::npos);
  freelocale(own);

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  CHECK(check().find("changed the signal mask (SIGINT, SIGUSR1)") != std::string::npos);
  CHECK(check() == "");
}

TEST_CASE("environment: nobody is blamed if the working directory is renamed or deleted") {
  World world;
  Probe probe;
  const auto instance = world.make(probe, "x");
  const std::string start = here();
  const std::filesystem::path folder =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) /
      ("broch_environment_" + std::to_string(getpid()));
  const std::filesystem::path renamed = folder.string() + "_renamed";
  std::filesystem::create_directory(folder);
  REQUIRE(chdir(folder.c_str()) == 0);
  const abi::Environment environment;
  const auto check = [&] { return error_of([&] { environment.check(*instance, "trigger"); }); };
  std::filesystem::rename(folder, renamed);
  CHECK(check() == "");
  CHECK(here() == renamed.string());
  std::filesystem::remove(renamed);
  CHECK(check() == "");
  REQUIRE(chdir(start.c_str()) == 0);
}
