// json_node.hpp: the options of a node of a plan from JSON text, for tests that write many plans.
// The names are those of broch/plan_nodes.h; words
// such as "sum" stand for the numbers of enums, and "when" for every and offsets.
#pragma once
#include <broch/plan_nodes.h>

#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace support {

class JsonNode {
 public:
  JsonNode(const std::string& kind, const std::string& text)
      : json_(nlohmann::json::parse(text.empty() ? "{}" : text)) {
    common();
    const std::string word = kind.substr(0, kind.find("/"));
    if (word == "broch.plan.input") set(input());
    if (word == "broch.plan.tower") set(tower());
    if (word == "broch.plan.gradients")
      set(broch_gradients_node{node_, string("cost"), string("variables")});
    if (word == "broch.plan.reduce")
      set(broch_reduce_node{node_, mode(), word_is("algorithm", "nccl"), number("scale")});
    if (word == "broch.plan.all_reduce")
      set(broch_all_reduce_node{node_, mode(), word_is("compression", "fp16"), number("scale")});
    if (word == "broch.plan.process") set(process());
    if (word == "broch.plan.apply")
      set(broch_apply_node{node_, string("optimizer"), string("variables"), string("replica")});
    if (word == "broch.plan.serve") set(serve());
    if (word == "broch.plan.copy") set(copy());
    if (word == "broch.plan.broadcast") set(broch_broadcast_node{node_, count("root"), 0});
    if (bytes_.empty()) set(node_);
  }

  // Borrowed from this object.
  const broch_node_options* options() const {
    return reinterpret_cast<const broch_node_options*>(bytes_.data());
  }

 private:
  template <class Options>
  void set(Options options) {
    reinterpret_cast<broch_node_options&>(options).struct_size = sizeof options;
    bytes_.resize((sizeof options + 7) / 8);
    std::memcpy(bytes_.data(), &options, sizeof options);
  }

  bool given(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
  // Text as it is; an object as JSON text.
  const char* keep(const nlohmann::json& value) {
    return texts_.emplace_back(value.is_string() ? value.get<std::string>() : value.dump()).c_str();
  }
  const char* string(const char* key) { return given(key) ? keep(json_[key]) : nullptr; }
  double number(const char* key) const { return given(key) ? json_[key].get<double>() : 0; }
  uint32_t count(const char* key) const { return given(key) ? json_[key].get<uint32_t>() : 0; }
  int32_t word_is(const char* key, const char* word) const {
    return given(key) && json_[key] == word ? 1 : 0;
  }
  int32_t mode() const {
    if (!given("mode")) return 0;
    if (json_["mode"].is_number()) return json_["mode"].get<int32_t>();
    return json_["mode"] == "sum" ? BROCH_REDUCE_SUM : BROCH_REDUCE_MEAN;
  }
  const std::vector<uint32_t>& numbers(const nlohmann::json& list) {
    return numbers_.emplace_back(list.get<std::vector<uint32_t>>());
  }
  const std::vector<const char*>& list(const char* key) {
    std::vector<const char*> all;
    if (given(key))
      for (const nlohmann::json& one : json_[key]) all.push_back(keep(one));
    all.push_back(nullptr);  // so that an empty list is not NULL
    return lists_.emplace_back(std::move(all));
  }

  void common() {
    node_.name = string("name");
    node_.flags = count("flags");
    if (!given("when")) return;
    const nlohmann::json& when = json_["when"];
    node_.every = when.value("every", 0u);
    const nlohmann::json offsets =
        when.contains("offsets") ? when["offsets"] : nlohmann::json{when.value("offset", 0u)};
    const std::vector<uint32_t>& all = numbers(offsets);
    static const uint32_t nothing = 0;
    node_.offsets = all.empty() ? &nothing : all.data();
    node_.offset_count = uint32_t(all.size());
  }

  broch_input_node input() {
    broch_input_node options{node_, nullptr, 0, 0};
    if (!given("towers")) return options;
    const std::vector<uint32_t>& towers = numbers(json_["towers"]);
    static const uint32_t nothing = 0;
    options.towers = towers.empty() ? &nothing : towers.data();
    options.tower_count = uint32_t(towers.size());
    return options;
  }
  broch_tower_node tower() {
    broch_tower_node options{};
    options.node = node_;
    options.name = string("name");
    options.vs_name = string("vs_name");
    options.index = count("index");
    options.total = count("total");
    options.device = string("device");
    if (given("variable_devices")) {
      const auto& devices = list("variable_devices");
      options.variable_devices = devices.data();
      options.variable_device_count = uint32_t(devices.size() - 1);
    }
    options.inference = given("mode") && json_["mode"].is_number() ? json_["mode"].get<int32_t>()
                                                                   : word_is("mode", "inference");
    return options;
  }
  broch_process_node process() {
    if (!given("processors")) return {node_, nullptr, 0, 0};
    const auto& entries = list("processors");
    return {node_, entries.data(), uint32_t(entries.size() - 1), 0};
  }
  broch_serve_node serve() {
    const auto& to = list("to");
    return {node_, string("optimizer"), string("variables"), to.data(), uint32_t(to.size() - 1), 0};
  }
  broch_copy_node copy() {
    const auto& to = list("to");
    return {node_, string("from"), to.data(), uint32_t(to.size() - 1),
            given("check") && json_["check"].get<bool>() ? 1 : 0};
  }

  const nlohmann::json json_;
  broch_node_options node_{};
  std::deque<std::string> texts_;
  std::deque<std::vector<uint32_t>> numbers_;
  std::deque<std::vector<const char*>> lists_;
  std::vector<uint64_t> bytes_;
};

}  // namespace support
