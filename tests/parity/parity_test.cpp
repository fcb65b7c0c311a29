// parity_test.cpp: 1,000 steps through the program leave the weights of a plain LibTorch loop, bit
// for bit.
#include <doctest/doctest.h>
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <random>

#include "door/door.hpp"
#include "parity/plain.hpp"
#include "store/checkpoint.hpp"

using namespace broch;
using namespace broch::parity;

namespace {

constexpr int kSteps = 1000, kRows = 200;

template <class Element>
void write_npy(const std::filesystem::path& path, const std::string& dtype,
               const std::string& shape, const std::vector<Element>& elements) {
  std::string header =
      "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 10) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << char(header.size() & 255) << char(header.size() >> 8)
       << header;
  file.write(reinterpret_cast<const char*>(elements.data()),
             static_cast<std::streamsize>(elements.size() * sizeof(Element)));
}

// Blobs of ten kinds with noise, so that there is something to learn.
Rows make_rows() {
  Rows rows;
  std::mt19937 random(5);
  for (int row = 0; row < kRows; ++row) {
    const int label = static_cast<int>(random() % kClasses);
    rows.labels.push_back(label);
    for (int pixel = 0; pixel < kSide * kSide; ++pixel)
      rows.images.push_back(static_cast<float>(random() % 1000) / 1000 +
                            static_cast<float>(pixel % kClasses == label));
  }
  return rows;
}

struct Case {
  const char* name;
  Rule rule;
  double rate;
  door::Json optimizer;
};

door::Json manifest(const door::Folder& folder, const std::string& language, const Case& one) {
  using door::Json;
  const Json rows{
      {"components", Json::array({{{"file", (folder.path() / "images.npy").string()}},
                                  {{"file", (folder.path() / "labels.npy").string()}}})}};
  const Json saver{{"use", "model-saver"},
                   {"when", {{"before_train", true}, {"every_k_epochs", 1}}},
                   {"with", {{"max_to_keep", 0}}}};
  return {{"broch", 1},
          {"seed", 7},
          {"plugins", {PLUGIN_DIR "/parity_" + language + ".so"}},
          {"model", {{"use", "parity." + language}}},
          {"optimizer", one.optimizer},
          {"dataflow",
           {{"use", "batch"},
            {"with", {{"batch_size", kBatch}, {"dataflow", {{"use", "arrays"}, {"with", rows}}}}}}},
          {"callbacks", Json::array({saver})},
          {"monitors", Json::array()},
          {"runtime", {{"threads", 1}}},
          {"steps_per_epoch", 20},
          {"max_epoch", kSteps / 20}};
}

Weights weights(const door::Training& training, int64_t step) {
  const store::Checkpoint checkpoint = store::read_checkpoint(
      store::checkpoint_file(training.log_dir(), store::checkpoint_name(step)));
  Weights found;
  for (const store::SavedVariable& variable : checkpoint.contents.variables) {
    if (std::ranges::find(variable.collections, "TRAINABLE") == variable.collections.end())
      continue;
    std::vector<float>& values = found[variable.value.name];
    values.resize(variable.value.bytes.size() / sizeof(float));
    std::memcpy(values.data(), variable.value.bytes.data(), variable.value.bytes.size());
  }
  return found;
}

std::string hash(const Weights& weights) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const auto& [name, values] : weights)
    XXH3_128bits_update(state, values.data(), values.size() * sizeof(float));
  const XXH128_hash_t digest = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(digest.high64),
                static_cast<unsigned long long>(digest.low64));
  return text;
}

void check_case(const Case& one) {
  CAPTURE(one.name);
  const Rows rows = make_rows();
  const door::Folder folder;
  write_npy(folder.path() / "images.npy", "<f4", std::to_string(kRows) + ", 1, 12, 12",
            rows.images);
  write_npy(folder.path() / "labels.npy", "<i8", std::to_string(kRows) + ",", rows.labels);
  std::map<int, Weights> plain;
  for (const std::string language : {"c", "cpp"}) {
    CAPTURE(language);
    const door::Training training(folder, language, manifest(folder, language, one));
    const int exit_code = training.run();
    INFO(training.talk());
    REQUIRE(exit_code == 0);
    if (plain.empty()) {
      const Weights first = weights(training, 0);
      REQUIRE(first.size() == 8);
      for (const int steps : {0, 20, kSteps})
        plain[steps] = train(first, rows, one.rule, one.rate, steps);
    }
    for (const auto& [step, expected] : plain) {
      const Weights ours = weights(training, step);
      std::cout << one.name << " step " << step << ": " << language << " " << hash(ours)
                << ", plain LibTorch " << hash(expected) << "\n";
      CHECK(ours == expected);
      CHECK(hash(ours) == hash(expected));
    }
  }
  CHECK(hash(plain[0]) != hash(plain[20]));
}

}  // namespace

TEST_CASE("program: 1,000 steps of gradient descent are those of a plain loop, bit for bit") {
  check_case({"sgd", Rule::sgd, 0.05, {{"use", "sgd"}, {"with", {{"learning_rate", 0.05}}}}});
}
TEST_CASE("program: 1,000 steps of momentum are those of a plain loop, bit for bit") {
  check_case({"momentum",
              Rule::momentum,
              0.01,
              {{"use", "momentum"}, {"with", {{"learning_rate", 0.01}, {"momentum", 0.9}}}}});
}
TEST_CASE("program: 1,000 steps of Adam are those of a plain loop, bit for bit") {
  check_case({"adam", Rule::adam, 1e-3, {{"use", "adam"}, {"with", {{"learning_rate", 1e-3}}}}});
}
