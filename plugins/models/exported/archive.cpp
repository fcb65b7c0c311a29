// archive.cpp: the entries of a .pt2 file, in the three forms that torch 2.6 and later versions
// write.
#include "models/exported/archive.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>

#include "../../points/stored_dtype.hpp"
#include "archive/refuse.hpp"
#include "archive/source.hpp"
#include "archive/zip.hpp"
#include "base/error.hpp"

namespace exported {
namespace {

using broch::archive::refuse;
using broch::archive::ZipMember;

constexpr uint64_t kMostText = uint64_t{1} << 28;

// Turns the errors of the host's rooms into those of plugins.
template <class Read>
auto guarded(Read read) {
  try {
    return read();
  } catch (const broch::base::Error& error) {
    throw broch::Error(BROCH_E_DATA_LOSS, error.what());
  }
}

Program program_at(const broch::archive::Source& file, const ZipMember& member) {
  const std::string place = broch::archive::place_of(file, member);
  if (member.size > kMostText)
    refuse(place, std::to_string(member.size) + " bytes", "at most " + std::to_string(kMostText),
           kExportAgain);
  if (member.deflated) return program_of(broch::archive::unpack(file, member), place);
  broch::archive::check_stored(file, member);
  return program_of(file.read(member.begin, member.size), place);
}

// models/model.json, or the only program of another name; before torch 2.8 it had an entry of its
// own. The folder above is named like the file when it was written.
Program program_in(const broch::archive::Source& file) {
  const std::vector<ZipMember> members = broch::archive::zip_members(file);
  std::vector<const ZipMember*> programs;
  for (const ZipMember& member : members) {
    const std::string name = member.name.substr(member.name.find('/') + 1);
    if (name == "serialized_exported_program.json" || name == "models/model.json")
      return program_at(file, member);
    if (name.starts_with("models/") && name.ends_with(".json")) programs.push_back(&member);
  }
  if (programs.size() == 1) return program_at(file, *programs[0]);
  refuse(file.name(), std::to_string(programs.size()) + " entries models/….json", "one",
         "write it with torch.export.save");
}

}  // namespace

Archive::Archive(const std::string& file)
    : place_(file),
      program_(program_in(broch::archive::File(file))),
      weights_(guarded([&] { return broch::weights::open(file); })) {
  find_tensors();
}

Archive::Archive(std::string_view bytes, const std::string& place)
    : place_(place),
      program_(program_in(broch::archive::Memory(bytes, place))),
      weights_(guarded([&] { return broch::weights::parse(bytes, place); })) {
  find_tensors();
}

void Archive::find_tensors() {
  for (const broch::weights::Tensor& tensor : weights_->tensors()) {
    by_name_.emplace(tensor.name, tensors_.size());
    tensors_.push_back({tensor.name, broch::store::tensor_dtype(tensor.dtype), tensor.shape,
                        tensor.memory, tensors_.size()});
  }
}

bool Archive::is_foreign(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return !tensors_[found->second].dtype;
  return std::ranges::count(weights_->others(), name) != 0;
}

const Stored& Archive::stored(const std::string& name) const {
  const std::string quoted = broch::archive::quoted(name);
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    const Stored& stored = tensors_[found->second];
    if (!stored.dtype)
      broch::points::dtype_of(weights_->tensors()[stored.index].dtype,
                              place_ + ": tensor " + quoted);
    return stored;
  }
  if (is_foreign(name))
    refuse(place_, "an object of Python, or elements such as those of complex128, as " + quoted,
           "a plain tensor of a type that models have", kExportAgain);
  refuse(place_, "no tensor " + quoted, "it", kExportAgain);
}

std::vector<std::byte> Archive::elements(const Stored& stored) const {
  const std::lock_guard lock(mutex_);
  return guarded([&] {
    std::vector<std::byte> room;
    const std::span<const std::byte> bytes = weights_->read(stored.index, room);
    return bytes.data() == room.data() ? room : std::vector(bytes.begin(), bytes.end());
  });
}

}  // namespace exported
