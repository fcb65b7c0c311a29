// predicting.hpp: runs broch predict, and computes a small network by hand.
#pragma once
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli_harness/cli_harness.hpp"
#include "folder.hpp"

namespace broch::test {

using cli_harness::Json;
using cli_harness::Training;
using cli_harness::Values;

// The arguments are words of a shell. Exit code; what it says is in folder/talk.
inline int run_broch(const Folder& folder, const std::string& words) {
  const std::string command = "cd " + folder.path().string() + " && " + BROCH_PROGRAM + " " +
                              words + " > " + folder / "talk" + " 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// One layer, of 4 numbers, with 3 outputs.
inline Json small_model() {
  const Json layers = {{{"layer", "fully_connected"}, {"units", 3}, {"name", "last"}}};
  return {{"use", "sequential"},
          {"with",
           {{"inputs",
             {{{"name", "x"}, {"shape", {-1, 4}}},
              {{"name", "label"}, {"dtype", "int64"}, {"shape", {-1}}}}},
            {"layers", layers},
            {"loss", "cross_entropy"}}}};
}

inline Json small_manifest(const Json& dataflow) {
  return {{"broch", 1},
          {"seed", 7},
          {"model", small_model()},
          {"dataflow", dataflow},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"callbacks", {"model-saver"}},
          {"steps_per_epoch", 2},
          {"max_epoch", 1}};
}

inline Json fake_data() {
  const Json components = {{{"name", "x"}, {"shape", {16, 4}}},
                           {{"name", "label"}, {"shape", {16}}, {"dtype", "int64"}, {"high", 3}}};
  return {{"use", "fake"}, {"with", {{"components", components}}}};
}

// Number i of the data that the tests predict on.
inline double datum(size_t i) { return double(i % 13) / 8 - 0.75; }

// The outputs for these rows.
inline std::vector<double> by_hand(size_t rows, const Values& v) {
  std::vector<double> y;
  for (size_t row = 0; row < rows; ++row)
    for (size_t unit = 0; unit < 3; ++unit) {
      double sum = v.at("last/b")[unit];
      for (size_t k = 0; k < 4; ++k) sum += datum(row * 4 + k) * v.at("last/W")[unit * 4 + k];
      y.push_back(sum);
    }
  return y;
}

// "a,b,c,d" and the rows.
inline std::string csv_rows(size_t rows) {
  std::string text = "a,b,c,d\n";
  for (size_t i = 0; i < rows * 4; ++i)
    text += std::to_string(datum(i)) + (i % 4 == 3 ? "\n" : ",");
  return text;
}

// A WAV file of 400 samples, 16 bits each.
inline std::string sound(int number) {
  constexpr int kSamples = 400, kRate = 16000;
  std::string bytes;
  const auto add = [&](uint32_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += char(value >> (8 * i));
  };
  bytes += "RIFF";
  add(36 + 2 * kSamples, 4);
  bytes += "WAVEfmt ";
  add(16, 4);
  for (const uint32_t one : {1U, 1U}) add(one, 2);  // integers, one channel
  for (const uint32_t one : {uint32_t(kRate), uint32_t(2 * kRate)}) add(one, 4);
  for (const uint32_t one : {2U, 16U}) add(one, 2);  // bytes and bits of a sample
  bytes += "data";
  add(2 * kSamples, 4);
  for (int i = 0; i < kSamples; ++i)
    add(uint32_t(int32_t(9000 * std::sin(i * (number + 1) * 0.1))), 2);
  return bytes;
}

// The sounds below a folder as x of shape (1, 4, 11), and labels.
inline Json sound_flow(const std::string& folder) {
  Json flow = Json::parse(R"({"use": "map", "with": {
    "transforms": [{"use": "wav", "with": {"sample_rate": 16000, "samples": 400}},
                   {"use": "log-mel", "with": {"n_fft": 64, "hop": 32, "mels": 4,
                                               "padding": "none"}}],
    "dataflow": {"use": "image-folder", "with": {
      "extensions": [".wav"], "names": ["x", "label"], "use_index": false}}}})");
  flow["with"]["dataflow"]["with"]["folder"] = folder;
  return flow;
}

inline Json sound_manifest(const Json& dataflow) {
  Json manifest = small_manifest(dataflow);
  manifest["model"]["with"]["inputs"][0] = {{"name", "x"}, {"shape", {-1, 1, 4, 11}}};
  manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                         {{"layer", "fully_connected"}, {"units", 2}}};
  return manifest;
}

}  // namespace broch::test
