// datum.cpp: source: caffe.proto of Caffe 1.0, message Datum. tensorpack: `LMDBDataDecoder` with
// the decoder of `CaffeLMDB`.
#include "containers/datum.hpp"

#include "arrays/diagnostic.hpp"
#include "containers/wire.hpp"

namespace containers {
namespace {

using arrays::refuse;

struct Datum {
  int32_t channels = 0, height = 0, width = 0, label = 0;
  std::string_view data;
  std::vector<float> floats;
  bool encoded = false;
};

Datum read(std::string_view bytes, const std::string& place) {
  const Message::Record record{bytes.data(), place,
                               "the values are no Datum of Caffe; correct the option format"};
  Datum datum;
  int32_t* const numbers[] = {&datum.channels, &datum.height, &datum.width};
  for (Message message(bytes, record); !message.at_end();) {
    const Message::Field field = message.next();
    if (field.wire == kVarint && field.number >= 1 && field.number <= 3)
      *numbers[field.number - 1] = int32_t(field.varint);
    if (field.wire == kBytes && field.number == 4) datum.data = field.bytes;
    if (field.wire == kVarint && field.number == 5) datum.label = int32_t(field.varint);
    if ((field.wire == kFixed32 || field.wire == kBytes) && field.number == 6)
      message.append_floats(field.bytes, datum.floats);
    if (field.wire == kVarint && field.number == 7) datum.encoded = field.varint != 0;
  }
  return datum;
}

// From planes to pixels: (channels, height, width) to (height, width, channels).
template <class T>
std::string pixels_of(const T* planes, size_t channels, size_t pixels) {
  std::string bytes(channels * pixels * sizeof(T), '\0');
  for (size_t c = 0; c < channels; ++c)
    for (size_t p = 0; p < pixels; ++p)
      std::memcpy(&bytes[(p * channels + c) * sizeof(T)], planes + c * pixels + p, sizeof(T));
  return bytes;
}

Component image_of(const Datum& datum, const std::string& place) {
  if (datum.encoded) return bytes_of(datum.data);
  const bool is_float = datum.data.empty() && !datum.floats.empty();
  const uint64_t found = is_float ? datum.floats.size() : datum.data.size();
  Component image{
      is_float ? kFloat32 : kUint8, {datum.height, datum.width, datum.channels}, {}, {}};
  const auto bytes = byte_count(image.type, image.shape);
  if (!bytes || *bytes / (image.type.bits / 8) != found || found == 0)
    refuse(place, std::to_string(found) + " elements",
           std::to_string(datum.channels) + " x " + std::to_string(datum.height) + " x " +
               std::to_string(datum.width) + " as channels, height and width say",
           "the values are no images of Caffe; correct the option format");
  const size_t channels = size_t(datum.channels), pixels = found / channels;
  image.owned = is_float ? pixels_of(datum.floats.data(), channels, pixels)
                         : pixels_of(datum.data.data(), channels, pixels);
  return image;
}

}  // namespace

std::vector<Named> parse_datum(std::string_view bytes, const std::string& place) {
  const Datum datum = read(bytes, place);
  return {{"", image_of(datum, place)}, {"", scalar_of<int64_t>(kInt64, datum.label)}};
}

}  // namespace containers
