// token_file.cpp: the elements of one integer component, one after another, as plain
// little-endian numbers: a text as tokens, in the form that nanoGPT and Megatron-LM's readers map
// into memory.
#include <broch/broch.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "files/elements.hpp"

namespace {

enum class Width { uint16, uint32 };

struct Options {
  Width dtype;

  static constexpr auto schema =
      broch::options(broch::option("dtype", &Options::dtype, "The dtype of a token in the file.")
                         .one_of("uint16", "uint32")
                         .by_default("uint16"));
};

class Tokens final : public broch::Sink {
 public:
  explicit Tokens(const Options& options) : width_(options.dtype) {}

  void open(const std::string& path) override {
    path_ = path;
    stream_.open(path, std::ios::binary | std::ios::trunc);
    check();
  }

  void put(broch::PointReader& point) override {
    if (point.size() != 1)
      throw broch::Error(BROCH_E_DATA_LOSS, "found " + std::to_string(point.size()) +
                                                " components, expected 1: choose one with "
                                                "--component");
    const broch_dl_tensor view = point.view(0);
    if (view.dtype.code != BROCH_DL_INT && view.dtype.code != BROCH_DL_UINT)
      throw broch::Error(BROCH_E_DATA_LOSS, "found " +
                                                broch::dtype_name(broch::dtype_of(view.dtype)) +
                                                ", expected integers: tokens are numbers of words");
    files::copy_elements(view, bytes_);
    const size_t size = view.dtype.bits / 8;
    written_.clear();
    for (size_t at = 0; at < bytes_.size(); at += size) append(integer_at(view.dtype, at));
    stream_.write(written_.data(), std::streamsize(written_.size()));
    check();
  }

  void close() override {
    stream_.close();
    check();
  }

 private:
  int64_t integer_at(broch_dl_type type, size_t at) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + at, type.bits / 8);
    const unsigned unused = 64 - type.bits;
    if (type.code == BROCH_DL_UINT || unused == 0) return int64_t(bits);
    return int64_t(bits << unused) >> unused;
  }

  void append(int64_t token) {
    const int64_t most = width_ == Width::uint16 ? 0xFFFF : 0xFFFFFFFF;
    if (token < 0 || token > most)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         "found the token " + std::to_string(token) + ", expected 0 to " +
                             std::to_string(most) +
                             (token > most ? ": set --option dtype=uint32" : ""));
    for (int i = 0; i < (width_ == Width::uint16 ? 2 : 4); ++i)
      written_ += static_cast<char>(token >> (8 * i));
  }

  void check() const {
    if (!stream_)
      throw broch::Error(BROCH_E_DATA_LOSS, path_ + ": cannot be written: " + std::strerror(errno));
  }

  Width width_;
  std::string path_, bytes_, written_;
  std::ofstream stream_;
};

}  // namespace

BROCH_SINK(Tokens, "broch.sink.tokens", "1.0.0",
           "Writes the elements of one integer component as plain numbers, one after another.",
           Options::schema, broch::extensions(".tokens", ".bin"))
