// example.cpp: source: tensorflow/core/example/{example,feature}.proto.
#include "containers/example.hpp"

#include "arrays/diagnostic.hpp"
#include "containers/wire.hpp"

namespace containers {
namespace {

using arrays::quoted;
using arrays::refuse;

// BytesList, FloatList or Int64List: field 1 repeats; numbers may be packed.
void read_list(Message list, Feature& feature) {
  while (!list.at_end()) {
    const Message::Field field = list.next();
    if (field.number != 1) continue;
    if (feature.kind == Feature::Kind::bytes && field.wire == kBytes) {
      feature.bytes.push_back(field.bytes);
    } else if (feature.kind == Feature::Kind::floats &&
               (field.wire == kBytes || field.wire == kFixed32)) {
      list.append_floats(field.bytes, feature.floats);
    } else if (feature.kind == Feature::Kind::integers && field.wire == kVarint) {
      feature.integers.push_back(int64_t(field.varint));
    } else if (feature.kind == Feature::Kind::integers && field.wire == kBytes) {
      Message packed = list.inside(field.bytes);
      while (!packed.at_end()) feature.integers.push_back(int64_t(packed.varint()));
    } else {
      list.fail("a value of wire type " + std::to_string(field.wire), "the one of its list");
    }
  }
}

// The fields of Feature are a oneof: of several, the last one counts.
Feature read_feature(Message message) {
  Feature feature;
  while (!message.at_end()) {
    const Message::Field field = message.next();
    if (field.number < 1 || field.number > 3 || field.wire != kBytes) continue;
    feature = {};
    feature.kind = Feature::Kind(field.number);
    read_list(message.inside(field.bytes), feature);
  }
  return feature;
}

const char* name_of(Feature::Kind kind) {
  const char* const names[] = {"no value", "byte strings", "floats", "integers"};
  return names[size_t(kind)];
}

std::string text_of(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

void put_varint(std::string& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += char(value | 0x80);
  bytes += char(value);
}
void put_field(std::string& bytes, uint64_t number, std::string_view content) {
  put_varint(bytes, number << 3 | kBytes);
  put_varint(bytes, content.size());
  bytes += content;
}

}  // namespace

std::vector<Feature> parse_example(std::string_view bytes,
                                   const std::vector<FeatureOptions>& wanted,
                                   const std::string& place) {
  std::vector<Feature> found(wanted.size());
  const Message::Record record{bytes.data(), place,
                               "the records are no tf.train.Example; write them again with it"};
  Message example(bytes, record);
  while (!example.at_end()) {
    const Message::Field features = example.next();
    if (features.number != 1 || features.wire != kBytes) continue;
    Message map = example.inside(features.bytes);
    while (!map.at_end()) {
      const Message::Field entry = map.next();
      if (entry.number != 1 || entry.wire != kBytes) continue;
      std::string_view key, value;
      Message pair = map.inside(entry.bytes);
      while (!pair.at_end()) {
        const Message::Field field = pair.next();
        if (field.wire != kBytes) continue;
        if (field.number == 1) key = field.bytes;
        if (field.number == 2) value = field.bytes;
      }
      for (size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i].feature == key) found[i] = read_feature(pair.inside(value));
    }
  }
  return found;
}

Component component_of(const Feature& feature, const FeatureOptions& options,
                       const std::string& place) {
  const std::string here = place + ", feature " + quoted(options.feature);
  if (feature.kind == Feature::Kind::none)
    refuse(here, "no value", "one", "correct the name, or leave the record out of the file");
  Component made;
  if (feature.kind == Feature::Kind::bytes) {
    if (feature.bytes.size() != 1)
      refuse(here, std::to_string(feature.bytes.size()) + " byte strings", "one",
             "store them as features with names of their own");
    made = bytes_of(feature.bytes[0]);
    if (options.type) made.type = *options.type;
    const uint64_t width = made.type.bits / 8;
    if (made.borrowed.size() % width != 0)
      refuse(here, std::to_string(made.borrowed.size()) + " bytes",
             "a multiple of " + std::to_string(width), "correct the option dtype");
    made.shape[0] = int64_t(made.borrowed.size() / width);
  } else if (options.type) {
    refuse(here, name_of(feature.kind), "a byte string, since dtype is set",
           "remove dtype: floats are float32, integers int64");
  } else if (feature.kind == Feature::Kind::floats) {
    made = values_of(kFloat32, feature.floats, {int64_t(feature.floats.size())});
  } else {
    made = values_of(kInt64, feature.integers, {int64_t(feature.integers.size())});
  }
  if (options.shape) {
    const std::optional<uint64_t> bytes = byte_count(made.type, *options.shape);
    if (!bytes || *bytes != made.bytes().size())
      refuse(here, std::to_string(made.shape[0]) + " elements",
             "those of the shape " + text_of(*options.shape), "correct the option shape");
    made.shape = *options.shape;
  }
  return made;
}

std::string example_of(const std::vector<Named>& features) {
  std::string map;
  for (const Named& named : features) {
    const Component& component = named.component;
    std::string list, feature, entry;
    uint64_t kind = uint64_t(Feature::Kind::bytes);
    if (same_type(component.type, kInt64)) {
      kind = uint64_t(Feature::Kind::integers);
      std::string packed;
      for (size_t at = 0; at < component.bytes().size(); at += 8) {
        uint64_t value = 0;
        std::memcpy(&value, component.bytes().data() + at, 8);
        put_varint(packed, value);
      }
      put_field(list, 1, packed);
    } else {
      if (same_type(component.type, kFloat32)) kind = uint64_t(Feature::Kind::floats);
      put_field(list, 1, component.bytes());
    }
    put_field(feature, kind, list);
    put_field(entry, 1, named.name);
    put_field(entry, 2, feature);
    put_field(map, 1, entry);
  }
  std::string example;
  put_field(example, 1, map);
  return example;
}

}  // namespace containers
