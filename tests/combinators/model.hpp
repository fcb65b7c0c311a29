// model.hpp: dataflows as plain lists: what each of them yields, computed slowly and simply.
#pragma once
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>

#include "examine.hpp"
#include "order.hpp"

namespace broch::test {

struct Part {
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<double> values;
  bool operator==(const Part&) const = default;
};
using Sample = std::vector<Part>;
using Samples = std::vector<Sample>;

inline std::string text_of(const Sample& sample) {
  std::string text;
  for (const Part& part : sample) {
    text += part.dtype + "[";
    for (size_t d = 0; d < part.shape.size(); ++d)
      text += (d ? "," : "") + std::to_string(part.shape[d]);
    text += "]";
    for (const double value : part.values) {
      char number[32];
      std::snprintf(number, sizeof number, " %.17g", value);
      text += number;
    }
    text += ";";
  }
  return text;
}

// A dataflow: its entry of the manifest, and its rounds.
struct Flow {
  std::string entry;
  bool indexed = true;
  bool has_size = true;  // it says how many points it has
  std::function<Samples(uint64_t round)> round;
};

inline std::string list_of(const std::vector<Flow>& flows) {
  std::string list;
  for (const Flow& flow : flows) list += (list.empty() ? "" : ", ") + flow.entry;
  return "\"dataflows\": [" + list + "]";
}
inline bool all_indexed(const std::vector<Flow>& flows) {
  return std::all_of(flows.begin(), flows.end(), [](const Flow& flow) { return flow.indexed; });
}
inline bool all_sized(const std::vector<Flow>& flows) {
  return std::all_of(flows.begin(), flows.end(), [](const Flow& flow) { return flow.has_size; });
}

inline Flow numbers_flow(uint64_t count, int64_t first, bool stream, bool same) {
  return {
      numbers(int(count), int(first),
              std::string(stream ? R"(, "stream": true)" : "") + (same ? R"(, "same": true)" : "")),
      !stream, true, [=](uint64_t round) {
        Samples samples;
        for (uint64_t i = 0; i < count; ++i) {
          const int64_t number = first + int64_t((i + (same ? 0 : round)) % count);
          Part list{"float32", {number % 4 + 1}, {}};
          for (int64_t k = 0; k <= number % 4; ++k)
            list.values.push_back(double(number) + 0.25 * double(k));
          samples.push_back({{"int64", {}, {double(number)}}, list});
        }
        return samples;
      }};
}

inline Flow zip_flow(std::vector<Flow> flows) {
  return {use("zip", list_of(flows)), all_indexed(flows), all_sized(flows), [=](uint64_t round) {
            Samples joined = flows[0].round(round);
            for (size_t i = 1; i < flows.size(); ++i) {
              const Samples other = flows[i].round(round);
              joined.resize(std::min(joined.size(), other.size()));
              for (size_t k = 0; k < joined.size(); ++k)
                joined[k].insert(joined[k].end(), other[k].begin(), other[k].end());
            }
            return joined;
          }};
}

inline Flow concat_flow(std::vector<Flow> flows) {
  return {use("concat", list_of(flows)), all_indexed(flows), all_sized(flows), [=](uint64_t round) {
            Samples all;
            for (const Flow& flow : flows)
              for (const Sample& sample : flow.round(round)) all.push_back(sample);
            return all;
          }};
}

// The turns are those of order.hpp.
inline Flow mix_flow(std::vector<Flow> flows, std::vector<double> weights, int seed) {
  std::string options = list_of(flows) + ", \"seed\": " + std::to_string(seed);
  std::string list;
  for (const double weight : weights) list += (list.empty() ? "" : ", ") + std::to_string(weight);
  if (!weights.empty()) options += ", \"weights\": [" + list + "]";
  return {use("mix", options), all_indexed(flows), all_sized(flows), [=](uint64_t round) {
            std::vector<Samples> all;
            std::vector<uint64_t> sizes;
            for (const Flow& flow : flows) {
              all.push_back(flow.round(round));
              sizes.push_back(all.back().size());
            }
            Samples mixed;
            for (const Place& place : mixed_round(weights, sizes, uint64_t(seed), round))
              mixed.push_back(all[place.child][place.index]);
            return mixed;
          }};
}

inline Flow choose_flow(std::vector<Flow> flows, int seed) {
  return {use("choose", list_of(flows) + ", \"seed\": " + std::to_string(seed)), all_indexed(flows),
          false, [=](uint64_t round) {
            std::vector<Samples> all;
            for (const Flow& flow : flows) all.push_back(flow.round(round));
            std::vector<size_t> used(flows.size());
            Samples chosen;
            for (uint64_t t = 0;; ++t) {
              const size_t child = chosen_dataflow(flows.size(), uint64_t(seed), round, t);
              if (used[child] == all[child].size()) return chosen;
              chosen.push_back(all[child][used[child]++]);
            }
          }};
}

inline Flow repeat_point_flow(Flow flow, uint64_t times) {
  return {around("repeat-point", flow.entry, "\"times\": " + std::to_string(times)), flow.indexed,
          flow.has_size, [=](uint64_t round) {
            Samples all;
            for (const Sample& sample : flow.round(round))
              for (uint64_t i = 0; i < times; ++i) all.push_back(sample);
            return all;
          }};
}

// flow: not empty.
inline Flow fixed_size_flow(Flow flow, uint64_t points) {
  return {around("fixed-size", flow.entry, "\"points\": " + std::to_string(points)), flow.indexed,
          true, [=](uint64_t round) {
            Samples all;
            for (uint64_t r = 0; all.size() < (round + 1) * points; ++r)
              for (const Sample& sample : flow.round(r)) all.push_back(sample);
            return Samples(all.begin() + int64_t(round * points),
                           all.begin() + int64_t((round + 1) * points));
          }};
}

inline Flow select_flow(Flow flow) {
  return {around("select", flow.entry, R"("components": [1, 0])"), flow.indexed, flow.has_size,
          [=](uint64_t round) {
            Samples all = flow.round(round);
            for (Sample& sample : all) sample = {sample[1], sample[0]};
            return all;
          }};
}

// The first two components, which a point of every pipeline has.
inline Flow first_two_flow(Flow flow) {
  return {around("select", flow.entry, R"("components": [0, 1])"), flow.indexed, flow.has_size,
          [=](uint64_t round) {
            Samples all = flow.round(round);
            for (Sample& sample : all) sample.resize(2);
            return all;
          }};
}

inline Flow print_flow(Flow flow) {
  flow.entry = around("print", flow.entry);
  return flow;
}

// Always the first round.
inline Flow cache_flow(Flow flow) {
  return {around("cache", flow.entry), flow.indexed, flow.has_size,
          [=](uint64_t) { return flow.round(0); }};
}

// Pads each component to the largest of these samples.
inline Sample stacked(const Samples& samples, double value) {
  Sample batch;
  for (size_t i = 0; i < samples[0].size(); ++i) {
    std::vector<int64_t> shape = samples[0][i].shape;
    for (const Sample& sample : samples)
      for (size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], sample[i].shape[d]);
    Part part{samples[0][i].dtype, {int64_t(samples.size())}, {}};
    part.shape.insert(part.shape.end(), shape.begin(), shape.end());
    const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    for (const Sample& sample : samples)
      for (int64_t place = 0; place < n; ++place) {
        // The index in each dimension, and where it is in the smaller sample.
        int64_t rest = place, at = 0, stride = 1;
        bool inside = true;
        for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
          const int64_t index = rest % shape[d];
          inside = inside && index < sample[i].shape[d];
          at += index * stride;
          stride *= sample[i].shape[d];
        }
        part.values.push_back(inside ? sample[i].values[size_t(at)] : value);
      }
    batch.push_back(part);
  }
  return batch;
}

