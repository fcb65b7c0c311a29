// torch.cpp: files that torch.save wrote: a pickle, and a member with the elements of each storage.
#include <algorithm>
#include <unordered_map>

#include "archive/refuse.hpp"
#include "pickle.hpp"
#include "readers.hpp"

namespace broch::weights {
namespace {

using archive::refuse;
using pickle::Kind;
using pickle::Value;

constexpr size_t kMostShown = 20;

class TorchWeights final : public LocatedWeights {
 public:
  TorchWeights(Members members, const std::string& folder, const pickle::Document& content,
               const std::optional<std::string>& key)
      : LocatedWeights("a state dict of PyTorch", std::move(members)),
        place_(members_.source().name()),
        values_(&content.values) {
    add_all(content,
            !key           ? content.root
            : key->empty() ? only_state_dict(content.root)
                           : state_dict(at_key(content.root, *key)),
            folder);
    values_ = nullptr;
  }

 private:
  // ---- the dict with the tensors

  const Value& at(uint32_t value) const { return (*values_)[value]; }
  size_t tensors_in(uint32_t dict) const {
    const std::vector<uint32_t>& items = at(dict).items;
    size_t count = 0;
    if (at(dict).kind == Kind::dict)
      for (size_t i = 1; i < items.size(); i += 2) count += at(items[i]).kind == Kind::tensor;
    return count;
  }
  std::string name_of(uint32_t key) const {
    if (at(key).kind == Kind::text) return std::string(at(key).text);
    if (at(key).kind == Kind::integer) return std::to_string(at(key).integer);
    return "";
  }
  std::string keys_of(uint32_t dict) const {
    std::string names;
    const std::vector<uint32_t>& items = at(dict).items;
    for (size_t i = 0; i < std::min(items.size(), 2 * kMostShown); i += 2)
      names += (i ? ", " : "") + archive::quoted(name_of(items[i]));
    return names + (items.size() > 2 * kMostShown ? ", …" : "");
  }
  void require_dict(uint32_t value) const {
    if (at(value).kind == Kind::dict) return;
    refuse(place_, at(value).kind == Kind::tensor ? "a tensor alone" : "no dict",
           "a dict of tensors", "in Python: torch.save(module.state_dict(), file)");
  }

  [[noreturn]] void refuse_without_tensors(uint32_t dict) const {
    refuse(place_, "no tensors among the keys " + keys_of(dict), "a state dict",
           "name the way to it as the key, such as \"models/generator\"");
  }

  // A dict of dicts would give no tensor. An empty one is that of a network without weights.
  uint32_t state_dict(uint32_t dict) const {
    require_dict(dict);
    if (tensors_in(dict) == 0 && !at(dict).items.empty()) refuse_without_tensors(dict);
    return dict;
  }

  // A dict with more tensors than the whole, which may have some beside it, such as the accuracy.
  uint32_t only_state_dict(uint32_t root) const {
    require_dict(root);
    const size_t own = tensors_in(root);
    std::vector<std::string> keys;
    std::unordered_map<uint32_t, size_t> known;  // all entries may be the same large dict
    uint32_t found = root;
    const std::vector<uint32_t>& items = at(root).items;
    for (size_t i = 0; i < items.size(); i += 2) {
      const auto [count, is_new] = known.try_emplace(items[i + 1], 0);
      if (is_new) count->second = tensors_in(items[i + 1]);
      if (count->second > own) {
        keys.push_back(name_of(items[i]));
        found = items[i + 1];
      }
    }
    if (keys.size() == 1) return found;
    if (keys.empty() && own > 0) return root;
    if (keys.empty()) refuse_without_tensors(root);
    std::string names;
    for (size_t i = 0; i < std::min(keys.size(), kMostShown); ++i)
      names += (i ? ", " : "") + archive::quoted(keys[i]);
    refuse(place_, std::to_string(keys.size()) + " state dicts: " + names, "one",
           "name one of them as the key");
  }

  // A key may contain slashes itself.
  uint32_t at_key(uint32_t dict, std::string_view way) const {
    require_dict(dict);
    const std::vector<uint32_t>& items = at(dict).items;
    for (size_t end = way.size(); end != way.npos && end > 0; end = way.rfind('/', end - 1)) {
      for (size_t i = 0; i < items.size(); i += 2) {
        if (name_of(items[i]) != way.substr(0, end)) continue;
        return end == way.size() ? items[i + 1] : at_key(items[i + 1], way.substr(end + 1));
      }
    }
    refuse(place_, "no key " + archive::quoted(way), "one of " + keys_of(dict), "correct the key");
  }

  void add_all(const pickle::Document& document, uint32_t dict, const std::string& folder) {
    require_dict(dict);
    const std::vector<uint32_t>& items = at(dict).items;
    for (size_t i = 0; i < items.size(); i += 2) {
      const std::string name = name_of(items[i]);
      if (at(items[i + 1]).kind != Kind::tensor) {
        others_.push_back(name);
        continue;
      }
      const pickle::Tensor& tensor = document.tensors[size_t(at(items[i + 1]).integer)];
      const pickle::Storage& storage = document.storages[tensor.storage];
      tensors_.push_back({name, tensor.dtype, tensor.shape});
      data_.add(tensors_.back(), {&members_.require(folder + std::string(storage.key)),
                                  tensor.offset, tensor.strides});
    }
  }

  const std::string place_;
  const std::vector<Value>* values_;  // while this object is made
};

void refuse_script(const Members& members, const std::string& folder) {
  const bool is_script = std::ranges::any_of(members.all(), [&](const auto& member) {
    return member.name == folder + "constants.pkl" || member.name.starts_with(folder + "code/");
  });
  if (is_script)
    refuse(members.source().name(), "a TorchScript module", "a state dict",
           "in Python: torch.save(torch.jit.load(file).state_dict(), new_file)");
}

void require_little_endian(const Members& members, const std::string& folder) {
  const archive::ZipMember* order = members.find(folder + "byteorder");
  if (!order) return;
  if (const std::string found = members.content(*order, 100); found != "little")
    refuse(members.source().name(), "byte order " + archive::quoted(found), "'little'", kBigEndian);
}

}  // namespace

std::unique_ptr<LocatedWeights> torch_weights(Members members, const std::string& folder,
                                              const pickle::Document& content,
                                              const std::optional<std::string>& key) {
  return std::make_unique<TorchWeights>(std::move(members), folder, content, key);
}

std::unique_ptr<LocatedWeights> read_torch(Members members, const std::string& folder,
                                           const std::optional<std::string>& key) {
  refuse_script(members, folder);
  require_little_endian(members, folder);
  const archive::ZipMember& member = members.require(folder + "data.pkl");
  const std::string bytes = members.content(member, pickle::kMostBytes);
  const pickle::Document content =
      pickle::parse(bytes, archive::place_of(members.source(), member));
  return torch_weights(std::move(members), folder + "data/", content, key);
}

}  // namespace broch::weights
