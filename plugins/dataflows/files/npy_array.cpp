// npy_array.cpp: element types, byte orders and the two orders of elements.
#include "files/npy_array.hpp"

#include <algorithm>
#include <archive/byte_order.hpp>
#include <archive/zip.hpp>
#include <cstring>

#include "arrays/diagnostic.hpp"
#include "arrays/npy.hpp"
#include "files/content.hpp"

namespace files {
namespace {

namespace archive = broch::archive;
using arrays::quoted;
using arrays::refuse;

struct Kind {
  const char* descr;   // without the byte order
  uint64_t stored;     // bytes
  broch_dl_type type;  // in a data point
};

constexpr Kind kKinds[] = {
    {"f2", 2, {BROCH_DL_FLOAT, 16, 1}},     {"f4", 4, {BROCH_DL_FLOAT, 32, 1}},
    {"f8", 8, {BROCH_DL_FLOAT, 64, 1}},     {"i1", 1, {BROCH_DL_INT, 8, 1}},
    {"i2", 2, {BROCH_DL_INT, 16, 1}},       {"i4", 4, {BROCH_DL_INT, 32, 1}},
    {"i8", 8, {BROCH_DL_INT, 64, 1}},       {"u1", 1, {BROCH_DL_UINT, 8, 1}},
    {"u2", 2, {BROCH_DL_INT, 32, 1}},       {"u4", 4, {BROCH_DL_INT, 64, 1}},
    {"b1", 1, {BROCH_DL_BOOL, 8, 1}},       {"c8", 8, {BROCH_DL_COMPLEX, 64, 1}},
    {"c16", 16, {BROCH_DL_COMPLEX, 128, 1}}};

const Kind& kind_of(const std::string& descr, const std::string& place) {
  const std::string kind = descr.empty() ? "" : descr.substr(1);
  const char order = descr.empty() ? '\0' : descr[0];
  for (const Kind& known : kKinds)
    if (kind == known.descr &&
        (order == '<' || order == '>' || (order == '|' && known.stored == 1)))
      return known;
  if (kind == "V2")
    refuse(place, "elements of two bytes without a type, as bfloat16 is saved",
           "a type that .npy files know",
           "save array.astype('float32'), or use a .safetensors file");
  refuse(place, "elements of type " + quoted(descr),
         "numbers: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 b1 c8 or c16",
         "convert them first, for example array.astype('" +
             std::string(kind == "u8" ? "int64" : "float32") + "')");
}

template <class From, class To>
void widened(const char* from, uint64_t count, bool swap, char* to) {
  for (uint64_t i = 0; i < count; ++i) {
    From word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    const To wide = To(swap ? archive::swapped(word) : word);
    std::memcpy(to + i * sizeof wide, &wide, sizeof wide);
  }
}

// The member NAME.npy of the array; with name "" the only member. Throws Error that lists them.
const archive::ZipMember& member_named(const std::vector<archive::ZipMember>& members,
                                       const std::string& name, const std::string& place) {
  if (name.empty() && members.size() == 1) return members[0];
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const archive::ZipMember& member) {
        return member.name == name || member.name == name + ".npy";
      });
  if (at != members.end() && !name.empty()) return *at;
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(members.size(), 30); ++i) {
    std::string shown = members[i].name;
    if (shown.ends_with(".npy")) shown.resize(shown.size() - 4);
    names += (i > 0 ? ", " : "") + quoted(shown);
  }
  refuse(place,
         name.empty() ? std::to_string(members.size()) + " arrays" : "no array " + quoted(name),
         names.empty() ? "at least one" : "one of " + names, "name it with the option array");
}

}  // namespace

broch_dl_type NpyArray::type_of(const std::string& descr, const std::string& place) {
  return kind_of(descr, place).type;
}

