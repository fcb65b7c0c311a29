// event.cpp: encodes protobuf by hand, with the field numbers of event.proto, summary.proto,
// tensor.proto and tensor_shape.proto.
#include "store/event.hpp"

#include <bit>
#include <cstring>
#include <optional>

#include "shape_message.hpp"
#include "wire.hpp"

namespace broch::store {
namespace {

constexpr uint64_t kLogInfo = 20;  // LogMessage.Level.INFO
enum DataType : uint64_t { kFloat = 1, kString = 7 };

// ---- writing

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

void put(Message& to, const EventAudio& audio) {
  Message message;
  message.fixed32(1, audio.rate);
  message.varint(2, static_cast<uint64_t>(audio.channels));
  message.varint(3, static_cast<uint64_t>(audio.frames));
  message.bytes(4, audio.wav);
  message.bytes(5, "audio/wav");
  to.bytes(6, message.text());
}

void put_elements(Message& to, const std::vector<float>& elements) { to.packed(5, elements); }
void put_elements(Message& to, const std::vector<std::string>& elements) {
  for (const std::string& element : elements) to.bytes(8, element);
}

void put(Message& to, const EventTensor& tensor) {
  Message message;
  message.varint(1, std::holds_alternative<std::vector<float>>(tensor.elements) ? kFloat : kString);
  message.bytes(2, shape_message(tensor.shape).text());
  std::visit([&](const auto& elements) { put_elements(message, elements); }, tensor.elements);
  to.bytes(8, message.text());
  Message plugin, metadata;
  plugin.bytes(1, tensor.plugin);
  if (!tensor.content.empty()) plugin.bytes(2, tensor.content);
  metadata.bytes(1, plugin.text());
  to.bytes(9, metadata.text());
}

std::string encode_value(const EventValue& value) {
  Message message;
  message.bytes(1, value.tag);
  std::visit([&](const auto& inner) { put(message, inner); }, value.value);
  return message.text();
}

// ---- reading

double as_double(const Field& field) { return std::bit_cast<double>(field.number_value); }

float as_float(const Field& field) {
  return std::bit_cast<float>(static_cast<uint32_t>(field.number_value));
}

template <class Fixed>
void append_packed(std::string_view bytes, std::vector<Fixed>& to) {
  const size_t count = bytes.size() / sizeof(Fixed);
  const size_t old = to.size();
  to.resize(old + count);
  if (count > 0) std::memcpy(&to[old], bytes.data(), count * sizeof(Fixed));
}
void append_doubles(const Field& field, std::vector<double>& to) {
  if (field.wire == kFixed64) return to.push_back(as_double(field));
  append_packed(field.bytes, to);
}
void append_floats(const Field& field, std::vector<float>& to) {
  if (field.wire == kFixed32) return to.push_back(as_float(field));
  append_packed(field.bytes, to);
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

EventAudio decode_audio(std::string_view bytes, const std::string& where) {
  EventAudio audio;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) audio.rate = as_float(*field);
    if (field->number == 2) audio.channels = static_cast<int64_t>(field->number_value);
    if (field->number == 3) audio.frames = static_cast<int64_t>(field->number_value);
    if (field->number == 4) audio.wav = field->bytes;
  }
  return audio;
}

std::vector<int64_t> decode_shape(std::string_view bytes, const std::string& where) {
  std::vector<int64_t> shape;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number != 2) continue;
    shape.push_back(0);
    Fields dimension(field->bytes, where);
    while (const std::optional<Field> size = dimension.next())
      if (size->number == 1) shape.back() = static_cast<int64_t>(size->number_value);
  }
  return shape;
}

void decode_tensor(std::string_view bytes, const std::string& where, EventTensor& tensor) {
  std::vector<float> numbers;
  std::vector<std::string> texts;
  bool is_text = false;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) is_text = field->number_value == kString;
    if (field->number == 2) tensor.shape = decode_shape(field->bytes, where);
    if (field->number == 5) append_floats(*field, numbers);
    if (field->number == 8) texts.emplace_back(field->bytes);
  }
  if (is_text)
    tensor.elements = std::move(texts);
  else
    tensor.elements = std::move(numbers);
}

void decode_metadata(std::string_view bytes, const std::string& where, EventTensor& tensor) {
  Fields metadata(bytes, where);
  while (const std::optional<Field> field = metadata.next()) {
    if (field->number != 1) continue;
    Fields plugin(field->bytes, where);
    while (const std::optional<Field> said = plugin.next()) {
      if (said->number == 1) tensor.plugin = said->bytes;
      if (said->number == 2) tensor.content = said->bytes;
    }
  }
}

EventValue decode_value(std::string_view bytes, const std::string& where) {
  EventValue value;
  EventTensor tensor;
  bool has_tensor = false;
  Fields fields(bytes, where);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == 1) value.tag = field->bytes;
    if (field->number == 2) value.value = as_float(*field);
    if (field->number == 4) value.value = decode_image(field->bytes, where);
    if (field->number == 5) value.value = decode_histogram(field->bytes, where);
    if (field->number == 6) value.value = decode_audio(field->bytes, where);
    if (field->number == 8) decode_tensor(field->bytes, where, tensor), has_tensor = true;
    if (field->number == 9) decode_metadata(field->bytes, where, tensor);
  }
  if (has_tensor) value.value = std::move(tensor);
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
  if (!event.graph.empty()) message.bytes(4, event.graph);
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
    if (field->number == 4) event.graph = field->bytes;
    if (field->number == 5) decode_summary(field->bytes, where, event);
    if (field->number == 6) event.message = decode_message(field->bytes, where);
  }
  return event;
}

}  // namespace broch::store
