// node_options.cpp: from the structs of broch/plan_nodes.h to what a node keeps.
#include <algorithm>
#include <cmath>

#include "abi/guard.hpp"
#include "abi/plugin_struct.hpp"
#include "base/text.hpp"
#include "broch/value.h"
#include "plan/node.hpp"

namespace broch::plan {
namespace {

constexpr uint32_t kMaxCount = 0xFFFF;

// The options of one node; knows where it is for messages.
class Reader {
 public:
  Reader(const broch_node_options* options, const std::string& where)
      : options_(options), where_(where) {}

  [[noreturn]] void refuse(const char* field, const std::string& found,
                           const std::string& expected) const {
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         where_ + ": " + field + " is " + found + ", expected " + expected};
  }

  // What all structs begin with.
  broch_node_options common() const {
    if (!options_) return {};
    require_size(sizeof(broch_node_options));
    if (options_->flags) refuse("flags", std::to_string(options_->flags), "0");
    return *options_;
  }

  // The struct as this host knows it, of zeros if there is none.
  template <class Options>
  Options copy() const {
    if (!options_) return {};
    return abi::read_struct<Options>(options_, require_size(sizeof(Options)), where_.c_str(),
                                     "the options");
  }

  static std::string text(const char* text) { return text ? text : ""; }
  static std::optional<std::string> text_if(const char* text) {
    return text ? std::optional<std::string>(text) : std::nullopt;
  }

  std::vector<std::string> texts(const char* field, const char* const* list, uint32_t n) const {
    if (n > kMaxCount) refuse(field, std::to_string(n) + " elements", "at most 65535");
    std::vector<std::string> all;
    for (uint32_t i = 0; list && i < n; ++i) {
      if (!list[i]) refuse(field, "NULL at " + std::to_string(i), "a text");
      all.emplace_back(list[i]);
    }
    return all;
  }

  bool is_mean(int32_t mode) const {
    if (mode != 0 && mode != BROCH_REDUCE_MEAN && mode != BROCH_REDUCE_SUM)
      refuse("mode", std::to_string(mode), "BROCH_REDUCE_MEAN or BROCH_REDUCE_SUM");
    return mode != BROCH_REDUCE_SUM;
  }

  double scale(double value) const {
    if (!std::isfinite(value)) refuse("scale", std::to_string(value), "a finite number");
    return value == 0 ? 1 : value;
  }

  bool one_of_two(const char* field, int32_t value, int32_t first, int32_t second) const {
    if (value != first && value != second)
      refuse(field, std::to_string(value), std::to_string(first) + " or " + std::to_string(second));
    return value == second;
  }

  // Names of other replicas than from.
  std::vector<std::string> replicas(const char* const* list, uint32_t n,
                                    const std::string& from) const {
    std::vector<std::string> to = texts("to", list, n);
    if (std::ranges::find(to, from) != to.end())
      refuse("to", "a list with " + base::quoted(from),
             "names of other replicas than " + base::quoted(from));
    return to;
  }

 private:
  uint32_t require_size(size_t own) const {
    const uint32_t size = options_->struct_size;
    if (size < sizeof(broch_node_options) || size > abi::kLargestStruct)
      refuse("struct_size", std::to_string(size),
             "the size of the struct of this kind, " + std::to_string(own) + " in this host");
    return size;
  }

