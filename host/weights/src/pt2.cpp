// pt2.cpp: the weights and constants of an exported program. Source: torch/export/pt2_archive of
// PyTorch 2.9 (a file for each tensor), 2.8 and 2.6 (files of torch.save).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "archive/refuse.hpp"
#include "joined.hpp"
#include "pt2_layout.hpp"
#include "readers.hpp"

namespace broch::weights {
namespace {

using archive::refuse;
using Json = nlohmann::json;
using store::Dtype;

constexpr uint64_t kMostConfig = uint64_t{1} << 26;
constexpr size_t kMostDims = 8;
constexpr const char* kFormat = "an exported program of PyTorch";

struct ScalarType {
  int64_t number;  // torch/_export/serde/schema.py
  Dtype dtype;
};
constexpr ScalarType kScalarTypes[] = {{1, Dtype::u8},       {2, Dtype::i8},      {3, Dtype::i16},
                                       {4, Dtype::i32},      {5, Dtype::i64},     {6, Dtype::f16},
                                       {7, Dtype::f32},      {8, Dtype::f64},     {10, Dtype::c64},
                                       {12, Dtype::boolean}, {13, Dtype::bf16},   {28, Dtype::u16},
                                       {29, Dtype::f8_e4m3}, {30, Dtype::f8_e5m2}};

// nullopt: elements that no tensor here has, such as those of complex128.
std::optional<Dtype> dtype_of(int64_t number) {
  for (const ScalarType& type : kScalarTypes)
    if (type.number == number) return type.dtype;
  return std::nullopt;
}

class Pt2Weights final : public LocatedWeights {
 public:
  Pt2Weights(Members members, const std::string& folder, const std::string& model)
      : LocatedWeights(kFormat, std::move(members)) {
    add_all(folder + "data/weights/", model + "_weights_config.json");
    add_all(folder + "data/constants/", model + "_constants_config.json");
  }

 private:
  void add_all(const std::string& folder, const std::string& name) {
    const archive::ZipMember* const member = members_.find(folder + name);
    if (!member) return;
    place_ = archive::place_of(members_.source(), *member);
    const Json json = Json::parse(members_.content(*member, kMostConfig), nullptr, false);
    if (json.is_discarded()) fail("no JSON", "a JSON object");
    for (const auto& [tensor, facts] : object(json, "config").items()) add(tensor, facts, folder);
  }

  void add(const std::string& name, const Json& facts, const std::string& folder) {
    tensor_ = name;
    const Json& pickled = member(facts, "use_pickle");
    const Json* const meta = facts.contains("tensor_meta") ? &facts["tensor_meta"] : nullptr;
    if (pickled != false || !meta || !meta->is_object()) {
      others_.push_back(name);
      return;
    }
    const std::optional<Dtype> dtype = dtype_of(integer(member(*meta, "dtype")));
    if (!dtype) {
      others_.push_back(name);
      return;
    }
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = *dtype;
    tensor.shape = integers(member(*meta, "sizes"));
    const Json& path = member(facts, "path_name");
    if (!path.is_string()) fail("no text", "a path_name");
    const Json& offset = member(*meta, "storage_offset");
    tensors_.push_back(tensor);
    data_.add(tensors_.back(),
              {&members_.require(folder + path.get<std::string>()),
               uint64_t(integer(member(offset, "as_int"))), integers(member(*meta, "strides"))});
  }

  std::string where() const { return place_ + ": tensor " + archive::quoted(tensor_); }
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    refuse(tensor_.empty() ? place_ : where(), found, expected,
           "the file is damaged, or of a version that is not known");
  }
  const Json& member(const Json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) fail("nothing", std::string("a member ") + key);
    return json[key];
  }
  const Json& object(const Json& json, const char* key) const {
    const Json& found = member(json, key);
    if (!found.is_object()) fail("something else", std::string("an object ") + key);
    return found;
  }
  int64_t integer(const Json& json) const {
    if (!json.is_number_unsigned() || json.get<uint64_t>() > INT64_MAX)
      fail("a size that is no integer", "a number from 0 to 2^63");
    return json.get<int64_t>();
  }
  std::vector<int64_t> integers(const Json& json) const {
    if (!json.is_array() || json.size() > kMostDims) fail("another list", "at most 8 sizes");
    std::vector<int64_t> result;
    for (const Json& one : json) result.push_back(integer(member(one, "as_int")));
    return result;
  }

  std::string place_, tensor_;  // what is being read, for messages
};

// A file of torch.save inside this one; nullptr: there are no tensors.
std::unique_ptr<LocatedWeights> read_nested(const Members& members, const std::string& name) {
  const archive::ZipMember* const member = members.find(name);
  if (!member || member->size == 0) return nullptr;
  const auto bytes = std::make_shared<const std::string>(members.content(*member, UINT64_MAX));
  Members nested(std::make_shared<const archive::Memory>(
      *bytes, archive::place_of(members.source(), *member), bytes));
  std::string folder;
  for (const archive::ZipMember& one : nested.all())
    if (one.name.ends_with("data.pkl")) folder = one.name.substr(0, one.name.size() - 8);
  return read_torch(std::move(nested), folder, std::nullopt);
}

// "model" of models/model.json, as torch.export.save calls the only one. Files before PyTorch 2.8
// have no such folder.
std::vector<std::string> programs_in(const Members& members, const std::string& folder) {
  const std::string begin = folder + "models/", end = ".json";
  std::vector<std::string> names;
  for (const archive::ZipMember& one : members.all())
    if (one.name.starts_with(begin) && one.name.ends_with(end))
      names.push_back(one.name.substr(begin.size(), one.name.size() - begin.size() - end.size()));
  return names;
}

std::string program_of(const Members& members, const std::string& folder) {
  const std::vector<std::string> names = programs_in(members, folder);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + archive::quoted(name);
  if (names.size() > 1)
    refuse(members.source().name(), std::to_string(names.size()) + " programs: " + list, "one",
           "save it alone, with torch.export.save(program, file)");
  const bool is_compiled = std::ranges::any_of(members.all(), [&](const archive::ZipMember& one) {
    return one.name.starts_with(folder + "data/aotinductor/");
  });
  if (names.empty() && is_compiled)
    refuse(members.source().name(), "a package of AOTInductor, which is compiled", "a program",
           "save it with torch.export.save(program, file)");
  return names.empty() ? "model" : names[0];
}

}  // namespace

std::optional<std::string> pt2_folder(const Members& members) {
  const std::optional<std::string> folder = members.folder_of("archive_format");
  return folder ? folder : members.folder_of("serialized_exported_program.json");
}

std::vector<Pt2Part> parts_of(const Members& members, const std::string& folder) {
  const std::string model = program_of(members, folder);
  std::vector<Pt2Part> parts;
  if (members.find(folder + "data/weights/" + model + "_weights_config.json")) {
    parts.push_back({"", std::make_shared<const Pt2Weights>(members, folder, model)});
    return parts;
  }
  for (const std::string& name :
       {"data/weights/" + model + ".pt", "data/constants/" + model + ".pt",
        std::string("serialized_state_dict.pt"), std::string("serialized_constants.pt")})
    if (std::shared_ptr<const LocatedWeights> weights = read_nested(members, folder + name))
      parts.push_back({folder + name, std::move(weights)});
  return parts;
}

std::unique_ptr<Weights> read_pt2(const Members& members, const std::string& folder) {
  auto whole = std::make_unique<Joined>(kFormat);
  for (const Pt2Part& part : parts_of(members, folder)) whole->add_all(part.weights);
  return whole;
}

}  // namespace broch::weights
