// members.cpp: members of zip files, and tensors in them.
#include <algorithm>

#include "archive/refuse.hpp"
#include "readers.hpp"
#include "weights/values.hpp"

namespace broch::weights {

using archive::refuse;
using archive::ZipMember;

namespace {

constexpr uint64_t kMostRepeated = 16, kAlwaysFits = uint64_t{1} << 26;

}  // namespace

Members::Members(SourcePtr source) : Members(source, archive::zip_members(*source)) {}

Members::Members(SourcePtr source, std::vector<ZipMember> parts)
    : source_(std::move(source)), members_(std::move(parts)) {
  for (size_t i = 0; i < members_.size(); ++i) index_.emplace(members_[i].name, i);
}

const ZipMember* Members::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &members_[found->second];
}

const ZipMember& Members::require(const std::string& name) const {
  if (const ZipMember* found = find(name)) return *found;
  refuse(source_->name(), "no member " + archive::quoted(name), "one", kDamaged);
}

std::optional<std::string> Members::folder_of(const std::string& ending) const {
  for (const ZipMember& member : members_)
    if (member.name.ends_with(ending) &&
        std::ranges::count(member.name, '/') <= 1 + std::ranges::count(ending, '/'))
      return member.name.substr(0, member.name.size() - ending.size());
  return std::nullopt;
}

std::string Members::content(const ZipMember& member, uint64_t limit) const {
  if (member.size > limit)
    refuse(archive::place_of(*source_, member), std::to_string(member.size) + " bytes",
           "at most " + std::to_string(limit), kDamaged);
  if (member.deflated) return archive::unpack(*source_, member);
  archive::check_stored(*source_, member);
  return source_->read(member.begin, member.size);
}

// Names of members are no part of it: in messages long ones are cut.
std::string Strided::memory(const std::vector<int64_t>& shape) const {
  std::string text = std::to_string(member->begin) + " " + std::to_string(offset);
  for (size_t i = 0; i < shape.size(); ++i)
    text.append(" ")
        .append(std::to_string(shape[i]))
        .append("/")
        .append(std::to_string(strides[i]));
  return text;
}

void StridedTensors::add(Tensor& tensor, Strided place) {
  const uint64_t size = store::dtype_size(tensor.dtype), elements = place.member->size / size;
  const std::string where = archive::place_of(members_.source(), *place.member) + ": tensor " +
                            archive::quoted(tensor.name);
  uint64_t last = place.offset, count = 1;
  bool fits = tensor.shape.size() == place.strides.size();
  for (size_t i = 0; fits && i < tensor.shape.size(); ++i) {
    const uint64_t extent = uint64_t(tensor.shape[i]);
    uint64_t way = 0;
    fits = !__builtin_mul_overflow(count, extent, &count) &&
           (extent == 0 || (!__builtin_mul_overflow(extent - 1, uint64_t(place.strides[i]), &way) &&
                            !__builtin_add_overflow(last, way, &last)));
  }
  if (!fits || (count > 0 && last >= elements))
    refuse(where, "a shape that reaches beyond the data",
           "at most " + std::to_string(elements) + " elements", kDamaged);
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) ||
      __builtin_add_overflow(total_, bytes, &total_) ||
      (total_ > kAlwaysFits && total_ / kMostRepeated > members_.source().size()))
    refuse(where, "tensors that are much larger than the file", "tensors whose elements it has",
           "in Python, save tensor.contiguous() instead");
  tensor.memory = place.memory(tensor.shape);
  places_.push_back(std::move(place));
}

// Of a deflated member; it is kept until another one is wanted.
std::string_view StridedTensors::content(const ZipMember& member) const {
  if (unpacked_ != &member) {
    unpacked_ = nullptr;
    unpacked_bytes_ = archive::unpack(members_.source(), member);
    unpacked_ = &member;
  }
  return unpacked_bytes_;
}

std::span<const std::byte> StridedTensors::load(const Tensor& tensor, size_t index,
                                                std::vector<std::byte>& room) const {
  const Strided& place = places_[index];
  const uint64_t size = store::dtype_size(tensor.dtype);
  room.resize(tensor.bytes());
  if (room.empty()) return room;
  uint64_t last = place.offset;
  int64_t dense = 1;
  bool contiguous = true;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    last += uint64_t(tensor.shape[i] - 1) * uint64_t(place.strides[i]);
    contiguous &= tensor.shape[i] == 1 || place.strides[i] == dense;
    dense *= tensor.shape[i];
  }
  const uint64_t begin = place.offset * size, span = (last + 1) * size - begin;
  const archive::Source& source = members_.source();
  if (place.member->deflated) {
    const std::string_view bytes = content(*place.member);
    gather(reinterpret_cast<const std::byte*>(bytes.data()) + begin, tensor.shape, place.strides,
           size, room.data());
    return room;
  }
  if (!std::exchange(is_checked_[place.member], true)) archive::check_stored(source, *place.member);
  if (contiguous) {
    source.read(place.member->begin + begin, room.data(), room.size());
    return room;
  }
  const std::string bytes = source.read(place.member->begin + begin, span);
  gather(reinterpret_cast<const std::byte*>(bytes.data()), tensor.shape, place.strides, size,
         room.data());
  return room;
}

}  // namespace broch::weights