inline Flow padded_batch_flow(Flow flow, uint64_t size, bool remainder) {
  return {around("padded-batch", flow.entry,
                 "\"value\": -1, \"batch_size\": " + std::to_string(size) +
                     ", \"remainder\": " + (remainder ? "true" : "false")),
          flow.indexed, flow.has_size, [=](uint64_t round) {
            Samples batches, waiting;
            for (const Sample& sample : flow.round(round)) {
              waiting.push_back(sample);
              if (waiting.size() < size) continue;
              batches.push_back(stacked(waiting, -1));
              waiting.clear();
            }
            if (remainder && !waiting.empty()) batches.push_back(stacked(waiting, -1));
            return batches;
          }};
}

// Batches of the numbers alone, whose shapes agree: what is in the batch is written to its rows.
inline Flow batch_flow(Flow flow, uint64_t size) {
  const std::string numbers = around("select", flow.entry, R"("components": [0])");
  return {around("batch", around("print", numbers), "\"batch_size\": " + std::to_string(size)),
          flow.indexed, flow.has_size, [=](uint64_t round) {
            Samples batches, waiting;
            for (const Sample& sample : flow.round(round)) {
              waiting.push_back({sample[0]});
              if (waiting.size() < size) continue;
              batches.push_back(stacked(waiting, -1));
              waiting.clear();
            }
            return batches;
          }};
}

