// safetensors.cpp: checkpoints, other safetensors files, and sets of files with an index.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "joined.hpp"
#include "readers.hpp"
#include "store/checkpoint.hpp"

namespace broch::weights {
namespace {

namespace fs = std::filesystem;
using base::Exit;
using Json = nlohmann::json;

constexpr uint64_t kMostIndex = uint64_t{1} << 27;
constexpr size_t kMostFiles = 10'000;

class CheckpointWeights final : public Weights {
 public:
  explicit CheckpointWeights(store::Checkpoint checkpoint)
      : Weights("a checkpoint of Broch"), checkpoint_(std::move(checkpoint)) {
    for (const store::SavedVariable& one : checkpoint_.contents.variables)
      tensors_.push_back({one.value.name, one.value.dtype, one.value.shape, one.collections});
  }

 private:
  std::span<const std::byte> load(size_t index, std::vector<std::byte>&) const override {
    return checkpoint_.contents.variables[index].value.bytes;
  }
  const store::Checkpoint checkpoint_;
};

class SafetensorsWeights final : public Weights {
 public:
  explicit SafetensorsWeights(store::SafetensorsFile file)
      : Weights("a safetensors file"), file_(std::move(file)) {
    for (const store::TensorView& one : file_.tensors())
      tensors_.push_back({one.name, one.dtype, one.shape});
    others_ = file_.others();
  }

 private:
  std::span<const std::byte> load(size_t index, std::vector<std::byte>&) const override {
    return file_.tensors()[index].bytes;
  }
  const store::SafetensorsFile file_;
};

[[noreturn]] void refuse_index(const fs::path& path, const std::string& found,
                               const std::string& expected) {
  base::fail(Exit::checkpoint, path.string(), found, expected,
             "get the file again from where the weights are from");
}

Json weight_map(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kMostIndex || error)
    refuse_index(path, "more than " + std::to_string(kMostIndex) + " bytes", "fewer");
  std::ifstream stream(path, std::ios::binary);
  Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
    refuse_index(path, "no weight_map", "a JSON object with the file of each tensor");
  return std::move(json["weight_map"]);  // copying recurses as deep as the text is
}

// The name in a member of the weight_map.
std::string file_named(const fs::path& path, const std::string& tensor, const Json& value) {
  if (!value.is_string())
    refuse_index(path, base::quoted(tensor) + " without a file", "the name of one");
  auto file = value.get<std::string>();
  // A name leads out of the folder, or to another index, only by mistake or by intent.
  if (file.empty() || file.find('/') != file.npos || file.ends_with(".json") ||
      file.starts_with("."))
    refuse_index(path, "the file name " + base::quoted(file), "a plain one, in the same folder");
  return file;
}

// A folder is refused, since it may be that of the index.
std::shared_ptr<const Weights> open_part(const fs::path& index, const std::string& file) {
  const fs::path path = index.parent_path() / file;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    refuse_index(index, base::quoted(file) + ", which is no regular file", "a file of tensors");
  return open(path);
}

}  // namespace

std::unique_ptr<Weights> read_safetensors(const fs::path& path) {
  if (store::SafetensorsFile::read_metadata(path).contains(kCheckpoint))
    return std::make_unique<CheckpointWeights>(store::read_checkpoint(path));
  return std::make_unique<SafetensorsWeights>(store::SafetensorsFile::read(path));
}

std::set<std::string> files_of_index(const fs::path& path) {
  std::set<std::string> files;
  const Json map = weight_map(path);
  for (const auto& [name, value] : map.items()) files.insert(file_named(path, name, value));
  return files;
}

std::unique_ptr<Weights> read_index(const fs::path& path) {
  struct Part {
    std::shared_ptr<const Weights> weights;
    std::map<std::string, size_t> index;
    std::set<std::string> others;
  };
  std::map<std::string, Part> parts;
  auto whole = std::make_unique<Joined>("a set of files with an index");
  const Json map = weight_map(path);
  for (const auto& [name, value] : map.items()) {
    const std::string file = file_named(path, name, value);
    Part& part = parts[file];
    if (parts.size() > kMostFiles)
      refuse_index(path, "more than " + std::to_string(kMostFiles) + " files", "fewer");
    if (!part.weights) {
      part.weights = open_part(path, file);
      for (size_t i = 0; i < part.weights->tensors().size(); ++i)
        part.index.emplace(part.weights->tensors()[i].name, i);
      part.others = {part.weights->others().begin(), part.weights->others().end()};
    }
    const auto found = part.index.find(name);
    if (found == part.index.end() && part.others.contains(name)) {
      whole->leave_out(name);
      continue;
    }
    if (found == part.index.end())
      refuse_index(path, "no tensor " + base::quoted(name) + " in " + file,
                   "one, as the index says");
    whole->add(part.weights, found->second);
  }
  return whole;
}

}  // namespace broch::weights
