// npz.cpp: arrays that numpy.savez wrote. Left out are structured arrays, and those of Python
// objects, which are pickles.
#include <algorithm>

#include "archive/byte_order.hpp"
#include "archive/npy_header.hpp"
#include "archive/refuse.hpp"
#include "readers.hpp"
#include "weights/values.hpp"

namespace broch::weights {
namespace {

using archive::refuse;
using archive::ZipMember;
using store::Dtype;

constexpr std::string_view kEnding = ".npy";

struct Kind {
  std::string_view descr;  // without the byte order
  Dtype dtype;
};
constexpr Kind kKinds[] = {{"f2", Dtype::f16}, {"f4", Dtype::f32}, {"f8", Dtype::f64},
                           {"i1", Dtype::i8},  {"i2", Dtype::i16}, {"i4", Dtype::i32},
                           {"i8", Dtype::i64}, {"u1", Dtype::u8},  {"u2", Dtype::u16},
                           {"u4", Dtype::u32}, {"u8", Dtype::u64}, {"b1", Dtype::boolean},
                           {"c8", Dtype::c64}};

class NpzWeights final : public Weights {
 public:
  explicit NpzWeights(Members members) : Weights("a .npz file"), members_(std::move(members)) {
    for (const ZipMember& member : members_.all()) {
      if (member.name.ends_with(kEnding))
        add(member);
      else
        others_.push_back(member.name);
    }
  }

 private:
  struct Array {
    const ZipMember* member;
    uint64_t offset;  // of the elements, in the content of the member
    bool swapped, fortran;
    std::string content;  // of a packed member
  };

  void add(const ZipMember& member) {
    const std::string place = archive::place_of(members_.source(), member);
    Array array{&member, 0, false, false, ""};
    if (member.deflated) array.content = archive::unpack(members_.source(), member);
    const archive::NpyHeader header = archive::parse_npy_header(
        member.deflated ? array.content
                        : members_.source().read(member.begin,
                                                 std::min(member.size, archive::kLongestNpyHeader)),
        place, archive::NpyFields::keep);
    Tensor tensor;
    tensor.name = member.name.substr(0, member.name.size() - kEnding.size());
    tensor.shape = header.shape;
    const std::string_view descr = header.descr;
    const auto kind =
        std::ranges::find(kKinds, descr.substr(std::min<size_t>(descr.size(), 1)), &Kind::descr);
    if (kind == std::end(kKinds)) {
      others_.push_back(tensor.name);
      return;
    }
    tensor.dtype = kind->dtype;
    require_size(header, store::dtype_size(tensor.dtype), member.size, place);
    array.offset = header.offset;
    array.swapped = descr[0] == '>';
    array.fortran = header.fortran_order && tensor.shape.size() > 1;
    arrays_.push_back(std::move(array));
    tensors_.push_back(std::move(tensor));
  }

  static void require_size(const archive::NpyHeader& header, uint64_t element_size, uint64_t size,
                           const std::string& place) {
    uint64_t bytes = element_size;
    for (const int64_t extent : header.shape)
      if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes)) bytes = ~uint64_t{0};
    if (header.shape.size() > 8)
      refuse(place, std::to_string(header.shape.size()) + " dimensions", "at most 8",
             "save array.reshape(…)");
    if (bytes != size - header.offset)
      refuse(place, std::to_string(size - header.offset) + " bytes of data",
             std::to_string(bytes) + " as the shape says", "the file is damaged; write it again");
  }

  std::span<const std::byte> load(size_t index, std::vector<std::byte>& room) const override {
    const Array& array = arrays_[index];
    const Tensor& tensor = tensors_[index];
    const uint64_t size = store::dtype_size(tensor.dtype);
    room.resize(tensor.bytes());
    char* const to = reinterpret_cast<char*>(room.data());
    if (array.member->deflated) {
      std::copy_n(array.content.data() + array.offset, room.size(), to);
    } else {
      archive::check_stored(members_.source(), *array.member);
      members_.source().read(array.member->begin + array.offset, to, room.size());
    }
    if (array.swapped) {
      // A complex number is swapped part by part.
      const uint64_t word = tensor.dtype == Dtype::c64 ? size / 2 : size;
      archive::swap_words(to, room.size() / word, word);
    }
    if (!array.fortran || room.empty()) return room;
    std::vector<int64_t> strides;
    for (int64_t stride = 1; const int64_t extent : tensor.shape) {
      strides.push_back(stride);
      stride *= extent;
    }
    std::vector<std::byte> rows(room.size());
    gather(room.data(), tensor.shape, strides, size, rows.data());
    room = std::move(rows);
    return room;
  }

  const Members members_;
  std::vector<Array> arrays_;
};

}  // namespace

std::unique_ptr<Weights> read_npz(Members members) {
  return std::make_unique<NpzWeights>(std::move(members));
}

}  // namespace broch::weights