  const broch_node_options* options_;
  const std::string& where_;
};

InputNode read_input(const Reader& reader) {
  const auto given = reader.copy<broch_input_node>();
  if (!given.towers) return {{0}};
  if (given.tower_count == 0) reader.refuse("towers", "empty", "at least one index");
  InputNode input;
  for (uint32_t i = 0; i < given.tower_count && i <= kMaxCount; ++i) {
    const uint32_t index = given.towers[i];
    if (index > kMaxCount || std::ranges::find(input.towers, index) != input.towers.end())
      reader.refuse("towers", "a list with " + std::to_string(index),
                    "indices from 0 to 65535, each once");
    input.towers.push_back(index);
  }
  return input;
}

std::vector<runtime::Device> read_devices(const Reader& reader, const broch_tower_node& given,
                                          const FindDevice& find_device) {
  std::vector<runtime::Device> devices;
  for (const std::string& name :
       reader.texts("variable_devices", given.variable_devices, given.variable_device_count)) {
    const runtime::Device device = find_device(name);
    if (std::ranges::find(devices, device) != devices.end())
      reader.refuse("variable_devices", base::quoted(name) + " twice", "each device once");
    devices.push_back(device);
  }
  return devices;
}

TowerNode read_tower(const Reader& reader, const FindDevice& find_device) {
  const auto given = reader.copy<broch_tower_node>();
  const uint32_t total = given.total == 0 ? 1 : given.total;
  if (total > kMaxCount) reader.refuse("total", std::to_string(total), "at most 65535");
  if (given.index >= total)
    reader.refuse("index", std::to_string(given.index),
                  "less than total, which is " + std::to_string(total));
  TowerNode node;
  node.tower.name = reader.text(given.name);
  node.tower.vs_name = reader.text(given.vs_name);
  node.tower.index = given.index;
  node.tower.total = total;
  node.tower.device = find_device(given.device ? given.device : "cpu:0");
  node.tower.variable_devices = read_devices(reader, given, find_device);
  node.tower.training = !reader.one_of_two("inference", given.inference, 0, 1);
  return node;
}

GradientsNode read_gradients(const Reader& reader) {
  const auto given = reader.copy<broch_gradients_node>();
  return {reader.text_if(given.cost), reader.text_if(given.variables)};
}

ReduceNode read_reduce(const Reader& reader) {
  const auto given = reader.copy<broch_reduce_node>();
  return {reader.is_mean(given.mode), reader.scale(given.scale),
          reader.one_of_two("algorithm", given.algorithm, BROCH_ADD_IN_ORDER, BROCH_ADD_BY_NCCL)};
}

AllReduceNode read_all_reduce(const Reader& reader) {
  const auto given = reader.copy<broch_all_reduce_node>();
  return {reader.is_mean(given.mode), reader.scale(given.scale),
          reader.one_of_two("compression", given.compression, BROCH_COMPRESSION_NONE,
                            BROCH_COMPRESSION_FLOAT16)};
}

ProcessNode read_process(const Reader& reader) {
  const auto given = reader.copy<broch_process_node>();
  if (!given.processors) return {};
  return {reader.texts("processors", given.processors, given.processor_count)};
}

ApplyNode read_apply(const Reader& reader) {
  const auto given = reader.copy<broch_apply_node>();
  return {reader.text_if(given.optimizer), reader.text_if(given.variables),
          reader.text_if(given.replica)};
}

ServeNode read_serve(const Reader& reader) {
  const auto given = reader.copy<broch_serve_node>();
  return {reader.text_if(given.optimizer), reader.text_if(given.variables),
          reader.replicas(given.to, given.to_count, "")};
}

CopyNode read_copy(const Reader& reader) {
  const auto given = reader.copy<broch_copy_node>();
  CopyNode node{reader.text(given.from), {}, reader.one_of_two("check", given.check, 0, 1)};
  node.to = reader.replicas(given.to, given.to_count, node.from);
  if (node.to.empty()) reader.refuse("to", "empty", "at least one replica");
  return node;
}

BroadcastNode read_broadcast(const Reader& reader) {
  const auto given = reader.copy<broch_broadcast_node>();
  if (given.root > kMaxCount) reader.refuse("root", std::to_string(given.root), "a rank");
  return {given.root};
}

}  // namespace

NodeSpec read_spec(NodeKind kind, const broch_node_options* options, const FindDevice& find_device,
                   const std::string& where) {
  const Reader reader(options, where);
  switch (kind) {
    case NodeKind::input:
      return read_input(reader);
    case NodeKind::tower:
      return read_tower(reader, find_device);
    case NodeKind::gradients:
      return read_gradients(reader);
    case NodeKind::reduce:
      return read_reduce(reader);
    case NodeKind::all_reduce:
      return read_all_reduce(reader);
    case NodeKind::process:
      return read_process(reader);
    case NodeKind::apply:
      return read_apply(reader);
    case NodeKind::serve:
      return read_serve(reader);
    case NodeKind::copy:
      return read_copy(reader);
    case NodeKind::broadcast:
      return read_broadcast(reader);
    case NodeKind::operation:
      reader.copy<broch_node_options>();
      return OperationNode{};
    case NodeKind::call:
      reader.copy<broch_node_options>();
      return CallNode{};
  }
  return {};
}

void read_common(Node& node, const broch_node_options* options, const std::string& where) {
  const Reader reader(options, where);
  const broch_node_options given = reader.common();
  if (given.name && *given.name) node.name = given.name;
  auto& [every, offsets] = node.turns;
  every = std::max(given.every, 1u);
  if (!given.offsets) return;
  offsets.clear();
  if (given.offset_count == 0 || given.offset_count > every)
    reader.refuse("offsets", "a list of " + std::to_string(given.offset_count),
                  "at least one, and at most " + std::to_string(every));
  for (uint32_t i = 0; i < given.offset_count; ++i) {
    const uint32_t offset = given.offsets[i];
    if (offset >= every)
      reader.refuse("offsets", "a list with " + std::to_string(offset),
                    "numbers from 0 to less than every, which is " + std::to_string(every));
    if (std::ranges::find(offsets, offset) != offsets.end())
      reader.refuse("offsets", std::to_string(offset) + " twice", "each number once");
    offsets.push_back(offset);
  }
}

}  // namespace broch::plan
