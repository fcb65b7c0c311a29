// inflate.cpp: zlib's inflate in a loop that grows its output.
#include "archive/inflate.hpp"

#include <zlib.h>

#include <algorithm>

#include "archive/refuse.hpp"

namespace broch::archive {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 30;  // of input; zlib counts in 32 bits
constexpr uint64_t kRoom = uint64_t{1} << 16;   // for output
const char* const kGetAgain = "the file is damaged; get it again";

class Inflater {
 public:
  Inflater(std::string_view packed, Wrapping wrapping, uint64_t limit, const std::string& place)
      : packed_(packed), limit_(std::min(limit, uint64_t{1} << 62)), place_(place) {
    const int bits = wrapping == Wrapping::raw ? -15 : wrapping == Wrapping::zlib ? 15 : 31;
    if (inflateInit2(&stream_, bits) != Z_OK)
      throw Error(BROCH_E_RESOURCE_EXHAUSTED, place + ": no memory to unpack");
  }
  ~Inflater() { inflateEnd(&stream_); }

  std::string run(bool several) {
    std::string out;
    for (;;) {
      const int status = step(out);
      if (out.size() > limit_)
        refuse(place_, "more than " + std::to_string(limit_) + " unpacked bytes",
               "no more than that", "the file is damaged, or not what its name says");
      if (status == Z_STREAM_END) {
        if (read_ == packed_.size()) return out;
        if (!several || inflateReset(&stream_) != Z_OK)
          refuse(here(), "bytes after the end of the compressed data", "nothing", kGetAgain);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        refuse(here(), stream_.msg ? stream_.msg : "no packed data", "data that zlib can unpack",
               kGetAgain);
      } else if (read_ == packed_.size() && stream_.avail_out > 0) {
        refuse(here(), "the end of the data", "more of it",
               "the file is cut short; copy or write it again");
      }
    }
  }

 private:
  int step(std::string& out) {
    const size_t begin = out.size();
    // One byte more than the limit, by which it is seen to be exceeded. The room does not grow with
    // the output, since a file may have many small members.
    const uint64_t room = std::min(limit_ + 1 - begin, kRoom);
    out.resize(begin + room);
    const uint64_t piece = std::min<uint64_t>(packed_.size() - read_, kPiece);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + read_));
    stream_.avail_in = uInt(piece);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream_.avail_out = uInt(room);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    read_ += piece - stream_.avail_in;
    out.resize(begin + room - stream_.avail_out);
    return status;
  }

  std::string here() const { return place_ + ": packed byte " + std::to_string(read_); }

  std::string_view packed_;
  uint64_t limit_;
  const std::string& place_;
  uint64_t read_ = 0;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

std::string inflate(std::string_view packed, Wrapping wrapping, uint64_t limit,
                    const std::string& place) {
  return Inflater(packed, wrapping, limit, place).run(wrapping == Wrapping::gzip);
}

uint32_t crc32_of(std::string_view bytes, uint32_t before) {
  if (bytes.empty()) return before;  // for which zlib would want a pointer
  return uint32_t(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace broch::archive
