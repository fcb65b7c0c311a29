// album.cpp: a dataflow that makes points with an image, applies transforms to them, and writes
// what comes out to a file: one line per key.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "../builtins/trace.hpp"

namespace {

constexpr int64_t kHeight = 24, kWidth = 32, kChannels = 3;

struct Options {
  std::vector<std::string> components;
  std::vector<broch::ChildTransform> transforms;
  std::string file, trace;
  bool named;
  static constexpr auto schema =
      broch::options(broch::option("components", &Options::components),
                     broch::option("transforms", &Options::transforms),
                     broch::option("file", &Options::file).is_path().by_default(""),
                     broch::option("named", &Options::named).by_default(false),
                     broch::option("trace", &Options::trace));
};

uint8_t element(int64_t i) { return uint8_t(i * i * 7 / 5 + i * 13 + 50); }

template <class T>
void add_image(broch::PointWriter& point, const char* name, int64_t width = kWidth) {
  T* data = point.allocate<T>({kHeight, width, kChannels}, name);
  for (int64_t i = 0; i < kHeight * width * kChannels; ++i) data[i] = T(element(i));
}

// Memory of the album, which is lent to all points.
class Lent {
 public:
  // strides: {}: compact.
  Lent(std::vector<int64_t> shape, std::vector<int64_t> strides)
      : shape_(std::move(shape)), strides_(std::move(strides)) {
    for (int64_t i = 0; i < kHeight * kWidth; ++i) bytes_.push_back(element(i));
    managed_.version = {1, 0};
    managed_.flags = BROCH_DL_READ_ONLY;
    managed_.dl_tensor = broch::dl_view(bytes_.data(), broch::dl_type(BROCH_UINT8), shape_.data(),
                                        int32_t(shape_.size()));
    if (!strides_.empty()) managed_.dl_tensor.strides = strides_.data();
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  void add_to(broch::PointWriter& point, const char* name) { point.add(&managed_, name); }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<int64_t> shape_, strides_;
  broch_dl_managed managed_{};
};

// The numbers if there are few, otherwise a hash of the bytes (FNV-1a).
std::string content(const broch_dl_tensor& tensor) {
  const auto* bytes = static_cast<const uint8_t*>(tensor.data) + tensor.byte_offset;
  const int64_t count = broch::element_count(tensor.shape, size_t(tensor.ndim));
  if (count <= 16 && tensor.dtype.code == BROCH_DL_FLOAT) {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += " " + broch::test::text_of(tensor.dtype.bits == 32
                                             ? double(reinterpret_cast<const float*>(bytes)[i])
                                             : reinterpret_cast<const double*>(bytes)[i]);
    return text;
  }
  uint32_t hash = 2166136261u;
  for (int64_t i = 0; i < count * tensor.dtype.bits / 8; ++i) hash = (hash ^ bytes[i]) * 16777619u;
  return " #" + std::to_string(hash);
}

class Album final : public broch::DataFlow {
 public:
  Album(const broch::Host& host, const Options& options) : host_(host), options_(options) {}

  void open(const std::string&) override { key_ = 0; }

  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    broch::Point from(host_), to(host_);
    ++key_;
    fill(from);
    for (const broch::ChildTransform& transform : options_.transforms) {
      transform.apply(key_, from.handle(), to.handle());
      std::swap(from, to);
    }
    write(from);
    point.add(std::vector<float>{1}, {1});
    return true;
  }

 private:
  void fill(broch::Point& point) {
    broch::PointWriter writer = point.writer();
    writer.set_key(key_);
    for (const std::string& component : options_.components) {
      const char* name = options_.named ? component.c_str() : nullptr;
      if (component == "file") {
        std::ifstream file(options_.file, std::ios::binary);
        const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
        std::memcpy(writer.allocate<uint8_t>({int64_t(bytes.size())}, name), bytes.data(),
                    bytes.size());
      } else if (component == "floats") {
        add_image<float>(writer, name);
      } else if (component == "square") {
        add_image<uint8_t>(writer, name, kHeight);
      } else if (component == "lent") {
        lent_.add_to(writer, name);
      } else if (component == "spread") {
        spread_.add_to(writer, name);
      } else if (component == "columns") {
        columns_.add_to(writer, name);
      } else if (component == "boxes") {
        writer.add(std::vector<float>{2, 3, 10, 8}, {1, 4}, name);
      } else if (component == "points") {
        writer.add(std::vector<double>{1, 1, 30, 20}, {2, 2}, name);
      } else if (component == "batch") {
        std::vector<float> rows;
        for (int64_t i = 0; i < 4 * 6 * 8 * 3; ++i) rows.push_back(float(i / (6 * 8 * 3)));
        writer.add(rows, {4, 6, 8, 3}, name);
      } else if (component == "labels") {
        writer.add(std::vector<int64_t>{0, 1, 2, 3}, {4}, name);
      } else {
        add_image<uint8_t>(writer, name);
      }
    }
  }

  void write(const broch::Point& point) const {
    std::string line;
    for (uint32_t i = 0; i < point.size(); ++i) {
      const broch_dl_tensor tensor = point.view(i);
      if (i > 0) line += "; ";
      if (const char* name = point.name(i)) line += name + std::string(": ");
      line += broch::dtype_name(broch::dtype_of(tensor.dtype)) + "[";
      for (int32_t d = 0; d < tensor.ndim; ++d)
        line += (d ? "," : "") + std::to_string(tensor.shape[d]);
      line += "]" + content(tensor);
    }
    std::ofstream(options_.trace, std::ios::app) << line << '\n';
  }

  broch::Host host_;
  Options options_;
  Lent lent_{{kHeight, kHeight}, {}};
  Lent spread_{{4}, {2}}, columns_{{kHeight, kHeight}, {kWidth, 1}};
  uint64_t key_ = 0;
};

}  // namespace

BROCH_DATAFLOW(Album, "test.album", "1.0.0", "Points with an image, transformed.", Options::schema)