NpyArray NpyArray::parse(Source source, uint64_t begin, uint64_t size, const std::string& place) {
  const std::string start = source->read(begin, std::min(size, archive::kLongestNpyHeader));
  const archive::NpyHeader header = archive::parse_npy_header(start, place);
  const Kind& kind = kind_of(header.descr, place);
  const uint64_t count = arrays::count_elements(header, kind.stored, size, place);
  if (count == 0)
    refuse(place, "an array without elements", "at least one row with one element",
           "name a file with data");
  NpyArray array;
  array.rows_ = uint64_t(header.shape[0]);
  array.row_shape_.assign(header.shape.begin() + 1, header.shape.end());
  array.row_elements_ = count / array.rows_;
  array.type_ = kind.type;
  array.stored_ = kind.stored;
  array.swapped_ = header.descr[0] == '>';
  array.is_bool_ = kind.type.code == BROCH_DL_BOOL;
  array.is_fortran_ = header.fortran_order && header.shape.size() > 1;
  array.source_ = std::move(source);
  array.begin_ = begin + header.offset;
  return array;
}

NpyArray NpyArray::parse(std::string_view bytes, const std::string& place) {
  return parse(std::make_shared<const archive::Memory>(bytes, place), 0, bytes.size(), place);
}

NpyArray NpyArray::open(const std::string& file, const std::string& array) {
  Source source = open_source(file);
  const uint64_t size = source->size();
  if (!file.ends_with(".npz")) {
    if (!array.empty())
      refuse(file, "the option array", "it for a .npz file only", "remove the option");
    return parse(std::move(source), 0, size, file);
  }
  const std::vector<archive::ZipMember> members = archive::zip_members(*source);
  const archive::ZipMember& member = member_named(members, array, file);
  const std::string place = archive::place_of(*source, member);
  if (member.deflated) {
    const auto bytes = std::make_shared<const std::string>(archive::unpack(*source, member));
    return parse(std::make_shared<const archive::Memory>(*bytes, place, bytes), 0, bytes->size(),
                 place);
  }
  archive::check_stored(*source, member);
  return parse(std::move(source), member.begin, member.size, place);
}

// Elements that lie one behind the other in the file.
void NpyArray::copy(uint64_t first, uint64_t count, char* to) const {
  const uint64_t at = begin_ + first * stored_;
  if (type_.bits / 8u != stored_) return widen(at, count, to);
  source_->read(at, to, count * stored_);
  if (is_bool_)
    for (uint64_t i = 0; i < count; ++i) to[i] = to[i] != 0;
  if (!swapped_) return;
  // A complex number is swapped part by part.
  const uint64_t word = type_.code == BROCH_DL_COMPLEX ? stored_ / 2 : stored_;
  const uint64_t words = count * stored_ / word;
  archive::swap_words(to, words, word);
}

// at: the first of these elements, in source_.
void NpyArray::widen(uint64_t at, uint64_t count, char* to) const {
  char piece[4096];
  const uint64_t wide = type_.bits / 8u;
  while (count > 0) {
    const uint64_t n = std::min(count, sizeof piece / stored_);
    source_->read(at, piece, n * stored_);
    if (stored_ == 2)
      widened<uint16_t, int32_t>(piece, n, swapped_, to);
    else
      widened<uint32_t, int64_t>(piece, n, swapped_, to);
    count -= n;
    at += n * stored_;
    to += n * wide;
  }
}

void NpyArray::copy_row(uint64_t row, char* to) const {
  if (!is_fortran_) return copy(row * row_elements_, row_elements_, to);
  // The first dimension runs fastest. counter: the place in the row, the last dimension first.
  const size_t rank = row_shape_.size();
  std::vector<uint64_t> strides(rank), counter(rank);
  uint64_t stride = rows_;
  for (size_t i = 0; i < rank; stride *= uint64_t(row_shape_[i++])) strides[i] = stride;
  uint64_t at = row;
  const uint64_t wide = type_.bits / 8u;
  for (uint64_t i = 0; i < row_elements_; ++i, to += wide) {
    copy(at, 1, to);
    for (size_t d = rank; d-- > 0;) {
      at += strides[d];
      if (++counter[d] < uint64_t(row_shape_[d])) break;
      at -= counter[d] * strides[d];
      counter[d] = 0;
    }
  }
}

}  // namespace files
