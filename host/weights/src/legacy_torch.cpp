// legacy_torch.cpp: files that torch.save wrote before PyTorch 1.6: five pickles one after another,
// then the elements of each storage behind their number.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
#include <algorithm>
#include <unordered_map>

#include "archive/refuse.hpp"
#include "pickle.hpp"
#include "readers.hpp"

namespace broch::weights {
namespace {

using archive::refuse;
using archive::ZipMember;

// Pickles of a magic number and of the version of the format, 1001.
constexpr std::string_view kMagic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15);
constexpr std::string_view kVersion("\x80\x02M\xe9\x03.", 6);
constexpr const char* kFolder = "data/";

class LegacyFile {
 public:
  explicit LegacyFile(SourcePtr source)
      : source_(std::move(source)),
        pickles_(source_->read(0, std::min(source_->size(), pickle::kMostBytes))) {}

  std::unique_ptr<LocatedWeights> read(const std::string& key) {
    at_ = kMagic.size();
    if (!std::string_view(pickles_).substr(at_).starts_with(kVersion))
      refuse(source_->name(), "another version of the format", "version 1001", kDamaged);
    at_ += kVersion.size();
    require_little_endian(next_pickle());
    const pickle::Document content = next_pickle();
    Members members(source_, storages(content, next_pickle()));
    return torch_weights(std::move(members), kFolder, content, key);
  }

 private:
  pickle::Document next_pickle() { return pickle::parse_at(pickles_, source_->name(), at_); }

  // The third pickle: {'protocol_version': 1001, 'little_endian': True, 'type_sizes': {…}}
  void require_little_endian(const pickle::Document& document) const {
    const std::vector<uint32_t>& items = document.values[document.root].items;
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (document.values[items[i]].text == "little_endian" &&
          document.values[items[i + 1]].integer == 0)
        refuse(source_->name(), "byte order 'big'", "'little'", kBigEndian);
  }

  // As if they were members of a zip file. order: the list of their names.
  std::vector<ZipMember> storages(const pickle::Document& content, const pickle::Document& order) {
    std::unordered_map<std::string_view, const pickle::Storage*> known;
    for (const pickle::Storage& storage : content.storages) known.emplace(storage.key, &storage);
    std::vector<ZipMember> members;
    uint64_t begin = at_;
    for (const uint32_t item : order.values[order.root].items) {
      const std::string_view name = order.values[item].text;
      const auto found = known.find(name);
      if (found == known.end())
        refuse(source_->name(), "a storage " + archive::quoted(name), "one that a tensor has",
               kDamaged);
      members.push_back(member(std::string(name), *found->second, begin));
      begin = members.back().begin + members.back().size;
    }
    return members;
  }

  // at: of the number of its elements.
  ZipMember member(const std::string& name, const pickle::Storage& storage, uint64_t at) const {
    uint64_t count = 0, size = 0;
    source_->read(at, &count, sizeof count);
    const uint64_t begin = at + sizeof count;
    if (count != storage.elements || __builtin_mul_overflow(count, storage.element_size, &size) ||
        size > source_->size() - begin)
      refuse(source_->name() + ": byte " + std::to_string(at),
             "a storage of " + std::to_string(count) + " elements",
             std::to_string(storage.elements) + ", and all of them in the file", kDamaged);
    ZipMember member;
    member.name = kFolder + name;
    member.begin = begin;
    member.packed = member.size = size;
    return member;
  }

  const SourcePtr source_;
  const std::string pickles_;  // and what follows them
  size_t at_ = 0;
};

}  // namespace

bool is_legacy_torch(std::string_view first) { return first.starts_with(kMagic); }

std::unique_ptr<LocatedWeights> read_legacy_torch(SourcePtr source, const std::string& key) {
  return LegacyFile(std::move(source)).read(key);
}

}  // namespace broch::weights
