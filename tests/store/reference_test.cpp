// reference_test.cpp: our files read by other people's programs. BROCH_REFERENCE_PYTHON names a
// Python with tests/reference/requirements.txt; without it these tests skip.
#include <cstdio>

#include "base/checksum.hpp"
#include "store/checkpoint.hpp"
#include "store/event_file.hpp"
#include "store/png.hpp"
#include "support.hpp"

using namespace broch::store;

namespace {

// What the script prints, and says unless errors is elsewhere; none without a Python to run it.
std::optional<std::string> run(const std::string& script, const std::string& arguments,
                               const std::string& errors = "&1") {
  const char* const python = std::getenv("BROCH_REFERENCE_PYTHON");
  if (!python) {
    MESSAGE("skipped: BROCH_REFERENCE_PYTHON is not set");
    return std::nullopt;
  }
  const std::string command = std::string(python) + " " + BROCH_REFERENCE_DIR "/" + script + " " +
                              arguments + " 2>" + errors + "; echo exit $?";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  char block[4096];
  while (const size_t size = std::fread(block, 1, sizeof block, pipe)) text.append(block, size);
  pclose(pipe);
  return text;
}

std::string sum(std::span<const std::byte> bytes) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", broch::base::crc32c(bytes.data(), bytes.size()));
  return text;
}

}  // namespace

TEST_CASE("reference: Python's safetensors reads a checkpoint and its checksums hold") {
  const Folder folder;
  const Sample sample(2700, 400'000);  // two checksum chunks
  const auto path = write_checkpoint(folder.path(), "model-2700", sample.contents);
  const auto text = run("check_safetensors.py", path.string());
  if (!text) return;
  CHECK_MESSAGE(*text == "broch.cursor/dataflow uint8 [11] " + sum(bytes_of(sample.cursor)) + "\n" +
                             "broch.state/saver uint8 [11] " + sum(bytes_of(sample.state)) + "\n" +
                             "conv/W float32 [2, 200000] " + sum(bytes_of(sample.weights)) + "\n" +
                             "cost/EMA int64 [1] " + sum(bytes_of(sample.step)) + "\n" +
                             "learning_rate float64 [] " + sum(bytes_of(sample.rate)) +
                             "\nexit 0\n",
                *text);
}

TEST_CASE("reference: TensorBoard reads scalars, an image and a histogram, also after truncation") {
  const Folder folder;
  {
    EventFile file(folder.path());
    for (int64_t step = 1; step <= 4; ++step) {
      Event event;
      event.step = step;
      event.summary = {{"train/loss", 1.0f / static_cast<float>(1 << step)}};
      file.add(event);
    }
    const std::vector<uint8_t> pixels{10, 20, 30, 40, 50, 60};
    const std::vector<float> weights{-1, 0, 0.5f, 2};
    Event event;
    event.step = 2;
    event.summary = {{"digit", EventImage{1, 2, 3, encode_png(pixels, 1, 2, 3)}},
                     {"conv/W", histogram_of(weights, "conv/W")}};
    EventFile(folder.path()).add(event);
  }
  for (const auto& path : event_files(folder.path())) truncate_events(path, 3);
  write_file(folder / "stats.json",
             R"([{"train/loss": 0.5, "epoch_num": 1, "global_step": 1},
                 {"train/loss": 0.25, "epoch_num": 1, "global_step": 2},
                 {"train/loss": 0.125, "epoch_num": 1, "global_step": 3}])");
  // TensorBoard imports TensorFlow where there is one, and that talks.
  const auto text =
      run("check_events.py", folder.path().string() + " " + (folder / "stats.json"), "/dev/null");
  if (!text) return;
  CHECK_MESSAGE(*text ==
                    "scalar train/loss 1:0.5 2:0.25 3:0.125\n"
                    "image digit 2:RGB 2x1 (10, 20, 30)\n"
                    "histogram conv/W 2:4 -1 2\nexit 0\n",
                *text);
}
