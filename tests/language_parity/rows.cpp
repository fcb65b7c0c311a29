// rows.cpp: NumPy files for the program, and a checkpoint read back.
#include "language_parity/rows.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include "store/checkpoint.hpp"

namespace broch::parity {
namespace {

constexpr int kRows = 200;

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

}  // namespace

Rows make_rows(int64_t elements) {
  Rows rows;
  std::mt19937 random(5);
  for (int row = 0; row < kRows; ++row) {
    const int label = static_cast<int>(random() % kClasses);
    rows.labels.push_back(label);
    for (int64_t element = 0; element < elements; ++element)
      rows.inputs.push_back(static_cast<float>(random() % 1000) / 1000 +
                            static_cast<float>(element % kClasses == label));
  }
  return rows;
}

cli_harness::Json dataflow(const cli_harness::Folder& folder, const Rows& rows,
                           const std::vector<int64_t>& row_shape) {
  using cli_harness::Json;
  const std::filesystem::path inputs = folder.path() / "inputs.npy",
                              labels = folder.path() / "labels.npy";
  std::string shape = std::to_string(rows.labels.size());
  for (const int64_t extent : row_shape) shape += ", " + std::to_string(extent);
  write_npy(inputs, "<f4", shape, rows.inputs);
  write_npy(labels, "<i8", std::to_string(rows.labels.size()) + ",", rows.labels);
  const Json arrays{
      {"components", Json::array({{{"file", inputs.string()}}, {{"file", labels.string()}}})}};
  return {{"use", "batch"},
          {"with", {{"batch_size", kBatch}, {"dataflow", {{"use", "arrays"}, {"with", arrays}}}}}};
}

Weights weights(const cli_harness::Training& training, int64_t step) {
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

}  // namespace broch::parity
