// checkpoint_name_test.cpp: finding checkpoints by path, and steps by name.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "folder.hpp"
#include "session/checkpoints.hpp"

namespace session = broch::session;
using broch::test::Folder;

TEST_CASE("checkpoints: the step is in the name of a checkpoint and in no other") {
  CHECK(session::step_of("/log/model-2700.safetensors") == 2700);
  CHECK(session::step_of("model-0.safetensors") == 0);
  for (const char* name : {"min-error.safetensors", "model-.safetensors", "model-12x.safetensors",
                           "model--1.safetensors", "model-99999999999999999999.safetensors"})
    CHECK(session::step_of(name) == -1);
}

TEST_CASE("checkpoints: a folder, its list, a file and a file without its ending are found") {
  const Folder folder;
  folder.write("model-3.safetensors", "");
  folder.write("checkpoint",
               "model_checkpoint_path: \"model-3\"\nall_model_checkpoint_paths: \"model-3\"\n");
  const std::string file = folder / "model-3.safetensors";
  for (const char* name : {"", "checkpoint", "model-3.safetensors", "model-3"})
    CHECK(session::find_checkpoint(folder / name) == file);
}

TEST_CASE("checkpoints: the list of the working directory is found by its bare name") {
  const Folder folder;
  folder.write("model-3.safetensors", "");
  folder.write("checkpoint",
               "model_checkpoint_path: \"model-3\"\nall_model_checkpoint_paths: \"model-3\"\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::filesystem::path found = session::find_checkpoint("checkpoint");
  std::filesystem::current_path(before);
  CHECK(found == "./model-3.safetensors");
}

TEST_CASE("checkpoints: a place without one says what was looked for") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(session::find_checkpoint(folder.path()),
                       doctest::Contains("no checkpoint in this folder"), broch::base::Error);
  CHECK_THROWS_WITH_AS(session::find_checkpoint(folder / "model-9"),
                       doctest::Contains("no such file"), broch::base::Error);
}
