// event_tensors.cpp: the messages of the plugins text, pr_curves and hparams.
#include "store/event_tensors.hpp"

#include "wire.hpp"

namespace broch::store {
namespace {

// The type google.protobuf.Value of struct.proto.
void put(Message& to, double value) { to.fixed64(2, value); }
void put(Message& to, const std::string& value) { to.bytes(3, value); }
void put(Message& to, bool value) { to.varint(4, value ? 1 : 0); }

enum Status : uint64_t { kSuccess = 1, kFailure = 2 };  // of api.proto

double ratio(double part, double rest) { return part + rest > 0 ? part / (part + rest) : 0; }

// HParamsPluginData is one of several messages, by the field that it has. TensorBoard wants a
// number with it, which is never shown.
EventValue hparams_value(const char* tag, uint64_t field, const Message& said) {
  Message data;
  data.bytes(field, said.text());
  return {tag, EventTensor{"hparams", data.text(), {}, std::vector<float>{0}}};
}

}  // namespace

EventTensor text_of(const std::string& text) {
  return {"text", "", {1}, std::vector<std::string>{text}};
}

EventTensor pr_curve_of(std::span<const double> counts) {
  const size_t n = counts.size() / 4;
  std::vector<float> rows(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(4 * n));
  for (size_t i = 0; i < n; ++i)  // precision
    rows.push_back(static_cast<float>(ratio(counts[i], counts[n + i])));
  for (size_t i = 0; i < n; ++i)  // recall
    rows.push_back(static_cast<float>(ratio(counts[i], counts[3 * n + i])));
  Message data;
  data.varint(2, n);
  return {"pr_curves", data.text(), {6, static_cast<int64_t>(n)}, std::move(rows)};
}

EventValue hparams_begin(const std::map<std::string, HParam>& hparams, const std::string& group,
                         double wall_time) {
  Message begin;
  for (const auto& [name, value] : hparams) {
    Message inner, entry;
    std::visit([&](const auto& one) { put(inner, one); }, value);
    entry.bytes(1, name);
    entry.bytes(2, inner.text());
    begin.bytes(1, entry.text());
  }
  begin.bytes(4, group);
  begin.fixed64(5, wall_time);
  return hparams_value("_hparams_/session_start_info", 3, begin);
}

EventValue hparams_end(bool success, double wall_time) {
  Message end;
  end.varint(1, success ? kSuccess : kFailure);
  end.fixed64(2, wall_time);
  return hparams_value("_hparams_/session_end_info", 4, end);
}

}  // namespace broch::store
