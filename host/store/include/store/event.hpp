// event.hpp: TensorBoard's Event message (tensorflow/core/util/event.proto, summary.proto,
// tensor.proto) in protobuf's wire format; only the fields that Broch uses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/histogram.hpp"

namespace broch::store {

struct EventImage {
  int32_t height = 0, width = 0;
  int32_t channels = 0;  // 1 gray, 3 RGB, 4 RGBA
  std::string png;
};

struct EventAudio {
  float rate = 0;  // frames per second
  int64_t channels = 0, frames = 0;
  std::string wav;
};

// What one of TensorBoard's plugins shows: numbers (DT_FLOAT) or texts (DT_STRING).
struct EventTensor {
  std::string plugin;   // "text", "pr_curves", "hparams"
  std::string content;  // what the plugin keeps besides the elements: a message of its own
  std::vector<int64_t> shape;
  std::variant<std::vector<float>, std::vector<std::string>> elements;
};

struct EventValue {
  std::string tag;
  std::variant<float, EventImage, Histogram, EventAudio, EventTensor> value;
};

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string file_version;         // only in the first event of a file
  std::vector<EventValue> summary;  // may be empty
  std::string message;              // a line of text with level INFO; may be empty
  std::string graph;                // a GraphDef (see event_graph.hpp); may be empty
};

std::string encode(const Event& event);
// Skips unknown fields. Throws Error(data) at `where` if the bytes are malformed.
Event decode(std::string_view bytes, const std::string& where);

}  // namespace broch::store
