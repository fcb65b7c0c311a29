// archive.cpp: the entries of a .pt2 file, in the three forms that torch 2.6 to 2.11 write.
#include "models/exported/archive.hpp"

#include <broch/cpp/dtype.hpp>
#include <cstring>

#include "archive/zip.hpp"
#include "arrays/diagnostic.hpp"
#include "models/exported/state_dict.hpp"

namespace exported {
namespace {

constexpr uint64_t kMostText = uint64_t{1} << 28;
constexpr size_t kMostTensors = 1000000;
const char* const kExportAgain = "export the model again with torch.export.save";

// The members of a zip file, without the folder that contains all of them.
class Entries {
 public:
  explicit Entries(const broch::archive::Source& file) : file_(file) {
    for (broch::archive::ZipMember& member : broch::archive::zip_members(file)) {
      const std::string name = member.name;
      by_name_.emplace(name, std::move(member));
    }
    // The name of the folder is that of the file when it was written.
    for (const auto& [name, member] : by_name_) {
      const size_t slash = name.find('/');
      if (slash == std::string::npos) {
        folder_.clear();
        return;
      }
      folder_ = name.substr(0, slash + 1);
    }
  }

  const broch::archive::ZipMember* find(const std::string& name) const {
    const auto found = by_name_.find(folder_ + name);
    return found == by_name_.end() ? nullptr : &found->second;
  }
  // The entries in this folder, without it.
  std::vector<std::string> in(const std::string& folder) const {
    std::vector<std::string> names;
    const std::string begin = folder_ + folder;
    for (auto at = by_name_.lower_bound(begin); at != by_name_.end(); ++at) {
      if (at->first.compare(0, begin.size(), begin) != 0) break;
      names.push_back(at->first.substr(begin.size()));
    }
    return names;
  }
  std::string place(const std::string& name) const { return file_.name() + ", " + folder_ + name; }

  std::string bytes(const std::string& name, uint64_t most) const {
    const broch::archive::ZipMember* member = find(name);
    if (!member) arrays::refuse(file_.name(), "no entry " + name, "it", kExportAgain);
    if (member->size > most)
      arrays::refuse(place(name), std::to_string(member->size) + " bytes",
                     "at most " + std::to_string(most), kExportAgain);
    if (member->deflated) return broch::archive::unpack(file_, *member);
    broch::archive::check_stored(file_, *member);
    return file_.read(member->begin, member->size);
  }
  std::string text(const std::string& name) const { return bytes(name, kMostText); }

 private:
  const broch::archive::Source& file_;
  std::map<std::string, broch::archive::ZipMember> by_name_;
  std::string folder_;
};

// The tensors of a folder whose config says which entry holds which tensor.
class PayloadReader {
 public:
  PayloadReader(const Entries& entries, const std::string& folder)
      : entries_(entries), folder_(folder) {}

  std::map<std::string, Stored> read(const std::string& config) {
    const nlohmann::json tree = parsed(entries_.text(config), entries_.place(config));
    std::map<std::string, Stored> tensors;
    Json(tree, entries_.place(config) + ": payloads")["config"].for_each_member(
        kMostTensors, [&](const std::string& name, const Json& payload) {
          if (payload.has("use_pickle") && payload["use_pickle"].boolean())
            payload.refuse("an object of Python as " + arrays::quoted(name),
                           "plain tensors, since pickles are never executed");
          tensors.emplace(name, tensor_of(payload));
        });
    return tensors;
  }

 private:
  Stored tensor_of(const Json& payload) {
    const std::string entry = payload["path_name"].string();
    const Layout layout = layout_of(payload["tensor_meta"]);
    if (!layout.meta.dtype)
      payload["tensor_meta"].refuse("dtype " + torch_dtype_name(layout.meta.torch_dtype),
                                    "a dtype that Broch has");
    Stored stored = stored_of(layout, bytes_of(entry), entry, entries_.place(folder_ + entry));
    stored.is_parameter = payload.has("is_param") && payload["is_param"].boolean();
    return stored;
  }

  // The last one is kept, since tensors with one storage stand in one entry.
  const std::string& bytes_of(const std::string& entry) {
    if (entry != last_ || last_.empty()) {
      bytes_ = entries_.bytes(folder_ + entry, UINT64_MAX);
      last_ = entry;
    }
    return bytes_;
  }