// Batches of samples of the same group, the oldest group first where several could come.
inline Samples grouped(const Samples& samples, const std::function<int64_t(const Sample&)>& group,
                       size_t size, size_t buffer, bool remainder) {
  Samples batches;
  std::vector<std::pair<int64_t, Samples>> waiting;  // the oldest group first
  size_t count = 0;
  const auto emit = [&](size_t at) {
    batches.push_back(stacked(waiting[at].second, -1));
    count -= waiting[at].second.size();
    waiting.erase(waiting.begin() + int64_t(at));
  };
  for (const Sample& sample : samples) {
    size_t at = 0;
    while (at < waiting.size() && waiting[at].first != group(sample)) ++at;
    if (at == waiting.size()) waiting.push_back({group(sample), {}});
    waiting[at].second.push_back(sample);
    ++count;
    if (waiting[at].second.size() == size)
      emit(at);
    else if (count > buffer)
      emit(0);
  }
  while (remainder && !waiting.empty()) emit(0);
  return batches;
}

inline Flow batch_by_shape_flow(Flow flow, size_t size, size_t buffer, bool remainder) {
  return {around("batch-by-shape", flow.entry,
                 "\"batch_size\": " + std::to_string(size) + ", \"buffer\": " +
                     std::to_string(buffer) + ", \"remainder\": " + (remainder ? "true" : "false")),
          false, false, [=](uint64_t round) {
            const auto group = [](const Sample& sample) {
              int64_t number = 0;
              for (const Part& part : sample)
                for (const int64_t size_of_dimension : part.shape)
                  number = number * 10 + size_of_dimension;
              return number;
            };
            return grouped(flow.round(round), group, size, buffer, remainder);
          }};
}

// Buckets by the length of component 1: at most 1, at most 3, longer.
inline Flow bucket_flow(Flow flow, size_t size, bool remainder) {
  return {around("bucket-by-length", flow.entry,
                 "\"component\": 1, \"boundaries\": [1, 3], \"value\": -1, \"batch_sizes\": [" +
                     std::to_string(size) + "], \"remainder\": " + (remainder ? "true" : "false")),
          false, false, [=](uint64_t round) {
            const auto group = [](const Sample& sample) {
              const int64_t length = sample[1].shape[0];
              return int64_t{length <= 1 ? 0 : length <= 3 ? 1 : 2};
            };
            return grouped(flow.round(round), group, size, SIZE_MAX, remainder);
          }};
}

// The lists of component 1 of numbers_flow as int32 tokens: whole parts only.
inline Flow tokens_flow(Flow flow, int64_t length, bool split, bool remainder) {
  const std::string tokens =
      around("pack-tokens", flow.entry,
             "\"component\": 0, \"separator\": 99, \"documents\": true, \"positions\": true, "
             "\"length\": " +
                 std::to_string(length) + ", \"split\": " + (split ? "true" : "false") +
                 ", \"remainder\": " + (remainder ? "true" : "false"));
  return {tokens, false, false, [=](uint64_t round) {
            Samples blocks;
            std::vector<double> text, document, position;
            int64_t count = 0;
            const auto emit = [&] {
              text.resize(size_t(length), 0);
              document.resize(size_t(length), -1);
              position.resize(size_t(length), 0);
              blocks.push_back({{"int64", {length}, text},
                                {"int32", {length}, document},
                                {"int32", {length}, position}});
              text.clear();
              document.clear();
              position.clear();
              count = 0;
            };
            for (const Sample& sample : flow.round(round)) {
              std::vector<double> words = sample[0].values;
              words.push_back(99);
              size_t at = 0;
              while (at < words.size()) {
                const size_t left = words.size() - at, room = size_t(length) - text.size();
                if (!split && left > room && !text.empty()) {
                  emit();
                  continue;
                }
                for (size_t i = 0; i < std::min(left, room); ++i, ++at) {
                  text.push_back(words[at]);
                  document.push_back(double(count));
                  position.push_back(double(at));
                }
                ++count;
                if (text.size() == size_t(length)) emit();
              }
            }
            if (remainder && !text.empty()) emit();
            return blocks;
          }};
}

}  // namespace broch::test
