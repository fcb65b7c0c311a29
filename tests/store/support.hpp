// support.hpp: a folder that goes away, whole files, small checkpoints.
#pragma once
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "folder.hpp"
#include "matches.hpp"
#include "store/checkpoint.hpp"

namespace broch::store {

using support::matches;
using test::Folder;
using test::read_file;
using test::write_file;

inline std::vector<std::string> list(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

template <class Values>
std::span<const std::byte> bytes_of(const Values& values) {
  return std::as_bytes(std::span(values));
}

// Message of the error that `act` throws with this exit code; fails the test otherwise.
inline std::string refusal(base::Exit exit, const std::function<void()>& act) {
  try {
    act();
  } catch (const base::Error& error) {
    CHECK(error.exit() == exit);
    return error.what();
  }
  FAIL("no error");
  return "";
}

// A checkpoint with a little of everything. Owns what the contents borrow.
struct Sample {
  std::vector<float> weights;
  std::vector<double> rate{0.1};
  std::vector<int64_t> step;
  std::string state = "state bytes";
  std::string cursor = "position 17";
  CheckpointContents contents;

  explicit Sample(int64_t global_step = 100, size_t count = 6) : weights(count), step{global_step} {
    for (size_t i = 0; i < count; ++i)
      weights[i] = static_cast<float>(global_step) + 0.5f * static_cast<float>(i);
    contents.variables = {
        {{"conv/W", Dtype::f32, {2, static_cast<int64_t>(count / 2)}, bytes_of(weights)},
         {"GLOBAL", "TRAINABLE", "MODEL"}},
        {{"learning_rate", Dtype::f64, {}, bytes_of(rate)}, {"GLOBAL"}},
        {{"cost/EMA", Dtype::i64, {1}, bytes_of(step)}, {"LOCAL"}},
    };
    contents.states = {{"saver", "broch.callback.min-saver", 3, bytes_of(state)}};
    contents.cursors = {{"dataflow", bytes_of(cursor)}};
    contents.counters = {{"global_step", global_step}, {"epoch_num", 2}, {"local_step", -1}};
    contents.metadata = {{"libtorch", "2.11.0"}, {"level", "bitwise"}};
  }
};

// The values that differ between samples, read back; none when the contents are not a sample's.
inline std::optional<int64_t> sample_step(const Checkpoint& checkpoint) {
  const CheckpointContents& contents = checkpoint.contents;
  const auto counter = contents.counters.find("global_step");
  if (counter == contents.counters.end()) return std::nullopt;
  const TensorView* const weights = checkpoint.file.find("conv/W");
  if (!weights) return std::nullopt;
  const Sample expected(counter->second, weights->bytes.size() / sizeof(float));
  const auto same = std::ranges::equal(weights->bytes, bytes_of(expected.weights));
  return same ? std::optional(counter->second) : std::nullopt;
}

}  // namespace broch::store
