// weights.cpp: which format a file has.
#include "weights/weights.hpp"

#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "archive/refuse.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "pt2_layout.hpp"
#include "readers.hpp"
#include "store/checkpoint_list.hpp"
#include "store/safetensors.hpp"

namespace broch::weights {
namespace {

namespace fs = std::filesystem;
using base::Exit;

constexpr size_t kMostTensors = 1'000'000;
constexpr const char* kKnown =
    "a checkpoint, .safetensors, .npz, .pt2, or a .pt file that torch.save wrote";

// Turns archive's errors into the host's.
template <class Action>
auto guarded(Action action) {
  try {
    return action();
  } catch (const archive::FileError& error) {
    base::fail(Exit::checkpoint, error.place, error.found, error.expected, error.next);
  } catch (const broch::Error& error) {
    throw base::Error(Exit::checkpoint, error.what());
  }
}

// Opening a pipe would wait for somebody who writes into it.
void require_file(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    base::fail(Exit::checkpoint, path.string(), "no regular file", kKnown, "name the file itself");
}

std::string first_bytes(const fs::path& path) {
  require_file(path);
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(16, '\0');
  stream.read(bytes.data(), std::streamsize(bytes.size()));
  bytes.resize(size_t(stream.gcount()));
  return bytes;
}

[[noreturn]] void refuse_format(const fs::path& path, const std::string& found,
                                const std::string& hint) {
  base::fail(Exit::checkpoint, path.string(), found, kKnown, hint);
}

// The length of the header comes first, eight bytes that may look like the beginning of any other
// format; then the header, which is JSON.
bool is_safetensors(const std::string& first) { return first.size() > 8 && first[8] == '{'; }
bool is_zip(const std::string& first) { return first.starts_with("PK") && !is_safetensors(first); }

bool is_index(const fs::path& path) { return path.filename().string().ends_with(".index.json"); }

// Files that people have and that are not read.
void refuse_others(const fs::path& path, const std::string& bytes) {
  const std::string name = path.filename().string();
  if (bytes.starts_with("\x80"))
    refuse_format(path, "a pickle, but none of torch.save",
                  "in Python, load it and write it with numpy.savez(file, **arrays)");
  if (bytes.starts_with("\x93NUMPY"))
    refuse_format(path, "a single array", "in Python: numpy.savez(file, name=array)");
  if (bytes.starts_with("\x89HDF"))
    refuse_format(path, "an HDF5 file",
                  "in Python, read it with h5py and write it with numpy.savez(file, **arrays)");
  if (path.extension() == ".index" || name.find(".data-0000") != name.npos)
    refuse_format(path, "a checkpoint of TensorFlow",
                  "write it as .npz with tensorpack's scripts/dump-model-params.py");
}

void refuse_key(const std::string& place, const std::string& key) {
  if (!key.empty())
    archive::refuse(place, "a key", "one only for files of torch.save", "leave it out");
}

// .npz, .pt2, or of torch.save.
std::unique_ptr<Weights> read_zip(SourcePtr source, const std::string& key) {
  Members members(std::move(source));
  const std::string place = members.source().name();
  const auto pt2 = pt2_folder(members);
  if (!pt2)
    if (const auto folder = members.folder_of("data.pkl"))
      return read_torch(std::move(members), *folder, key);
  refuse_key(place, key);
  if (pt2) return read_pt2(members, *pt2);
  const bool has_arrays = std::ranges::any_of(
      members.all(), [](const auto& member) { return member.name.ends_with(".npy"); });
  if (has_arrays || members.all().empty()) return read_npz(std::move(members));
  archive::refuse(place, "a zip file with other members", kKnown, "name another file");
}

std::unique_ptr<Weights> read_source(SourcePtr source, const std::string& key) {
  if (is_legacy_torch(source->read(0, std::min<uint64_t>(source->size(), 16))))
    return read_legacy_torch(std::move(source), key);
  return read_zip(std::move(source), key);
}

std::unique_ptr<Weights> open_file(const fs::path& path, const std::string& key) {
  const std::string first = first_bytes(path);
  if (!is_index(path) && (is_zip(first) || is_legacy_torch(first)))
    return read_source(std::make_shared<archive::File>(path.string()), key);
  if (!is_index(path) && !is_safetensors(first)) refuse_others(path, first);
  refuse_key(path.string(), key);
  return is_index(path) ? read_index(path) : read_safetensors(path);
}

}  // namespace

// The host's errors only, and what every format promises.
std::unique_ptr<Weights> checked(std::unique_ptr<Weights> weights, const std::string& place) {
  std::unordered_set<std::string_view> names;
  if (weights->tensors_.size() > kMostTensors)
    base::fail(Exit::checkpoint, place, "more than 10^6 tensors", "at most 10^6");
  for (const Tensor& tensor : weights->tensors_) {
    const std::string& name = tensor.name;
    if (name.empty() || name.size() > kLongestName || !base::is_utf8(name))
      base::fail(Exit::checkpoint, place, "a tensor named " + base::quoted(name),
                 "a name of 1 to " + std::to_string(kLongestName) + " bytes in UTF-8",
                 "write the file again with other names");
    if (!names.insert(name).second)
      base::fail(Exit::checkpoint, place, "two tensors named " + base::quoted(name), "unique names",
                 "write the file again");
  }
  return weights;
}

uint64_t Tensor::elements() const {
  uint64_t count = 1;
  for (const int64_t extent : shape) count *= uint64_t(extent);
  return count;
}

std::span<const std::byte> Weights::read(size_t index, std::vector<std::byte>& room) const {
  return guarded([&] {
    const std::span<const std::byte> bytes = load(index, room);
    if (tensors_[index].dtype == store::Dtype::boolean && bytes.data() == room.data())
      for (std::byte& one : room) one = std::byte(one != std::byte(0));
    return bytes;
  });
}

namespace {

fs::directory_iterator files_in(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator files(folder, error);
  if (error)
    base::fail(Exit::checkpoint, folder.string(),
               "a folder that cannot be read: " + error.message(), "a folder with weights",
               "check its rights");
  return files;
}

// Says so if what Broch does not find is a checkpoint of TensorFlow, whose list has the same name.
// path: a folder, its list, or the name of a checkpoint without ".index", as TensorFlow takes it.
void refuse_tensorflow(const fs::path& path) {
  std::error_code error;
  const fs::path index = path.string() + ".index";
  if (fs::exists(index, error)) refuse_others(index, "");
  const bool is_list = path.filename() == "checkpoint" && !fs::is_directory(path, error);
  const fs::path folder = !is_list                 ? path
                          : path.has_parent_path() ? path.parent_path()
                                                   : fs::path(".");
  if (!fs::exists(folder / "checkpoint", error)) return;
  for (const fs::directory_entry& entry : files_in(folder))
    if (entry.path().filename().string().find(".data-0000") != std::string::npos)
      refuse_others(entry.path(), "");
}

fs::path find_checkpoint(const fs::path& path) {
  fs::path found;
  try {
    found = store::find_checkpoint(path);
  } catch (const base::Error&) {
    refuse_tensorflow(path);
    throw;
  }
  if (std::error_code error; !fs::exists(found, error)) refuse_tensorflow(path);
  return found;
}

// In the folder, the only file whose name ends so; "": there is none.
fs::path only_one(const fs::path& folder, const std::string& ending) {
  fs::path found;
  for (const fs::directory_entry& entry : files_in(folder)) {
    if (!entry.path().filename().string().ends_with(ending)) continue;
    if (!found.empty())
      base::fail(Exit::checkpoint, folder.string(), "several files *" + ending, "one",
                 "name one of them");
    found = entry.path();
  }
  return found;
}

}  // namespace

// In folders as the Hugging Face Hub has them, the same weights may lie several times.
fs::path find(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || fs::exists(path / "checkpoint", error))
    return find_checkpoint(path);
  if (fs::exists(path / "model.safetensors", error)) return path / "model.safetensors";
  for (const char* ending : {".safetensors.index.json", ".index.json"})
    if (const fs::path index = only_one(path, ending); !index.empty()) return index;
  if (fs::exists(path / "pytorch_model.bin", error)) return path / "pytorch_model.bin";
  return find_checkpoint(path);
}

std::vector<fs::path> files_of(const fs::path& path) {
  const fs::path file = find(path);
  std::vector<fs::path> files{file};
  if (is_index(file))
    for (const std::string& part : files_of_index(file))
      files.push_back(find(file.parent_path() / part));
  return files;
}

std::string without_output(const std::string& name) {
  return name.ends_with(":0") && name.size() > 2 ? name.substr(0, name.size() - 2) : name;
}

bool is_checkpoint(const fs::path& file) {
  const std::string first = first_bytes(file);
  if (is_index(file) || is_zip(first) || is_legacy_torch(first)) return false;
  if (!is_safetensors(first)) refuse_others(file, first);
  return store::SafetensorsFile::read_metadata(file).contains(kCheckpoint);
}

std::unique_ptr<Weights> open(const fs::path& path, const std::string& key) {
  const fs::path file = find(path);
  return checked(guarded([&] { return open_file(file, key); }), file.string());
}

std::unique_ptr<Weights> parse(std::string_view bytes, const std::string& place,
                               const std::string& key) {
  return checked(
      guarded([&] { return read_source(std::make_shared<archive::Memory>(bytes, place), key); }),
      place);
}

}  // namespace broch::weights