  const Entries& entries_;
  std::string folder_, last_, bytes_;
};

std::map<std::string, Stored> payloads(const Entries& entries, const std::string& folder,
                                       const std::string& name) {
  const std::string kind = folder == "data/weights/" ? "weights" : "constants";
  const std::string config = folder + name + "_" + kind + "_config.json";
  if (entries.find(config)) return PayloadReader(entries, folder).read(config);
  const std::string saved = folder + name + ".pt";  // before torch 2.10
  if (entries.find(saved))
    return state_dict_of(entries.bytes(saved, UINT64_MAX), entries.place(saved));
  arrays::refuse(entries.place(config), "no such entry", "it, or " + saved, kExportAgain);
}

// "model" of models/model.json.
std::string model_name(const broch::archive::Source& file, const Entries& entries) {
  std::vector<std::string> names;
  for (const std::string& name : entries.in("models/"))
    if (name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0)
      names.push_back(name.substr(0, name.size() - 5));
  if (names.size() == 1) return names[0];
  for (const std::string& name : names)
    if (name == "model") return name;
  arrays::refuse(file.name(), std::to_string(names.size()) + " entries models/….json", "one",
                 "write it with torch.export.save");
}

}  // namespace

std::vector<int64_t> Stored::shape() const {
  std::vector<int64_t> shape;
  for (const Size& size : meta.sizes) shape.push_back(size.value);
  return shape;
}

Stored stored_of(const Layout& layout, std::string_view bytes, const std::string& storage,
                 const std::string& place) {
  const uint64_t width = broch::dl_type(layout.meta.dtype).bits / 8u;
  const uint64_t there = bytes.size() / width;
  const size_t rank = layout.meta.sizes.size();
  Stored stored;
  stored.meta = layout.meta;
  stored.storage = storage + " " + std::to_string(layout.offset);
  uint64_t count = 1;
  bool is_compact = true;
  for (size_t d = rank; d-- > 0;) {
    const uint64_t size = uint64_t(layout.meta.sizes[d].value);
    stored.storage.append(" ").append(std::to_string(size)).append("/");
    stored.storage += std::to_string(layout.strides[d]);
    if (size != 1 && layout.strides[d] != int64_t(count)) is_compact = false;
    // No tensor has more elements than its storage, except one that repeats them.
    if (size && count > there / size + 1 && layout.strides[d] != 0)
      arrays::refuse(place,
                     "a tensor of more elements than the " + std::to_string(there) + " there",
                     "all of them", kExportAgain);
    if (size && count > (uint64_t{1} << 40) / size)
      arrays::refuse(place, "a tensor of more than 2^40 elements", "fewer", kExportAgain);
    count *= size;
  }
  if (count == 0) return stored;
  // The last element must lie in the storage, and the first one too.
  uint64_t last = uint64_t(layout.offset);
  bool fits = layout.offset >= 0 && last < there;
  for (size_t d = 0; d < rank && fits; ++d) {
    const uint64_t steps = uint64_t(layout.meta.sizes[d].value) - 1;
    const uint64_t stride = uint64_t(layout.strides[d]);
    fits = layout.strides[d] >= 0 && (stride == 0 || steps <= (there - 1 - last) / stride);
    last += fits ? steps * stride : 0;
  }
  if (!fits || count > 16 * there)
    arrays::refuse(place,
                   "a tensor that ends behind the " + std::to_string(bytes.size()) + " bytes there",
                   "all of its elements", kExportAgain);
  if (is_compact) {
    stored.bytes = std::string(bytes.substr(uint64_t(layout.offset) * width, count * width));
    return stored;
  }
  stored.bytes.reserve(count * width);
  std::vector<int64_t> index(rank);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t at = uint64_t(layout.offset);
    for (size_t d = 0; d < rank; ++d) at += uint64_t(index[d]) * uint64_t(layout.strides[d]);
    stored.bytes.append(bytes.substr(at * width, width));
    for (size_t d = rank; d-- > 0 && ++index[d] == layout.meta.sizes[d].value;) index[d] = 0;
  }
  return stored;
}

const Stored* Archive::stored(const Input& input) const {
  for (const auto* tensors : {&weights, &constants}) {
    const auto found = tensors->find(input.name);
    if (found != tensors->end()) return &found->second;
  }
  return nullptr;
}

Archive archive_of(const broch::archive::Source& file) {
  const Entries entries(file);
  Archive archive;
  const std::string flat = "serialized_exported_program.json";  // before torch 2.8
  if (entries.find(flat)) {
    archive.program = program_of(entries.text(flat), entries.place(flat));
    for (const auto& [tensors, name] : {std::pair{&archive.weights, "serialized_state_dict.pt"},
                                        std::pair{&archive.constants, "serialized_constants.pt"}})
      if (entries.find(name))
        *tensors = state_dict_of(entries.bytes(name, UINT64_MAX), entries.place(name));
    return archive;
  }
  const std::string name = model_name(file, entries);
  const std::string model = "models/" + name + ".json";
  archive.program = program_of(entries.text(model), entries.place(model));
  archive.weights = payloads(entries, "data/weights/", name);
  archive.constants = payloads(entries, "data/constants/", name);
  return archive;
}

}  // namespace exported
