// event.cpp: encodes protobuf by hand, with the field numbers of event.proto and summary.proto.
#include "store/event.hpp"

#include <bit>
#include <cstring>
#include <optional>

#include "base/error.hpp"

namespace broch::store {
namespace {

// Wire types of the protobuf encoding.
enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint64_t kLogInfo = 20;  // LogMessage.Level.INFO

// ---- writing

class Message {
 public:
  void varint(uint64_t field, uint64_t value) {
    key(field, kVarint);
    raw_varint(value);
  }
  void fixed64(uint64_t field, double value) {
    key(field, kFixed64);
    raw(&value, sizeof value);
  }
  void fixed32(uint64_t field, float value) {
    key(field, kFixed32);
    raw(&value, sizeof value);
  }
  void bytes(uint64_t field, std::string_view value) {
    key(field, kBytes);
    raw_varint(value.size());
    text_ += value;
  }
  void packed(uint64_t field, const std::vector<double>& values) {
    bytes(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  }
  const std::string& text() const { return text_; }

 private:
  static_assert(std::endian::native == std::endian::little, "fixed fields are little-endian");

  void key(uint64_t field, Wire wire) { raw_varint(field << 3 | wire); }
  void raw(const void* value, size_t size) { text_.append(static_cast<const char*>(value), size); }
  void raw_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

void put(Message& to, float scalar) { to.fixed32(2, scalar); }

void put(Message& to, const EventImage& image) {
  Message message;
  message.varint(1, static_cast<uint64_t>(image.height));
  message.varint(2, static_cast<uint64_t>(image.width));
  message.varint(3, static_cast<uint64_t>(image.channels));
  message.bytes(4, image.png);
  to.bytes(4, message.text());
}

void put(Message& to, const Histogram& histogram) {
  Message message;
  message.fixed64(1, histogram.min);
  message.fixed64(2, histogram.max);
  message.fixed64(3, histogram.num);
  message.fixed64(4, histogram.sum);
  message.fixed64(5, histogram.sum_squares);
  message.packed(6, histogram.bucket_limit);
  message.packed(7, histogram.bucket);
  to.bytes(5, message.text());
}

std::string encode_value(const EventValue& value) {
  Message message;
  message.bytes(1, value.tag);
  std::visit([&](const auto& inner) { put(message, inner); }, value.value);
  return message.text();
}

// ---- reading

struct Field {
  uint64_t number = 0;
  Wire wire = kVarint;
  uint64_t number_value = 0;  // the varint, or the bits of a fixed field
  std::string_view bytes;     // of kBytes
};

class Fields {
 public:
  Fields(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t key = varint();
    Field field;
    field.number = key >> 3;
    field.wire = static_cast<Wire>(key & 7);
    switch (field.wire) {
      case kVarint:
        field.number_value = varint();
        break;
      case kFixed64:
        field.number_value = fixed(8);
        break;
      case kFixed32:
        field.number_value = fixed(4);
        break;
      case kBytes:
        field.bytes = take(varint());
        break;
      default:
        malformed();
    }
    return field;
  }

 private:
  [[noreturn]] void malformed() const {
    throw base::Error(base::Exit::data,
                      base::Diagnostic{where_, "a malformed event", "a protobuf message Event",
                                       "the file is damaged or no event file"});
  }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) malformed();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, take(size).data(), size);
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    malformed();
  }

  std::string_view rest_;
  const std::string& where_;
};

double as_double(const Field& field) { return std::bit_cast<double>(field.number_value); }

void append_doubles(const Field& field, std::vector<double>& to) {
  if (field.wire == kFixed64) return to.push_back(as_double(field));
  const size_t count = field.bytes.size() / sizeof(double);
  const size_t old = to.size();
  to.resize(old + count);
  if (count > 0) std::memcpy(&to[old], field.bytes.data(), count * sizeof(double));
}

EventImage decode_image(std::string_view bytes, const std::string& where) {
  EventImage image;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) image.height = static_cast<int32_t>(field->number_value);
    if (field->number == 2) image.width = static_cast<int32_t>(field->number_value);
    if (field->number == 3) image.channels = static_cast<int32_t>(field->number_value);
    if (field->number == 4) image.png = field->bytes;
  }
  return image;
}

Histogram decode_histogram(std::string_view bytes, const std::string& where) {
  Histogram histogram;
  double* const scalars[] = {&histogram.min, &histogram.max, &histogram.num, &histogram.sum,
                             &histogram.sum_squares};
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number >= 1 && field->number <= 5) *scalars[field->number - 1] = as_double(*field);
    if (field->number == 6) append_doubles(*field, histogram.bucket_limit);
    if (field->number == 7) append_doubles(*field, histogram.bucket);
  }
  return histogram;
}

EventValue decode_value(std::string_view bytes, const std::string& where) {
  EventValue value;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) value.tag = field->bytes;
    if (field->number == 2)
      value.value = std::bit_cast<float>(static_cast<uint32_t>(field->number_value));
    if (field->number == 4) value.value = decode_image(field->bytes, where);
    if (field->number == 5) value.value = decode_histogram(field->bytes, where);
  }
  return value;
}

void decode_summary(std::string_view bytes, const std::string& where, Event& event) {
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next())
    if (field->number == 1) event.summary.push_back(decode_value(field->bytes, where));
}

std::string decode_message(std::string_view bytes, const std::string& where) {
  std::string text;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next())
    if (field->number == 2) text = field->bytes;
  return text;
}

}  // namespace

std::string encode(const Event& event) {
  Message message;
  message.fixed64(1, event.wall_time);
  if (event.step != 0) message.varint(2, static_cast<uint64_t>(event.step));
  if (!event.file_version.empty()) message.bytes(3, event.file_version);
  Message summary;
  for (const EventValue& value : event.summary) summary.bytes(1, encode_value(value));
  if (!event.summary.empty()) message.bytes(5, summary.text());
  if (!event.message.empty()) {
    Message log;
    log.varint(1, kLogInfo);
    log.bytes(2, event.message);
    message.bytes(6, log.text());
  }
  return message.text();
}

Event decode(std::string_view bytes, const std::string& where) {
  Event event;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) event.wall_time = as_double(*field);
    if (field->number == 2) event.step = static_cast<int64_t>(field->number_value);
    if (field->number == 3) event.file_version = field->bytes;
    if (field->number == 5) decode_summary(field->bytes, where, event);
    if (field->number == 6) event.message = decode_message(field->bytes, where);
  }
  return event;
}

}  // namespace broch::store
