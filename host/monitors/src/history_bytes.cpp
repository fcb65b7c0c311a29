// history_bytes.cpp: writes the bytes, and reads them with bounds checks.
#include "monitors/history_bytes.hpp"

#include <bit>
#include <cstring>

#include "base/error.hpp"

namespace broch::monitors {
namespace {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(broch_metric_point) == 16);

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

[[noreturn]] void refuse(const std::string& found, const std::string& expected) {
  throw base::Error(base::Exit::checkpoint,
                    base::Diagnostic{"checkpoint: history of metrics", found, expected, ""});
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) refuse("it ends inside a metric", "whole metrics");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string history_to_bytes(const Monitors::History& history) {
  std::string bytes;
  for (const auto& [name, points] : history) {
    put(bytes, uint32_t(name.size()));
    bytes += name;
    put(bytes, uint64_t(points.size()));
    bytes.append(reinterpret_cast<const char*>(points.data()), points.size() * 16);
  }
  return bytes;
}

Monitors::History history_from_bytes(std::string_view bytes) {
  Monitors::History history;
  for (Reader reader(bytes); !reader.done();) {
    const std::string name(reader.take(reader.number<uint32_t>()));
    const uint64_t count = reader.number<uint64_t>();
    if (count == 0) refuse("the metric '" + name + "' without a point", "one or more");
    const std::string_view data = reader.take(count <= bytes.size() / 16 ? count * 16 : UINT64_MAX);
    std::vector<broch_metric_point>& points = history[name];
    points.resize(count);
    std::memcpy(points.data(), data.data(), data.size());
  }
  return history;
}

}  // namespace broch::monitors
